// The dial: a score against the number of rules, and the program at each stage.

function startDial() {
  if (!data.dial) return;
  const slider = byId("dial-stop");
  const choice = byId("dial-score");
  slider.addEventListener("input", () => takeProgram(Number(slider.value)));
  choice.addEventListener("input", showDial);
  window.addEventListener("resize", showDial);
  onChange((number) => {
    if (number === undefined) showDial();
  });
}

function showDial() {
  const name = byId("dial-score").value;
  const point = data.dial.points[state.place];
  byId("dial-stop").value = state.place;
  byId("dial-stop").setAttribute("aria-valuetext", `${point.rules} rules`);
  byId("dial-chart").replaceChildren(drawDial(name));
  const parts = [
    `${point.rules} ${point.rules === 1 ? "rule" : "rules"} of mean size ${point.size.toFixed(1)}`,
    `${data.score_words[name][0]} ${scoreText(name, point.scores[name])}`,
  ];
  if (point.validation_loss !== null) parts.push(`squared error on left-out rows ${short(point.validation_loss)}`);
  byId("dial-text").textContent = parts.join(" · ") + (state.place === data.dial.chosen ? " · the model as saved" : "");
}

function drawDial(name) {
  const wide = Math.min(Math.max(byId("dial-chart").clientWidth, 280), 900); // drawn to size, so that text stays legible
  const [tall, left, right, top, bottom] = [220, 56, 16, 14, 34];
  const { points, chosen } = data.dial;
  const values = points.map((point) => point.scores[name] ?? NaN);
  const defined = values.filter((value) => !Number.isNaN(value));
  const most = Math.max(...points.map((point) => point.rules), 1);
  const [least, best] = defined.length ? [Math.min(...defined), Math.max(...defined)] : [0, 1];
  const margin = Math.max((best - least) * 0.15, 0.005);
  const [from, to] = [least - margin, best + margin];
  const x = (rules) => left + (rules / most) * (wide - left - right);
  const y = (value) => top + ((to - value) / (to - from)) * (tall - top - bottom);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${wide} ${tall}`, role: "img", "aria-label": `${data.score_words[name][0]} against the number of rules` });
  for (const value of [least, (least + best) / 2, best]) {
    chart.append(svg("line", { class: "grid", x1: left, x2: wide - right, y1: y(value), y2: y(value) }));
    chart.append(svg("text", { class: "end", x: left - 8, y: y(value) + 4, "text-anchor": "end" }, scoreText(name, value)));
    if (least === best) break;
  }
  const marks = [...new Set([0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * most)))];
  for (const n of marks) chart.append(svg("text", { class: "end", x: x(n), y: tall - 12, "text-anchor": "middle" }, String(n)));
  const drawn = points.map((point, i) => [x(point.rules), y(values[i])]).filter(([, place]) => !Number.isNaN(place));
  chart.append(svg("polyline", { class: "path", points: drawn.map((place) => place.join(",")).join(" ") }));
  points.forEach((point, i) => {
    if (Number.isNaN(values[i])) return;
    const kind = `stop${i === state.place ? " here" : ""}${i === chosen ? " chosen" : ""}`;
    chart.append(svg("circle", { class: kind, cx: x(point.rules), cy: y(values[i]), r: i === state.place ? 7 : 4.5, onclick: () => takeProgram(i) }));
  });
  return chart;
}
