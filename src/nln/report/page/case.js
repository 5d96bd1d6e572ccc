// One case: typed in or picked, decided, explained, with the smallest change that turns its decision.

const MOST_RULES = 6; // rules shown before "all rules"
const current = { row: null, position: "" };

function startCase() {
  current.row = features.map((feature) => feature.typical);
  const fields = new Map(); // those made so far, by feature
  const field = (j) => {
    if (!fields.has(j)) {
      fields.set(j, caseField(j));
      fields.get(j).show();
    }
    return fields.get(j).element;
  };
  const others = byId("case-others");
  const showOthers = () => {
    if (others.open) others.querySelector(".fields").replaceChildren(...unasked().map(field));
  };
  others.addEventListener("toggle", showOthers);
  byId("case-form").addEventListener("submit", (event) => event.preventDefault());
  current.take = (row, position) => {
    current.row = [...row];
    current.position = position;
    for (const { show } of fields.values()) show();
    if (byId("case-pick")) byId("case-pick").value = position;
    showCase();
  };
  if (rows) startPick();
  onChange((number) => {
    if (number === undefined) {
      const asked = inputsAsked(state.program.rules);
      byId("case-fields").replaceChildren(...asked.map(field));
      if (!asked.length) byId("case-fields").append(make("p", { class: "note" }, "No rule asks about any feature, so all cases get the same decision."));
      const rest = unasked().length;
      others.hidden = !rest;
      others.firstElementChild.textContent = rest === 1 ? "1 other input" : `${rest} other inputs`;
      showOthers();
    }
    if (rows && (number === undefined || byId("case-errors").checked)) listPicks();
    showCase();
  });
}

// The features that no rule of the program asks about.
function unasked() {
  const asked = new Set(inputsAsked(state.program.rules));
  return [...features.keys()].filter((j) => !asked.has(j) && !features[j].calculated);
}

function startPick() {
  byId("case-pick").addEventListener("input", (event) => {
    if (event.target.value !== "") current.take(rows[Number(event.target.value)], event.target.value);
  });
  byId("case-errors").addEventListener("input", listPicks);
}

function listPicks() {
  const options = byId("case-errors").checked ? wrongRows(rowOutputs()) : [...rows.keys()];
  const pick = byId("case-pick");
  pick.replaceChildren(make("option", { value: "" }, "typed in"), ...options.map((r) => make("option", { value: r }, `Row ${data.rows.positions[r]}: ${decisionText(data.rows.truth[r])}`)));
  pick.value = options.includes(Number(current.position)) && current.position !== "" ? current.position : "";
}

function caseField(j) {
  const feature = features[j];
  const set = (cell) => {
    current.row[j] = cell;
    current.position = "";
    if (byId("case-pick")) byId("case-pick").value = "";
    showCase();
  };
  if (isNumeric(feature)) {
    const field = make("input", { type: "number", step: feature.whole ? 1 : "any", placeholder: "missing", "data-feature": j, oninput: () => {
      const problem = field.validity.badInput ? `${feature.name} takes a number; leave it empty if it is missing.` : "";
      byId("case-problem").textContent = problem;
      field.setAttribute("aria-invalid", String(Boolean(problem)));
      if (!problem) set(field.value === "" ? null : field.valueAsNumber);
    } });
    const show = () => {
      field.value = current.row[j] === null ? "" : String(current.row[j]);
    };
    return { element: make("label", { class: "field" }, make("span", { class: "long" }, feature.name), field), show };
  }
  const select = make("select", { "data-feature": j, oninput: () => set(select.value === "" ? null : Number(select.value)) },
    ...feature.values.map((name, code) => make("option", { value: code }, name)),
    make("option", { value: "" }, "(missing)"), make("option", { value: -2 }, "(a value not listed)"));
  const show = () => {
    select.value = current.row[j] === null ? "" : String(current.row[j]);
  };
  return { element: make("label", { class: "field" }, make("span", { class: "long" }, feature.name), select), show };
}

function decisionText(decision) {
  if (target.kind !== "multilabel") return target.labels[decision];
  return target.labels.filter((_, k) => decision[k]).join(", ") || "no label";
}

// The probability from which each label is decided in this case. Of several classes the one with the highest ratio of
// probability to threshold is decided, so a class must reach the best of the others.
function caseThresholds(P) {
  const { thresholds } = state.program;
  if (target.kind === "binary") return [1 - thresholds[0], thresholds[0]];
  if (target.kind === "multilabel") return thresholds;
  const weighed = P.map((p, k) => p / (thresholds[k] ?? 1));
  return P.map((_, k) => (thresholds[k] ?? 1) * Math.max(...weighed.filter((_, other) => other !== k)));
}

function thresholdText(P) {
  const { thresholds } = state.program;
  if (target.kind === "binary") {
    const side = P[1] >= thresholds[0] ? "reaches" : "is below";
    return `${target.conclusions[1]} is decided from ${numberText(thresholds[0])}, which was chosen when learning: ${probabilityText(P[1], thresholds[0])} ${side} it.`;
  }
  if (target.kind === "multilabel") return "A label is decided if its bar reaches the line, its threshold.";
  if (!thresholds.length) return "The most probable class is decided: the line is the best of the others.";
  return "The class that reaches its line is decided: the best of the others, weighed by the thresholds, which were chosen when learning.";
}

