// Text: numbers for people, conditions in the rule language, and elements to put them in.

const LARGEST = Number.MAX_VALUE;

// A number in at most four digits.
function short(x) {
  if (Math.abs(x) >= LARGEST) return x < 0 ? "−∞" : "∞";
  const text = Math.abs(x) >= 1e6 || (x && Math.abs(x) < 1e-4) ? x.toExponential(2) : String(Number(x.toPrecision(4)));
  return text.replace("-", "−");
}

function counted(n) {
  return n.toLocaleString("en");
}

function countedRows(n) {
  return `${counted(n)} ${n === 1 ? "row" : "rows"}`;
}

// Whole percents, with more digits only where a share would wrongly read 0 or 100: as nln/rules/language/words.py.
function percent(share) {
  for (let digits = 0; ; digits += 1) {
    const shown = Math.floor(100 * share * 10 ** digits + 0.5) / 10 ** digits;
    if (digits === 15 || ((shown <= 0) === (share <= 0) && (shown >= 100) === (share >= 1))) return `${shown.toFixed(digits)} %`;
  }
}

// Two digits, or more where two would show a probability as 0, as 1 or across the threshold.
function probabilityText(p, threshold = 0) {
  for (let digits = 2; digits < 17; digits += 1) {
    const shown = Number(p.toPrecision(digits));
    if ([0, 1, threshold].every((side) => shown < side === p < side && shown > side === p > side)) return String(shown);
  }
  return String(p);
}

// Shares are shown in percent, other scores with three digits.
function isShare(score) {
  return !["log_loss", "brier", "auc"].includes(score);
}

function scoreText(name, value) {
  if (value === null || Number.isNaN(value)) return "not defined";
  return isShare(name) ? `${(100 * value).toFixed(1)} %` : value.toFixed(3);
}

// Numbers have an axis; other features have values.
function isNumeric(feature) {
  return feature.low !== undefined;
}

// A number as Python writes it: with an exponent from 1e16 on and below 0.0001.
function numberText(x) {
  if (!x || (Math.abs(x) < 1e16 && Math.abs(x) >= 1e-4)) return String(x);
  return x.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}

// A condition as nln/rules/language/text.py writes it.
function conditionText(condition) {
  const feature = features[condition.feature];
  const name = feature.spelled;
  // What is counted or compared by `is` cannot be edited in the page, unless it has a name.
  if (feature.calculated && !feature.named && feature.kind !== "continuous") return condition.text;
  const pieces = condition.intervals || feature.kind === "ordinal" ? rangeTexts(condition, feature) : valueTexts(condition, feature);
  const chance = condition.missing === 1 ? "" : ` (${numberText(condition.missing)})`;
  if (!pieces.length) return `${name} missing${chance}`;
  return pieces.join(" or ") + (condition.missing ? ` or missing${chance}` : "");
}

function valueTexts(condition, feature) {
  if (condition.chance !== undefined) return [`${feature.spelled} = ${condition.chance}`];
  const values = condition.values.map((code) => feature.codes[code]);
  if (!values.length) return condition.negated ? [`${feature.spelled} not missing`] : [];
  if (values.length === 1) return [`${feature.spelled} ${condition.negated ? "!=" : "="} ${values[0]}`];
  return [`${feature.spelled} ${condition.negated ? "not in" : "in"} {${values.join(", ")}}`];
}

function rangeTexts(condition, feature) {
  const name = feature.spelled;
  if (!condition.intervals) return rankRuns(condition, feature).map(([low, high]) => rangeText(name, feature.codes[low] ?? null, feature.codes[high] ?? null));
  const { intervals } = condition;
  if (feature.rows) return intervals.map((interval) => countText(feature, interval, intervals.length === 1));
  if (feature.whole && isHole(intervals)) return [`${name} != ${numberText(intervals[0][2])}`];
  const written = (some) => some.map((interval) => intervalText(feature, interval));
  const [first, last] = [intervals[0], intervals[intervals.length - 1]];
  // An arc over 0 is kept as two intervals and reads as one.
  const arc = condition.period && intervals.length > 1 && first[0] === null && last[2] === null && first[2] !== null && first[2] < last[0];
  return arc ? [...written(intervals.slice(1, -1)), intervalText(feature, [last[0], 0, first[2], 0])] : written(intervals);
}

