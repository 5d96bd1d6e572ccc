// The rules as they stand, as a model file that nln.load_model reads, or as text; see nln/report/modelfile.py.

function startSave() {
  byId("save-file").addEventListener("click", saveFile);
  byId("save-copy").addEventListener("click", () => copyText(programText()));
  onChange(() => {
    const edits = listEdits();
    byId("save-text").textContent = edits.length
      ? "The file holds the rules with these changes, and the changes as its history:"
      : "No rule is changed, so the file holds the rules as they are shown.";
    byId("save-edits").replaceChildren(...edits.map(({ action, rule, before, after }) => make("li", {}, `${action} rule ${rule}`,
      make("code", { class: "before" }, before), after ? make("code", { class: "after" }, after) : null)));
    byId("save-said").textContent = "";
    byId("copied")?.remove();
  });
}

// One edit for each rule that differs: first the changes, then the dropped rules, the last one first, so that the numbers are those shown.
function listEdits() {
  const { rules } = data.file.stages[state.place];
  const edits = state.program.rules.map((rule, i) => {
    if (rule.off) return { action: "drop", rule: i + 1, before: rules[i].line };
    return isEdited(i) ? { action: "change", rule: i + 1, before: rules[i].line, after: ruleLine(rule) } : null;
  }).filter(Boolean);
  const [changes, drops] = ["change", "drop"].map((action) => edits.filter((edit) => edit.action === action));
  return [...changes, ...drops.reverse()];
}

function modelText() {
  const { file } = data;
  const stage = file.stages[state.place];
  const said = Object.fromEntries([["author", byId("save-author").value.trim()], ["reason", byId("save-reason").value.trim()]].filter(([, text]) => text));
  const edits = listEdits().map((edit) => JSON.stringify({ time: state.times[edit.rule - 1], action: edit.action, rule: edit.rule, ...said, before: edit.before, after: edit.after }));
  const rules = state.program.rules.flatMap((rule, i) => (rule.off ? [] : isEdited(i) ? ruleJson(rule, i) : stage.rules[i].text));
  const history = [...stage.history, ...edits];
  const list = (items) => (items.length ? `[\n      ${items.join(",\n      ")}\n    ]` : "[]");
  const program = [...file.program, `"outputs": ${stage.outputs}`, `"rules": ${list(rules)}`, ...(history.length ? [`"history": ${list(history)}`] : [])];
  const members = edits.length || state.place !== data.chosen ? file.edited : file.model;
  return `{\n  ${[...members, `"program": {\n    ${program.join(",\n    ")}\n  }`].join(",\n  ")}\n}\n`;
}

// An edited rule. What it covered is not known of the rows that it was learned from, so it has no coverage.
function ruleJson(rule, number) {
  const { conditions } = data.file.stages[state.place].rules[number];
  const was = originalRule(number).conditions;
  const written = rule.conditions.map((condition, i) => (sameCondition(was[i], condition) ? conditions[i] : conditionJson(condition)));
  return `{"label": ${data.file.labels[rule.output]}, "weight": ${rule.weight}, "conditions": [${written.join(", ")}]}`;
}

function conditionJson(condition) {
  const feature = features[condition.feature];
  const values = data.file.values[condition.feature];
  const parts = [`"feature": ${JSON.stringify(feature.name)}`];
  if (condition.intervals) parts.push(`"intervals": ${intervalsJson(condition.intervals)}`);
  else if (feature.kind === "ordinal") parts.push(`"intervals": ${intervalsJson(rankRuns(condition, feature).map(([low, high]) => [low, 0, high, 0]))}`);
  else if (condition.chance !== undefined) parts.push(`"values": [${condition.chance}]`);
  else {
    parts.push(`"values": [${condition.values.map((code) => values[code]).join(", ")}]`);
    if (condition.negated) parts.push('"negated": true');
  }
  if (condition.missing) parts.push(`"missing": ${condition.missing}`);
  return `{${parts.join(", ")}}`;
}

function intervalsJson(intervals) {
  const end = (value, width) => (value === null ? undefined : width ? { value, width } : { value });
  return JSON.stringify(intervals.map(([a, b, c, d]) => ({ low: end(a, b), high: end(c, d) })));
}

function saveFile() {
  const address = URL.createObjectURL(new Blob([modelText()], { type: "application/json" }));
  make("a", { href: address, download: "model.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
  byId("save-said").textContent = 'Saved as model.json. nln.load_model("model.json") reads it.';
}

// Not every page opened from disk may use the clipboard; if not, the text is shown to be copied by hand.
async function copyText(text) {
  const said = byId("save-said");
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = "Copied. LogicProgram.parse(text, schema=...) reads it.";
  } catch {
    byId("copied")?.remove();
    const area = make("textarea", { id: "copied", rows: 8, readonly: true, "aria-label": "The rules as text" });
    area.value = text;
    byId("save").append(area);
    area.select();
    said.textContent = "Copy the text below. LogicProgram.parse(text, schema=...) reads it.";
  }
}
