// The rules as cards: read, searched, sorted, switched off, edited.

const cards = []; // per rule { element, update }
const GRID = 8; // height of a row of the grid of cards, as in the style sheet
const GAP = 16;

function makeCard(number) {
  const rule = state.program.rules[number];
  const texts = rule.conditions.map((condition) => make("p", { class: "condition" }, condition.text));
  const drawings = rule.conditions.map(() => make("div", { class: "drawing" }));
  const [headline, covers, weight] = [make("p", { class: "headline" }), make("div", { class: "covers" }), make("p", { class: "note weight" })];
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
      headline, covers, weight),
    makeEditor(number));
  const update = () => {
    element.classList.toggle("off", rule.off);
    edited.textContent = rule.off ? "off" : isEdited(number) ? "edited" : "";
    const rare = rule.starts && !isEdited(number) ? `in ${rule.starts[0]} of ${rule.starts[1]} starts; ` : "";
    weight.replaceChildren(rare, make("span", { "data-value": rule.weight }, `weight ${numberText(rule.weight)}`));
    rule.conditions.forEach((condition, i) => {
      texts[i].textContent = condition.text;
      drawings[i].replaceChildren(drawCondition(condition, rule.output));
    });
    showCoverage(number, headline, covers);
  };
  update();
  return { element, update };
}

// The controls are made when the editor is first opened, since a hundred rules have many.
function makeEditor(number) {
  const rule = state.program.rules[number];
  const editor = make("details", { class: "edit", ontoggle: () => {
    if (!editor.open || editor.children.length > 1) return;
    rule.conditions.forEach((condition, i) => {
      const { calculated, named, kind } = features[condition.feature];
      if (calculated && !named && kind !== "continuous") return; // counts and `is` have no boundaries to move
      editor.append(editCondition(condition, () => {
        const was = originalRule(number).conditions[i];
        condition.text = sameCondition(was, condition) ? was.text : conditionText(condition);
        changed(number);
      }));
    });
    editor.append(numberField("Weight of the rule", rule.weight, { min: 0, max: 1, step: 0.001 }, (p) => {
      rule.weight = p;
      changed(number);
    }));
  } }, make("summary", {}, "Edit", make("span", { class: "hidden" }, ` rule ${number + 1}`)));
  return editor;
}

// What a rule covers: in the whole table as long as its conditions are unchanged, else in the rows of the page.
function coverage(number) {
  const rule = state.program.rules[number];
  const was = originalRule(number).conditions;
  if (rule.covers && rule.conditions.every((condition, i) => sameCondition(was[i], condition))) return { counts: rule.covers, where: "" };
  if (!rows) return null;
  const label = target.outputs[rule.output];
  const holds = data.rows.truth.map((truth) => (target.kind === "multilabel" ? truth[label] === 1 : truth === label));
  const counts = [0, 0, 0, rows.length];
  state.held[number].forEach((membership, r) => {
    counts[0] += membership >= 0.5 && holds[r];
    counts[1] += holds[r];
    counts[2] += membership >= 0.5;
  });
  return { counts, where: rows.length < data.table.rows ? " of this page" : "" };
}

// Rows and precision first, then the same and the recall as bars; the mark in the bar of the precision is the share in all rows.
function showCoverage(number, headline, covers) {
  const found = coverage(number);
  covers.replaceChildren();
  if (!found) {
    headline.textContent = "rows not known";
    covers.append(make("p", { class: "note" }, "This file holds no rows, so the coverage of an edited rule is not known."));
    return;
  }
  const [hits, ofHits, covered, ofRows] = found.counts;
  const what = target.counted[target.outputs[state.program.rules[number].output]];
  headline.textContent = covered ? `${countedRows(covered)}, ${percent(hits / covered)} ${what ?? "correct"}` : countedRows(0);
  const line = (title, part, all, base, text) => {
    const bar = make("span", { class: "bar", "aria-hidden": "true" }, make("span", { class: "filled" }));
    bar.firstChild.style.width = `${(100 * part) / Math.max(all, 1)}%`;
    if (base !== null) bar.append(lineAt(base));
    return make("div", { class: "measure" }, make("span", { class: "name" }, title), bar,
      make("span", { class: "value" }, all ? percent(part / all) : "–"), make("span", { class: "note long" }, text));
  };
  covers.append(
    line("Precision", hits, covered, ofHits / ofRows, `${counted(hits)} of ${countedRows(covered)}; in all rows ${percent(ofHits / ofRows)}`),
    line("Recall", hits, ofHits, null, `${counted(hits)} of ${counted(ofHits)}${what === null ? "" : ` ${what}`} in ${countedRows(ofRows)}${found.where}`));
}

const SORT_KEYS = {
  place: (number) => number,
  precision: (number) => -precision(coverage(number)?.counts),
  coverage: (number) => -(coverage(number)?.counts[2] ?? 0),
  size: (number) => state.program.rules[number].conditions.length,
  weight: (number) => -state.program.rules[number].weight,
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
  byId("rule-count").textContent = `${shown} of ${cards.length} ${cards.length === 1 ? "rule" : "rules"} shown`;
  if (!cards.length) byId("rule-cards").append(make("li", { class: "card" }, "This program has no rules: every case gets the same decision."));
  placeCards();
}

// Cards stand in columns of their own, so that a card that grows moves only those below it and leaves no hole beside it.
function placeCards() {
  const list = byId("rule-cards");
  const columns = getComputedStyle(list).gridTemplateColumns.split(" ").length;
  const shown = [...list.children].filter((element) => !element.hidden);
  const heights = shown.map((element) => element.offsetHeight);
  shown.forEach((element, i) => {
    element.style.gridColumn = (i % columns) + 1;
    element.style.gridRowEnd = `span ${Math.ceil((heights[i] + GAP) / GRID)}`;
  });
}

function startCards() {
  for (const id of ["rule-search", "rule-sort", "rule-output"]) byId(id)?.addEventListener("input", arrangeCards);
  const sizes = new ResizeObserver(placeCards);
  sizes.observe(byId("rule-cards"));
  onChange((number) => {
    if (number !== undefined) {
      cards[number].update();
      return;
    }
    for (const { element } of cards) sizes.unobserve(element);
    cards.length = 0;
    state.program.rules.forEach((_, i) => cards.push(makeCard(i)));
    for (const { element } of cards) sizes.observe(element);
    byId("closing").textContent = state.program.closing;
    arrangeCards();
  });
}