// How many rows of a child table count: `some visits (...)`, as nln/rules/language/calculations.py writes it.
function countText({ rows, every }, [low, , high], isOnly) {
  const [first, last] = [Math.max(Math.ceil(low ?? 0), 0), high === null ? null : Math.ceil(high) - 1];
  if (last === null) return `${first === 1 ? "some" : `at least ${first}`} ${rows}`;
  if (last === 0 && isOnly && every) return every;
  if (first === last) return `${first ? `exactly ${first}` : "no"} ${rows}`;
  return `${first ? `${first} to ${last}` : `at most ${last}`} ${rows}`;
}

function intervalText(feature, [low, lowWidth, high, highWidth]) {
  if (feature.whole && isWhole([low, lowWidth, high, highWidth])) return wholeText(feature.spelled, low, high === null ? null : high - 1);
  const end = (place, width) => (place === null ? null : `${numberText(place)}${width ? ` ± ${numberText(width)}` : ""}`);
  const [least, isAbove] = feature.kind === "continuous" ? shownEnd(low, lowWidth) : [low, false];
  const [most, isLast] = feature.kind === "continuous" ? shownEnd(high, highWidth) : [high, false];
  return rangeText(feature.spelled, end(least, lowWidth), end(most, highWidth), isAbove, isLast);
}

// The number to write for a boundary, and whether it lies just below the boundary, as in `x > 3` and `x <= 3`.
function shownEnd(place, width) {
  if (place === null || width) return [place, false];
  const below = numberBefore(place);
  const digits = (number) => numberText(number).replace("-", "").length;
  return digits(below) + 4 > digits(place) ? [place, false] : [below, true];
}

function numberBefore(x) {
  if (x === 0) return -Number.MIN_VALUE;
  const bits = new BigInt64Array(new Float64Array([x]).buffer);
  bits[0] += x > 0 ? -1n : 1n;
  return new Float64Array(bits.buffer)[0];
}

// Whether the boundaries are crisp whole numbers.
function isWhole([low, lowWidth, high, highWidth]) {
  return !lowWidth && !highWidth && [low, high].every((place) => place === null || Number.isSafeInteger(place));
}

// Whether the intervals leave out one whole number and nothing else.
function isHole(intervals) {
  if (intervals.length !== 2 || !intervals.every(isWhole)) return false;
  const [[low, , below], [above, , high]] = intervals;
  return low === null && high === null && above === below + 1;
}

// An interval of whole numbers, by the first and the last number inside.
function wholeText(name, first, last) {
  if (first === null) return last === null ? `${name} not missing` : `${name} <= ${numberText(last)}`;
  if (last === null) return `${name} >= ${numberText(first)}`;
  return first === last ? `${name} = ${numberText(first)}` : `${name} in ${numberText(first)} to ${numberText(last)}`;
}

// Runs of the values of an ordinal feature that satisfy a condition, as ranks [first, first after]; null is an open end.
function rankRuns(condition, feature) {
  const inside = feature.codes.map((_, code) => condition.values.includes(code));
  const runs = [];
  for (let low = 0, high = 0; low < inside.length; low = high) {
    for (high = low + 1; high < inside.length && inside[high] === inside[low]; ) high += 1;
    if (inside[low]) runs.push([low || null, high < inside.length ? high : null]);
  }
  return runs;
}

function rangeText(name, low, high, isAbove = false, isLast = false) {
  const upper = isLast ? "<=" : "<";
  if (low === null) return high === null ? `${name} not missing` : `${name} ${upper} ${high}`;
  return high === null ? `${name} ${isAbove ? ">" : ">="} ${low}` : `${low} ${isAbove ? "<" : "<="} ${name} ${upper} ${high}`;
}

// A rule in the rule language, on several lines or on one; LogicProgram.parse reads it.
function ruleText(rule, [start, and, then] = ["IF   ", "\n AND ", "\nTHEN "], gap = "    ") {
  const conditions = rule.conditions.map((condition) => condition.text).join(and) || "always";
  return `${start}${conditions}${then}${rule.conclusion}${gap}(weight ${numberText(rule.weight)})`;
}

function ruleLine(rule) {
  return ruleText(rule, ["IF ", " AND ", " THEN "], " ");
}

function programText() {
  const texts = rulesOn().map((rule) => ruleText(rule));
  return [...texts, state.program.closing].join("\n\n") + "\n";
}

// What a case or a row holds, as text.
function cellText(cell, feature) {
  if (cell === null) return "missing";
  if (isNumeric(feature)) return short(cell);
  return cell < 0 ? "a value not listed" : feature.values[cell];
}

// An element with attributes and children; text is never read as HTML. Names that begin with `on` are listeners.
function make(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}
