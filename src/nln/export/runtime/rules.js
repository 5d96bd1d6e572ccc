
// Membership of each rule's conditions, in the order of `rules`: numbers from 0 to 1.
export function memberships(row) {
  return rules.map((rule) => rule.conditions.reduce((product, condition) => product * membership(condition, row), 1));
}

// Probability of each label, in the order of `labels`. In a row, null, undefined and NaN are missing.
export function predictProba(row) {
  return labelProbabilities(combine(memberships(row)));
}

// The label decided; for several labels a list with 1 for each that holds, else 0.
export function predict(row) {
  return decide(combine(memberships(row)));
}

// Probability of each output from the memberships of all rules.
function combine(held) {
  const absent = biases.map((bias) => 1 - bias);
  held.forEach((membership, i) => {
    absent[rules[i].output] *= 1 - rules[i].weight * membership;
  });
  return absent.map((a) => 1 - a);
}

function labelProbabilities(P) {
  if (kind === "binary") return [1 - P[0], P[0]];
  if (kind === "multilabel") return P;
  const total = P.reduce((sum, p) => sum + p, 0);
  return P.map((p) => (total > 0 ? p / total : 1 / P.length));
}

function decide(P) {
  if (kind === "multiclass") {
    const measured = P.map((p, k) => (thresholds.length ? p / thresholds[k] : p));
    return labels[measured.indexOf(Math.max(...measured))];
  }
  const holds = P.map((p, k) => (p >= thresholds[k] ? 1 : 0));
  return kind === "binary" ? labels[holds[0]] : holds;
}

function membership(condition, row) {
  const value = Object.hasOwn(row, condition.feature) ? row[condition.feature] : undefined;
  if (value === null || value === undefined || Number.isNaN(value)) return condition.missing;
  if (condition.chance !== undefined) return chance(value, condition.chance);
  if (condition.period) {
    const x = onCircle(number(value), condition);
    return x === null ? condition.missing : inIntervals(x, condition.intervals);
  }
  if (condition.intervals) return inIntervals(value, condition.intervals);
  return Number(condition.values.some((listed) => same(value, listed)) !== condition.negated);
}

// Text equals text only; numbers, large integers and truth values (as 0 and 1) equal by their number.
function same(value, listed) {
  if (typeof value === "object" || (typeof value === "string") !== (typeof listed === "string")) return false;
  return value == listed;
}

// The OR of intervals [low, width of low, high, width of high]; a width of 0 is crisp, null is an open end.
function inIntervals(value, intervals) {
  const x = number(value);
  let result = null;
  for (const [low, lowWidth, high, highWidth] of intervals) {
    let inside = 1;
    if (low !== null) inside *= lowWidth ? sigmoid(x, low, lowWidth, -LOG_9) : Number(x >= low);
    if (high !== null) inside *= highWidth ? sigmoid(x, high, highWidth, LOG_9) : Number(x < high);
    result = result === null ? inside : 1 - (1 - result) * (1 - inside);
  }
  return result ?? 0;
}

function number(value) {
  if (!["number", "bigint", "boolean"].includes(typeof value)) throw new TypeError(`A number is needed: ${value}`);
  return Number(value);
}

// The place of a number on a circle; null beyond the limit, where there is no such place.
function onCircle(x, { period, limit }) {
  if (!(Math.abs(x) < limit)) return null;
  return x >= 0 && x < period ? x : x - period * Math.floor(x / period);
}

// From the probability of the value 1 that of the one asked for.
function chance(value, asked) {
  const p = number(value);
  if (!(p >= 0 && p <= 1)) throw new RangeError(`A probability from 0 to 1 is needed: ${value}`);
  return asked === 1 ? p : 1 - p;
}

function sigmoid(x, place, width, slope) {
  return 1 / (1 + Math.exp(((x - place) / width) * slope));
}
