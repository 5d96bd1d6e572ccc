// The controls that edit a condition. Each one calls `done` when it has changed the condition.

function editCondition(condition, done) {
  const feature = features[condition.feature];
  const controls = isNumeric(feature) ? boundaryFields(condition, feature, done) : valueFields(condition, feature, done);
  const group = make("fieldset", {}, make("legend", {}, feature.name), ...controls);
  if (feature.missing || condition.missing) {
    group.append(numberField("missing holds to", condition.missing, { min: 0, max: 1, step: 0.01 }, (p) => {
      condition.missing = p;
      done();
    }));
  }
  return group;
}

function boundaryFields(condition, feature, done) {
  const fields = [];
  const wrong = () => {
    const ends = condition.intervals.flatMap(([low, , high]) => [low, high]).filter((x) => x !== null);
    if (feature.kind === "periodic" && ends.some((x) => x <= 0 || x >= condition.period)) return `Between 0 and ${condition.period}.`;
    const first = condition.intervals[0][0] === null ? 1 : 0; // at every second place from here an interval begins
    return ends.every((x, i) => !i || ends[i - 1] < x || (i % 2 === first && ends[i - 1] === x)) ? "" : "Boundaries must ascend.";
  };
  (condition.intervals ?? []).forEach((interval) => {
    [0, 2].forEach((at) => {
      if (interval[at] === null) return;
      // Of whole numbers the first and the last one inside are asked for: `to 3` is kept as `below 4`.
      const whole = feature.whole && !interval[at + 1] && Number.isInteger(interval[at]);
      const shift = whole && at ? 1 : 0;
      const place = numberField(at ? (whole ? "to" : "below") : "from", interval[at] - shift, whole ? { step: 1 } : {}, (x) => {
        const old = interval[at];
        if (whole && !Number.isInteger(x)) return "A whole number is needed.";
        interval[at] = x + shift;
        const problem = wrong();
        if (problem) interval[at] = old;
        else done();
        return problem;
      });
      const width = feature.kind === "continuous" && !whole ? numberField("±", interval[at + 1], { min: 0 }, (x) => {
        interval[at + 1] = x;
        done();
      }, "half-width of the fuzzy boundary") : null;
      fields.push(make("div", { class: "pair" }, place, width));
    });
  });
  return fields;
}

function valueFields(condition, feature, done) {
  const list = make("div", { class: "values" });
  feature.values.forEach((name, code) => {
    const box = make("input", { type: "checkbox", onchange: () => {
      const at = condition.values.indexOf(code);
      if (at < 0) condition.values.push(code);
      else condition.values.splice(at, 1);
      condition.values.sort((a, b) => a - b);
      done();
    } });
    box.checked = condition.values.includes(code) !== condition.negated;
    list.append(make("label", { class: "check" }, box, make("span", { class: "long" }, name)));
  });
  return [list];
}

// A field for a number; `take` gets it and may return what is wrong with it.
function numberField(label, value, { min, max, step = "any" }, take, hint) {
  const problem = make("span", { class: "problem", role: "alert" });
  const field = make("input", { type: "number", value, min, max, step, "aria-label": hint, oninput: () => {
    const x = field.valueAsNumber;
    let wrong = "";
    if (!Number.isFinite(x)) wrong = "A number is needed.";
    else if (x < min || x > max) wrong = max === undefined ? `At least ${min}.` : `From ${min} to ${max}.`;
    wrong ||= take(x) || "";
    problem.textContent = wrong;
    field.setAttribute("aria-invalid", String(Boolean(wrong)));
  } });
  return make("label", { class: "field" }, make("span", {}, label), field, problem);
}
