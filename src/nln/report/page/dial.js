// The dial: a score against the number of rules, and the program at each stage. The slider lies on the axis of the chart.

const DIAL = { tall: 220, left: 66, right: 16, top: 14, bottom: 26, thumb: 18 };

function startDial() {
  if (!data.dial) return;
  const slider = byId("dial-stop");
  slider.addEventListener("input", () => takeProgram(stageAt(Number(slider.value))));
  // A key goes to the next stage: not every number of rules has one, and some have several.
  slider.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    takeProgram(Math.min(Math.max(state.place + step, 0), data.dial.points.length - 1));
  });
  byId("dial-score").addEventListener("input", showDial);
  window.addEventListener("resize", showDial);
  onChange((number) => {
    if (number === undefined) showDial();
  });
}

// As model.at(n_rules): the stage with the most rules up to a number; of several, the saved one, then the best on left-out rows.
function stageAt(most) {
  const { points, chosen } = data.dial;
  const small = points.filter((point) => point.rules <= most);
  const rules = small.length ? small[small.length - 1].rules : points[0].rules;
  if (points[chosen].rules === rules) return chosen;
  const loss = (i) => points[i].validation_loss ?? Infinity;
  return [...points.keys()].filter((i) => points[i].rules === rules).reduce((best, i) => (loss(i) < loss(best) ? i : best));
}

function showDial() {
  const name = byId("dial-score").value;
  const point = data.dial.points[state.place];
  const slider = byId("dial-stop");
  slider.value = point.rules;
  slider.setAttribute("aria-valuetext", `${point.rules} rules`);
  const wide = Math.min(Math.max(byId("dial-chart").clientWidth, 280), 900); // drawn to size, so that text stays legible
  slider.style.marginLeft = `${DIAL.left - DIAL.thumb / 2}px`;
  slider.style.width = `${wide - DIAL.left - DIAL.right + DIAL.thumb}px`;
  byId("dial-chart").replaceChildren(drawDial(name, wide));
  const parts = [
    `${point.rules} ${point.rules === 1 ? "rule" : "rules"} of mean size ${point.size.toFixed(1)}`,
    `${data.score_words[name][0]} ${scoreText(name, point.scores[name])}`,
  ];
  if (point.validation_loss !== null) parts.push(`squared error on left-out rows ${short(point.validation_loss)}`);
  byId("dial-text").textContent = parts.join(" · ") + (state.place === data.dial.chosen ? " · the model as saved" : "");
}

// Whole numbers from one end of the axis to the other, in steps of 1, 2, 5, 10, ... so that at most eight steps are needed.
function wholeMarks(from, to) {
  let step = 1;
  for (let k = 0; (to - from) / step > 8; k += 1) step = [2, 5, 10][k % 3] * 10 ** Math.floor(k / 3);
  const marks = [];
  for (let n = Math.ceil(from / step) * step; n <= to; n += step) marks.push(n);
  return marks;
}

function drawDial(name, wide) {
  const { tall, left, right, top, bottom } = DIAL;
  const { points, chosen } = data.dial;
  const values = points.map((point) => point.scores[name] ?? NaN);
  const defined = values.filter((value) => !Number.isNaN(value));
  const [fewest, most] = [points[0].rules, points[points.length - 1].rules];
  const [least, best] = defined.length ? [Math.min(...defined), Math.max(...defined)] : [0, 1];
  const margin = Math.max((best - least) * 0.15, 0.005);
  const [from, to] = [least - margin, best + margin];
  const x = (rules) => left + ((rules - fewest) / Math.max(most - fewest, 1)) * (wide - left - right);
  const y = (value) => top + ((to - value) / (to - from)) * (tall - top - bottom);
  const chart = svg("svg", { class: "chart", width: wide, height: tall, viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": `${data.score_words[name][0]} against the number of rules` });
  for (const value of [least, (least + best) / 2, best]) {
    chart.append(svg("line", { class: "grid", x1: left, x2: wide - right, y1: y(value), y2: y(value) }));
    chart.append(svg("text", { class: "end", x: left - 10, y: y(value) + 4, "text-anchor": "end" }, scoreText(name, value)));
    if (least === best) break;
  }
  for (const n of wholeMarks(fewest, most)) {
    chart.append(svg("line", { class: "grid", x1: x(n), x2: x(n), y1: tall - bottom, y2: tall - bottom + 5 }));
    chart.append(svg("text", { class: "end", x: x(n), y: tall - 8, "text-anchor": "middle" }, String(n)));
  }
  const drawn = points.map((point, i) => [x(point.rules), y(values[i])]).filter(([, place]) => !Number.isNaN(place));
  chart.append(svg("polyline", { class: "path", points: drawn.map((place) => place.join(",")).join(" ") }));
  points.forEach((point, i) => {
    if (Number.isNaN(values[i])) return;
    const kind = `stop${i === state.place ? " here" : ""}${i === chosen ? " chosen" : ""}`;
    chart.append(svg("circle", { class: kind, cx: x(point.rules), cy: y(values[i]), r: i === state.place ? 7 : 4.5, onclick: () => takeProgram(i) }));
  });
  return chart;
}
