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

function percent(share) {
  return `${(100 * share).toFixed(1)} %`;
}

// Two digits, or more where two would show a number between 0 and 1 as 0 or 1.
function probabilityText(p) {
  for (let digits = 2; digits < 17; digits += 1) {
    const shown = Number(p.toPrecision(digits));
    if ((shown === 0) === (p === 0) && (shown === 1) === (p === 1)) return String(shown);
  }
  return String(p);
}

// Shares are shown in percent, other scores with three digits.
function isShare(score) {
  return !["log_loss", "brier", "auc"].includes(score);
}

function scoreText(name, value) {
  if (value === null || Number.isNaN(value)) return "not defined";
  return isShare(name) ? percent(value) : value.toFixed(3);
}

// Numbers have an axis; other features have values.
function isNumeric(feature) {
  return feature.low !== undefined;
}

// A condition as nln/rules/language/text.py writes it.
function conditionText(condition) {
  const feature = features[condition.feature];
  const name = feature.spelled;
  const pieces = condition.intervals || feature.kind === "ordinal" ? rangeTexts(condition, feature) : valueTexts(condition, feature);
  const chance = condition.missing === 1 ? "" : ` (${condition.missing})`;
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
  if (condition.intervals) {
    const end = (place, width) => (place === null ? null : `${place}${width ? ` ± ${width}` : ""}`);
    return condition.intervals.map(([a, b, c, d]) => rangeText(feature.spelled, end(a, b), end(c, d)));
  }
  const inside = feature.codes.map((_, code) => condition.values.includes(code));
  const texts = [];
  for (let low = 0, high = 0; low < inside.length; low = high) {
    for (high = low + 1; high < inside.length && inside[high] === inside[low]; ) high += 1;
    if (inside[low]) texts.push(rangeText(feature.spelled, low ? feature.codes[low] : null, feature.codes[high] ?? null));
  }
  return texts;
}

function rangeText(name, low, high) {
  if (low === null) return high === null ? `${name} not missing` : `${name} < ${high}`;
  return high === null ? `${name} >= ${low}` : `${low} <= ${name} < ${high}`;
}

// A rule in the rule language; LogicProgram.parse reads it.
function ruleText(rule) {
  const conditions = rule.conditions.map((condition) => condition.text).join("\n AND ") || "always";
  return `IF   ${conditions}\nTHEN ${rule.conclusion}    (weight ${rule.weight})`;
}

function programText() {
  const texts = rulesOn().map(ruleText);
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
