// The rules as cards: read, searched, sorted, switched off, edited.

const cards = []; // per rule { element, update }

function makeCard(number) {
  const rule = state.program.rules[number];
  const texts = rule.conditions.map((condition) => make("p", { class: "condition" }, condition.text));
  const drawings = rule.conditions.map(() => make("div", { class: "drawing" }));
  const weight = make("span", { class: "figure" });
  const covers = make("div", { class: "covers" });
  const edited = make("span", { class: "badge" });
  const toggle = make("input", { type: "checkbox", role: "switch", "aria-label": `Rule ${number + 1} is on`, onchange: () => {
    rule.off = !toggle.checked;
    changed(number);
  } });
  toggle.checked = !rule.off;
  const conditions = make("ul", { class: "conditions" });
  texts.forEach((text, i) => conditions.append(make("li", {}, text, drawings[i])));
  if (!texts.length) conditions.append(make("li", {}, make("p", { class: "condition" }, "always")));
  const element = make("li", { class: "card", id: `rule-${number + 1}`, "data-rule": number + 1 },
    make("div", { class: "head" },
      make("h3", {}, `Rule ${number + 1} `, edited),
      make("label", { class: "switch" }, toggle, make("span", { "aria-hidden": "true" }))),
    conditions,
    make("div", { class: "then" },
      make("p", { class: "conclusion" }, make("span", { class: "kicker" }, "Then "), make("span", { class: "long" }, rule.conclusion)),
      make("p", { class: "chance" }, weight, make("span", { class: "note" }, " weight"))),
    covers,
    makeEditor(number));
  const update = () => {
    element.classList.toggle("off", rule.off);
    edited.textContent = rule.off ? "off" : isEdited(number) ? "edited" : "";
    weight.textContent = probabilityText(rule.weight);
    weight.dataset.value = rule.weight;
    rule.conditions.forEach((condition, i) => {
      texts[i].textContent = condition.text;
      drawings[i].replaceChildren(drawCondition(condition, rule.output));
    });
    covers.replaceChildren(...coverageOf(number));
  };
  update();
  return { element, update };
}

// The controls are made when the editor is first opened, since a hundred rules have many.
function makeEditor(number) {
  const rule = state.program.rules[number];
  const editor = make("details", { class: "edit", ontoggle: () => {
    if (!editor.open || editor.children.length > 1) return;
    editor.append(numberField("Weight of the rule", rule.weight, { min: 0, max: 1, step: 0.001 }, (p) => {
      rule.weight = p;
      changed(number);
    }));
    rule.conditions.forEach((condition, i) => {
      editor.append(editCondition(condition, () => {
        const was = originalRule(number).conditions[i];
        const { text, ...same } = was;
        const { text: old, ...now } = condition;
        condition.text = JSON.stringify(same) === JSON.stringify(now) ? text : conditionText(condition);
        changed(number);
      }));
    });
  } }, make("summary", {}, "Edit", make("span", { class: "hidden" }, ` rule ${number + 1}`)));
  return editor;
}

// What a rule covers: in the whole table as long as the rule is unchanged, else in the rows of the page.
function coverage(number) {
  const rule = state.program.rules[number];
  const { off, weight, ...asked } = rule;
  const same = JSON.stringify(asked) === JSON.stringify((({ weight: _, ...rest }) => rest)(originalRule(number)));
  if (same && rule.covers) return { counts: rule.covers, where: "" };
  if (!rows) return null;
  const label = target.outputs[rule.output];
  const holds = data.rows.truth.map((truth) => (target.kind === "multilabel" ? truth[label] === 1 : truth === label));
  const counts = [0, 0, 0, rows.length];
  state.held[number].forEach((membership, r) => {
    counts[0] += membership >= 0.5 && holds[r];
    counts[1] += holds[r];
    counts[2] += membership >= 0.5;
  });
  return { counts, where: rows.length < data.table.rows ? ` in the ${counted(rows.length)} rows of this page` : "" };
}

function coverageOf(number) {
  const found = coverage(number);
  if (!found) return [make("p", { class: "note" }, "This file holds no rows, so the coverage of an edited rule is not known.")];
  const [hits, ofHits, covered, ofRows] = found.counts;
  const label = target.labels[target.outputs[state.program.rules[number].output]];
  const line = (title, part, all, text) => {
    const filled = make("span", { class: "filled" });
    filled.style.width = `${(100 * part) / Math.max(all, 1)}%`;
    return make("div", { class: "measure" }, make("span", { class: "name" }, title), make("span", { class: "bar own", "aria-hidden": "true" }, filled),
      make("span", { class: "value" }, all ? percent(part / all) : "–"), make("span", { class: "note long" }, text));
  };
  return [
    line("Coverage", hits, ofHits, `${counted(hits)} of ${counted(ofHits)} ${label}${found.where}`),
    line("Precision", hits, covered, `${counted(hits)} of ${counted(covered)} rows covered, of ${counted(ofRows)}`),
  ];
}

const SORT_KEYS = {
  place: (number) => number,
  weight: (number) => -state.program.rules[number].weight,
  coverage: (number) => -(coverage(number)?.counts[2] ?? 0),
  precision: (number) => -precision(coverage(number)?.counts),
  size: (number) => state.program.rules[number].conditions.length,
};

function precision(counts) {
  return counts && counts[2] ? counts[0] / counts[2] : 0;
}

function arrangeCards() {
  const words = byId("rule-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const output = byId("rule-output")?.value ?? "";
  const key = SORT_KEYS[byId("rule-sort").value];
  const order = [...cards.keys()].sort((a, b) => key(a) - key(b) || a - b);
  let shown = 0;
  for (const number of order) {
    const rule = state.program.rules[number];
    const text = `rule ${number + 1} ${rule.conditions.map((c) => c.text).join(" ")} ${rule.conclusion}`.toLowerCase();
    const fits = words.every((word) => text.includes(word)) && (output === "" || rule.output === Number(output));
    cards[number].element.hidden = !fits;
    shown += fits;
  }
  byId("rule-cards").replaceChildren(...order.map((number) => cards[number].element));
  const what = cards.length === 1 ? "rule" : "rules";
  byId("rule-count").textContent = cards.length ? `${shown} of ${cards.length} ${what} shown` : "This program has no rules.";
}

function startCards() {
  for (const id of ["rule-search", "rule-sort", "rule-output"]) byId(id)?.addEventListener("input", arrangeCards);
  onChange((number) => {
    if (number !== undefined) {
      cards[number].update();
      return;
    }
    cards.length = 0;
    state.program.rules.forEach((_, i) => cards.push(makeCard(i)));
    byId("closing").textContent = state.program.closing;
    arrangeCards();
  });
}
