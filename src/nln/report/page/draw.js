// Small drawings: where a condition holds on the feature's axis, over the distribution of the table.

const WIDTH = 320;

function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

// The boundaries of a condition, each with its width; what asks for a probability, or for missing values, has none.
function endsOf(condition) {
  return (condition.intervals ?? []).flatMap(([a, b, c, d]) => [[a, b], [c, d]]).filter(([place]) => place !== null);
}

// Where the boundaries are drawn, and the numbers to write there. Between whole numbers a crisp boundary is drawn halfway,
// with the number inside: the first one for a lower end, the last one for an upper end.
function marksOf(condition) {
  const { whole } = features[condition.feature];
  return (condition.intervals ?? []).flatMap(([a, b, c, d]) => [[a, b, 0], [c, d, 1]])
    .filter(([place]) => place !== null)
    .map(([place, width, back]) => (whole && !width && Number.isInteger(place) ? { at: place - 0.5, says: place - back } : { at: place, says: place }));
}

// The part of a feature's axis to show: that of the table, and every boundary of these conditions.
function axisOf(feature, conditions) {
  const places = conditions.flatMap(marksOf).map(({ at }) => at).filter((place) => Math.abs(place) < 1e300);
  const low = Math.min(feature.low, ...places);
  const high = Math.max(feature.high, ...places);
  const margin = (high - low) * 0.04;
  const [from, to] = [low - (low < feature.low ? margin : 0), high + (high > feature.high ? margin : 0)];
  return { low: from, high: to, whole: feature.whole, x: (value) => ((value - from) / (to - from)) * WIDTH };
}

function bars(feature, axis, output, height) {
  const most = Math.max(...feature.counts, 1);
  const step = (feature.high - feature.low) / feature.counts.length;
  const group = svg("g");
  const add = (counts, kind) =>
    counts.forEach((count, i) => {
      if (!count) return;
      const x = axis.x(feature.low + i * step);
      const tall = Math.max((count / most) * height, 1);
      const width = Math.max(axis.x(feature.low + (i + 1) * step) - x - 1, 0.5);
      group.append(svg("rect", { class: kind, x: x + 0.5, y: height - tall, width, height: tall }));
    });
  add(feature.counts, "all");
  if (output !== null) add(feature.by_output[output], "own");
  return group;
}

// The curve of a condition's membership: the area below it, and the line.
function membershipArea(condition, axis, top, height) {
  const steps = [-2, -1.5, -1, -0.75, -0.5, -0.25, 0, 0.25, 0.5, 0.75, 1, 1.5, 2];
  const tiny = (axis.high - axis.low) * 1e-6;
  const crisp = endsOf(condition).every(([, width]) => !width);
  const places = crisp ? marksOf(condition).flatMap(({ at }) => [at - tiny, at])
    : endsOf(condition).flatMap(([place, width]) => (width ? steps.map((times) => place + times * width) : [place - tiny, place]));
  const xs = [axis.low, ...places.filter((x) => x > axis.low && x < axis.high).sort((a, b) => a - b), axis.high];
  const row = [];
  const points = xs.map((x) => {
    row[condition.feature] = axis.whole && crisp ? Math.round(x) : x;
    return `${axis.x(x).toFixed(2)},${(top + height * (1 - state.model.membership(condition, row))).toFixed(2)}`;
  });
  const bottom = top + height;
  const area = svg("polygon", { class: "area", points: `0,${bottom} ${points.join(" ")} ${WIDTH},${bottom}` });
  return [area, svg("polyline", { class: "curve", points: points.join(" ") })];
}

// Labels of the ends and of the boundaries, as far as they do not touch.
function ticks(condition, axis, y) {
  const group = svg("g");
  const taken = [];
  const add = (value, says, kind) => {
    const x = axis.x(value);
    const text = short(says);
    const half = text.length * 3.4 + 4;
    const middle = Math.min(Math.max(x, half - 3), WIDTH - half + 3);
    if (kind === "boundary") group.append(svg("line", { class: "mark", x1: x, x2: x, y1: y - 16, y2: y - 10 }));
    if (taken.some(([place, wide]) => Math.abs(place - middle) < wide + half)) return;
    taken.push([middle, half]);
    group.append(svg("text", { class: kind, x: middle, y, "text-anchor": "middle" }, text));
  };
  for (const { at, says } of condition ? marksOf(condition) : []) add(at, says, "boundary");
  add(axis.low, axis.whole ? Math.ceil(axis.low) : axis.low, "end");
  add(axis.high, axis.whole ? Math.floor(axis.high) : axis.high, "end");
  return group;
}

function drawNumbers(condition, feature, output) {
  const axis = axisOf(feature, [condition]);
  const [area, curve] = membershipArea(condition, axis, 2, 46);
  return svg("svg", { class: "axis", viewBox: `0 0 ${WIDTH} 66`, "aria-hidden": "true" },
    area,
    bars(feature, axis, output, 48),
    curve,
    svg("line", { class: "base", x1: 0, x2: WIDTH, y1: 48.5, y2: 48.5 }),
    ticks(condition, axis, 63));
}

// A line with the intervals of one condition, below others on the same axis.
function drawTrack(condition, axis) {
  return svg("svg", { class: "axis lane", viewBox: `0 0 ${WIDTH} 16`, "aria-hidden": "true" },
    svg("line", { class: "base", x1: 0, x2: WIDTH, y1: 15.5, y2: 15.5 }), ...membershipArea(condition, axis, 1, 14));
}

function drawDistribution(feature, axis) {
  return svg("svg", { class: "axis", viewBox: `0 0 ${WIDTH} 62`, "aria-hidden": "true" },
    bars(feature, axis, null, 44),
    svg("line", { class: "base", x1: 0, x2: WIDTH, y1: 44.5, y2: 44.5 }),
    ticks(null, axis, 59));
}

// A line across a bar, at a share of its length.
function lineAt(share, attributes = {}) {
  const line = make("span", { class: "line", ...attributes });
  line.style.left = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  return line;
}

const MOST_CHIPS = 12;

// The values of a feature side by side, each as wide as its share; the marked ones satisfy the condition. Values whose
// name has no room in its piece are named below.
function drawValues(feature, accepted) {
  const total = feature.counts.reduce((sum, count) => sum + count, 0) + feature.missing || 1;
  const strip = make("div", { class: "strip" });
  const narrow = [];
  const add = (name, count, degree) => {
    const kind = degree >= 0.5 ? "in" : "out";
    const piece = make("span", { class: kind, title: `${name}: ${countedRows(count)}` });
    piece.style.flexGrow = count / total;
    if (count / total > 0.06 && (name.length * 6.6) / 300 < count / total) piece.append(name);
    else narrow.push(make("span", { class: kind }, name));
    strip.append(piece);
  };
  feature.counts.forEach((count, code) => {
    if (count) add(feature.values[code], count, accepted(code));
  });
  if (feature.missing) add("missing", feature.missing, accepted(null));
  const more = narrow.length > MOST_CHIPS ? [make("span", {}, `and ${narrow.length - MOST_CHIPS} more`)] : [];
  const chips = narrow.length ? make("div", { class: "chips" }, ...narrow.slice(0, MOST_CHIPS), ...more) : null;
  return make("div", { "aria-hidden": "true" }, strip, chips);
}

function drawCondition(condition, output) {
  const feature = features[condition.feature];
  if (isNumeric(feature)) return drawNumbers(condition, feature, output);
  const row = [];
  return drawValues(feature, (cell) => {
    row[condition.feature] = cell;
    return state.model.membership(condition, row);
  });
}
