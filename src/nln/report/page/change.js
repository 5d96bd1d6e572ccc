// The smallest change that turns a decision, found as in nln/rules/explain/counterfactuals.py: all changes of one feature,
// then of two, and so on. For each feature, one value is tried from each region that the program tells apart. The columns
// of arithmetic stay as they are.

const FUZZY_CUTS = [-17, -3, -1, 0, 1, 3, 17]; // in widths of a fuzzy boundary
const MOST_CHECKS = 4000000; // conditions checked at most: about a second

// Returns { changes, complete, size }: lists of [feature, new value], whether all changes up to `size` features were tried.
function smallestChanges(row) {
  const same = (decision) => JSON.stringify(decision) === now;
  const now = JSON.stringify(state.model.predict(row));
  const fixed = new Set(calculationsAsked(rulesOn()).filter((step) => step.above).flatMap(partsOf));
  const inputs = inputsAsked(rulesOn());
  // A row of a child table may be in several counts, so these stay as they are.
  const isShared = ({ table }) => table !== undefined && inputs.filter((i) => features[i].table === table).length > 1;
  const free = inputs.filter((j) => !fixed.has(j) && !isShared(features[j]));
  const axes = free.map((j) => ({ j, options: optionsFor(j, row) })).filter((axis) => axis.options.length);
  const conditions = state.program.rules.reduce((sum, rule) => sum + rule.conditions.length, 1);
  let spent = 0;
  for (let size = 1; size <= axes.length; size += 1) {
    spent += countChanges(axes, size);
    if (spent * conditions > MOST_CHECKS) return { changes: [], complete: false, size };
    const found = [];
    const trial = [...row];
    const visit = (start, chosen, steps) => {
      if (chosen.length === size) {
        if (!same(state.model.predict(trial))) found.push({ chosen, steps });
        return;
      }
      for (let a = start; a <= axes.length - (size - chosen.length); a += 1) {
        const { j, options } = axes[a];
        for (const option of options) {
          trial[j] = option.cell;
          visit(a + 1, [...chosen, [j, option.cell]], steps + option.steps);
        }
        trial[j] = row[j];
      }
    };
    visit(0, [], 0);
    if (found.length) return { changes: nearest(found), complete: true, size };
  }
  return { changes: [], complete: true, size: axes.length };
}

// The nearest change of each set of features.
function nearest(found) {
  const sets = new Map();
  for (const change of [...found].sort((a, b) => a.steps - b.steps)) {
    const key = change.chosen.map(([j]) => j).join();
    if (!sets.has(key)) sets.set(key, change.chosen);
  }
  return [...sets.values()].slice(0, 5);
}

function countChanges(axes, size) {
  const sums = [1, ...Array(size).fill(0)];
  for (const { options } of axes) for (let k = size; k > 0; k -= 1) sums[k] += sums[k - 1] * options.length;
  return sums[size];
}

// The values of a feature that some condition tells apart from the row's own, one of each kind, nearest first.
function optionsFor(j, row) {
  const steps = calculationsAsked(rulesOn());
  const conditions = [...rulesOn().flatMap((rule) => rule.conditions), ...steps.flatMap((step) => step.members ?? [])];
  const asked = conditions.filter((c) => c.feature === j);
  const apart = steps.some((step) => step.same?.includes(j)); // `a is b` tells every value from every other
  const trial = [];
  const held = (cell) => {
    trial[j] = cell;
    return asked.map((condition) => state.model.membership(condition, trial)).join() + (apart ? ` ${cell}` : "");
  };
  const kind = features[j].kind;
  const numbers = kind === "periodic" ? circularOptions : numberOptions;
  const cells = kind === "probability" ? [0, 1].map((cell) => ({ cell, steps: 1 }))
    : isNumeric(features[j]) ? numbers(asked, row[j], features[j]) : valueOptions(features[j], row[j]);
  const seen = new Set([held(row[j])]);
  return cells.sort((a, b) => a.steps - b.steps).filter(({ cell }) => {
    const key = held(cell);
    return !seen.has(key) && seen.add(key);
  });
}

function valueOptions(feature, own) {
  const ordered = feature.kind === "ordinal" && own !== null && own >= 0;
  return feature.values.map((_, code) => ({ cell: code, steps: ordered ? Math.abs(code - own) : 1 }));
}

// Where the regions of a feature's axis meet.
function cutsOf(asked) {
  const places = asked.flatMap(endsOf).flatMap(([place, width]) => (width ? FUZZY_CUTS.map((t) => (t ? Number((place + t * width).toPrecision(12)) : place)) : [place]));
  return [...new Set(places.filter(Number.isFinite))].sort((a, b) => a - b);
}

// Those with possible numbers on both sides: whole ones, or within the range of training and up to the row's own number.
function possibleCuts(cuts, own, { whole, range }) {
  const places = whole ? [...new Set(cuts.map(Math.ceil))] : cuts;
  if (!range) return places;
  const [least, most] = own === null ? range : [Math.min(range[0], own), Math.max(range[1], own)];
  return places.filter((cut) => least < cut && cut <= most);
}

function lastBelow(low, high, { whole, range }) {
  if (whole) return high - 1;
  const near = closeBelow(low, high);
  return range && near !== null && near < range[0] && range[0] < high ? range[0] : near;
}

// The same for regions on a circle, which may be reached over 0; of two ways of the same length, upwards.
function circularOptions(asked, own) {
  const period = asked.find((c) => c.period)?.period;
  if (!period) return [];
  const ends = [0, ...cutsOf(asked), period];
  const home = own === null ? null : ends.filter((end) => end <= own - period * Math.floor(own / period)).length - 1;
  const around = (steps) => (steps + ends.length - 1) % (ends.length - 1);
  return ends.slice(1).flatMap((high, region) => {
    const [up, down] = home === null ? [1, 1] : [around(region - home), around(home - region)];
    const cell = region === home ? own : down < up ? closeBelow(ends[region], high) : ends[region];
    return cell === null ? [] : [{ cell, steps: Math.min(up, down) }];
  });
}

// The end of each region that is nearest to the row's own number.
function numberOptions(asked, own, feature) {
  const cuts = possibleCuts(cutsOf(asked), own, feature);
  const home = own === null ? null : cuts.filter((cut) => cut <= own).length;
  const options = [];
  for (let region = 0; region <= cuts.length; region += 1) {
    const [low, high] = [cuts[region - 1], cuts[region]];
    const above = home !== null && home > region;
    let cell = high === undefined ? low ?? 0 : low !== undefined && !above ? low : lastBelow(low, high, feature);
    if (region === home) cell = own;
    if (cell !== null) options.push({ cell, steps: home === null ? 1 : Math.abs(home - region) });
  }
  return options;
}

// A short number close below `high` and not below `low`: 12.8 for 12.9.
function closeBelow(low, high) {
  const scale = high ? Math.floor(Math.log10(Math.abs(high))) : 0;
  for (let exponent = scale - 2; exponent > scale - 12; exponent -= 1) {
    const near = Number((high - 10 ** exponent).toPrecision(12));
    if (near < high && (low === undefined || near >= low)) return near;
  }
  return low ?? null;
}
