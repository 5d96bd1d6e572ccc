// What the page knows: the summary it was written with, the program as it stands, and what its rules do on the rows.

const data = JSON.parse(document.getElementById("report-data").textContent);
const { features, target } = data;

// Rows as lists with a number per feature; see nln/report/pagedata.py.
const rows = data.rows && data.rows.positions.map((_, i) => data.rows.columns.map((column) => column[i]));

const state = {
  place: data.chosen, // which of data.programs
  program: null, // a copy of it, with the changes made; a rule may be `off`
  model: null, // its evaluator
  held: [], // per rule the memberships of all rows
  times: [], // per rule when it was changed last
};

const listeners = [];

// Calls a function after each change, with the number of the rule that changed, or without if all may have changed.
function onChange(listener) {
  listeners.push(listener);
}

function takeProgram(place) {
  state.place = place;
  state.program = structuredClone(data.programs[place]);
  for (const rule of state.program.rules) rule.off = false;
  state.times = [];
  changed();
}

function changed(number) {
  const { program } = state;
  if (number !== undefined) state.times[number] = `${new Date().toISOString().slice(0, 19)}Z`;
  // A rule that is off has the weight 0, which changes no product.
  const rules = program.rules.map((rule) => (rule.off ? { ...rule, weight: 0 } : rule));
  state.model = evaluator({ ...program, rules });
  if (rows) {
    const hold = (rule) => Float64Array.from(rows, (row) => ruleMembership(rule, row));
    if (number === undefined) state.held = program.rules.map(hold);
    else state.held[number] = hold(program.rules[number]);
  }
  for (const listener of listeners) listener(number);
}

function ruleMembership(rule, row) {
  return rule.conditions.reduce((product, condition) => product * state.model.membership(condition, row), 1);
}

function rulesOn() {
  return state.program.rules.filter((rule) => !rule.off);
}

// The features that some of these rules ask about, in the order of the table.
function featuresAsked(rules) {
  return [...new Set(rules.flatMap((rule) => rule.conditions.map((condition) => condition.feature)))].sort((a, b) => a - b);
}

// The features that a case needs for these rules: in the place of calculated ones, those they are calculated from.
function inputsAsked(rules) {
  const found = new Set();
  const add = (j) => {
    const step = state.program.calculations.find(({ name }) => name === j);
    if (step) partsOf(step).forEach(add);
    else found.add(j);
  };
  featuresAsked(rules).forEach(add);
  return [...found].sort((a, b) => a - b);
}

// The features that a calculation is made of.
function partsOf(step) {
  if (step.members) return step.members.map((member) => member.feature);
  return step.same ?? [step.above, ...step.below].flatMap(([, terms]) => terms.flatMap(([, names]) => names));
}

// The calculations that rules ask about, and those that these are made of.
function calculationsAsked(rules) {
  const steps = featuresAsked(rules).flatMap((j) => state.program.calculations.filter(({ name }) => name === j));
  return [...steps, ...steps.flatMap((step) => state.program.calculations.filter(({ name }) => partsOf(step).includes(name)))];
}

function originalRule(number) {
  return data.programs[state.place].rules[number];
}

function isEdited(number) {
  const { off, ...rule } = state.program.rules[number];
  return JSON.stringify(rule) !== JSON.stringify(originalRule(number));
}

// Whether two conditions ask the same, whatever their texts.
function sameCondition({ text: one, ...a }, { text: other, ...b }) {
  return JSON.stringify(a) === JSON.stringify(b);
}

// The rows of the page that are decided wrongly, by their place, given the probabilities of all.
function wrongRows(P) {
  return [...rows.keys()].filter((r) => JSON.stringify(state.model.decide(P[r])) !== JSON.stringify(data.rows.truth[r]));
}

// Probability of each output, for each row of the page.
function rowOutputs() {
  const held = new Array(state.held.length);
  return rows.map((_, r) => {
    for (let i = 0; i < held.length; i += 1) held[i] = state.held[i][r];
    return state.model.combine(held);
  });
}
