// The controls that edit a condition. Each one calls `done` when it has changed the condition.

function editCondition(condition, done) {
  const feature = features[condition.feature];
  const controls = isNumeric(feature) ? boundaryFields(condition, done) : valueFields(condition, feature, done);
  const group = make("fieldset", {}, make("legend", {}, feature.name), ...controls);
  if (feature.missing || condition.missing) {
    group.append(numberField("missing holds to", condition.missing, { min: 0, max: 1, step: 0.01 }, (p) => {
      condition.missing = p;
      done();
    }));
  }
  return group;
}

function boundaryFields(condition, done) {
  const fields = [];
  (condition.intervals ?? []).forEach((interval) => {
    [[0, "from"], [2, "below"]].forEach(([at, word]) => {
      if (interval[at] === null) return;
      const check = () => {
        const ends = condition.intervals.flatMap(([low, , high]) => [low, high]).filter((x) => x !== null);
        return ends.every((x, i) => !i || ends[i - 1] < x || (i % 2 === 0 && ends[i - 1] === x)) ? "" : "Boundaries must ascend.";
      };
      fields.push(make("div", { class: "pair" },
        numberField(word, interval[at], {}, (x) => {
          const old = interval[at];
          interval[at] = x;
          const problem = check();
          if (problem) interval[at] = old;
          else done();
          return problem;
        }),
        numberField("±", interval[at + 1], { min: 0 }, (x) => {
          interval[at + 1] = x;
          done();
        }, "half-width of the fuzzy boundary")));
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