function showCase() {
  const { position } = current;
  const row = state.model.calculate(current.row);
  const P = state.model.predictProba(row);
  const decision = state.model.predict(row);
  const parts = [
    make("p", { class: "kicker" }, "Decided"),
    make("p", { class: "decision", "data-decision": JSON.stringify(decision) }, decisionText(decision)),
  ];
  if (position !== "") {
    const truth = data.rows.truth[position];
    const right = JSON.stringify(truth) === JSON.stringify(decision);
    parts.push(make("p", { class: right ? "verdict right" : "verdict wrong" }, right ? "Right: the table says the same." : `Wrong: the table says ${decisionText(truth)}.`));
  }
  const lines = caseThresholds(P);
  const bars = P.map((p, k) => {
    const filled = make("span", { class: "filled" });
    filled.style.width = `${100 * p}%`;
    return make("li", {}, make("span", { class: "name" }, target.labels[k]), make("span", { class: "track", "aria-hidden": "true" }, filled, lineAt(lines[k], { "data-threshold": lines[k] })),
      make("span", { class: "value", "data-label": k, "data-value": p }, probabilityText(p, lines[k])));
  });
  parts.push(make("ul", { class: "shares" }, ...bars), make("p", { class: "note", id: "case-threshold" }, thresholdText(P)), ...explainRules(row), ...explainChange(row));
  byId("case-result").replaceChildren(...parts);
}

// The rules that fire, by their share in the probability, then those that do not, by how close they came.
function explainRules(row) {
  const checks = state.program.rules.map((rule, number) => {
    const held = rule.conditions.map((condition) => state.model.membership(condition, row));
    const membership = held.reduce((product, h) => product * h, 1);
    return { rule, number, held, membership, failed: held.filter((h) => h < 0.5).length };
  }).filter(({ rule }) => !rule.off);
  const weight = ({ rule, membership }) => -Math.log1p(-rule.weight * membership);
  const fired = checks.filter((check) => check.membership >= 0.5).sort((a, b) => weight(b) - weight(a) || a.number - b.number);
  const missed = checks.filter((check) => check.membership < 0.5).sort((a, b) => a.failed - b.failed || b.membership - a.membership || a.number - b.number);
  const list = (items) => make("ul", { class: "checks" }, ...items.map((check) => checkItem(check, row)));
  const parts = [make("h3", {}, fired.length ? "Rules that fire" : "No rule fires")];
  if (fired.length) parts.push(list(fired));
  if (missed.length) {
    parts.push(make("h3", {}, "Rules that do not fire, nearest first"), list(missed.slice(0, MOST_RULES)));
    if (missed.length > MOST_RULES) parts.push(make("details", {}, make("summary", {}, `${missed.length - MOST_RULES} more`), list(missed.slice(MOST_RULES))));
  }
  return parts;
}

function checkItem({ rule, number, held, membership }, row) {
  const lines = rule.conditions.map((condition, i) => {
    const holds = held[i] >= 0.5;
    const cell = cellText(row[condition.feature], features[condition.feature]);
    const partly = held[i] >= 0.005 && held[i] <= 0.995 ? `, holds to ${probabilityText(held[i])}` : "";
    return make("li", { class: holds ? "holds" : "fails" }, make("span", { class: "sign" }, holds ? "holds" : "fails"),
      make("span", { class: "condition" }, condition.text), make("span", { class: "note long" }, ` · it is ${cell}${partly}`));
  });
  return make("li", { "data-check": number + 1, "data-membership": membership },
    make("p", {}, make("a", { href: `#rule-${number + 1}` }, `Rule ${number + 1}`), make("span", { class: "long" }, ` ${rule.conclusion}`),
      make("span", { class: "note" }, checkNumbers(number, membership))),
    make("ul", { class: "lines" }, ...lines));
}

// Rows and precision first, then how far the rule holds, and last its weight.
function checkNumbers(number, membership) {
  const rule = state.program.rules[number];
  const counts = coverage(number)?.counts;
  const known = counts?.[2] ? `${countedRows(counts[2])}, ${percent(counts[0] / counts[2])} ${target.counted[target.outputs[rule.output]] ?? "correct"}; ` : "";
  return ` (${known}holds to ${probabilityText(membership)}; weight ${numberText(rule.weight)})`;
}

function explainChange(row) {
  const { changes, complete, size } = smallestChanges(row);
  const heading = make("h3", {}, "Smallest change that turns the decision");
  if (!changes.length) {
    const text = complete ? "No change of the features turns the decision." : `No change of fewer than ${size} features turns the decision; larger changes were not searched.`;
    return [heading, make("p", {}, text)];
  }
  const items = changes.map((change) => {
    const trial = [...row];
    for (const [j, cell] of change) trial[j] = cell;
    const texts = change.map(([j, cell]) => `${features[j].name} from ${cellText(row[j], features[j])} to ${cellText(cell, features[j])}`);
    const apply = make("button", { type: "button", onclick: () => current.take(trial, "") }, "Apply", make("span", { class: "hidden" }, ` ${texts.join(" and ")}`));
    return make("li", { "data-change": JSON.stringify(change) }, make("span", { class: "long" }, `${texts.join(" and ")}: ${decisionText(state.model.predict(trial))} `), apply);
  });
  const fuzzy = state.program.rules.some((rule) => rule.conditions.some((c) => c.intervals?.some(([, b, , d]) => b || d)));
  const note = fuzzy
    ? "All changes of fewer features were tried, at several places around each fuzzy boundary."
    : "All changes of fewer features were tried: none turns the decision.";
  return [heading, make("ul", { class: "changes" }, ...items), size > 1 ? make("p", { class: "note" }, note) : null].filter(Boolean);
}
