// Calibration: the share of rows that have a class or label against its probability, with intervals, for the model as saved.

function startCalibration() {
  data.calibration.forEach((bands, output) => document.querySelector(`[data-calibration="${output}"]`).append(drawCalibration(bands, output)));
}

function drawCalibration(bands, output) {
  const [size, left, bottom, edge] = [190, 44, 36, 8];
  const x = (p) => left + p * (size - left - edge);
  const y = (p) => edge + (1 - p) * (size - bottom - edge);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `Share of rows against the probability of ${target.labels[target.outputs[output]]}` });
  for (const p of [0, 0.5, 1]) {
    chart.append(svg("line", { class: "grid", x1: left, x2: size - edge, y1: y(p), y2: y(p) }));
    chart.append(svg("text", { x: left - 6, y: y(p) + 4, "text-anchor": "end" }, percent(p)));
    chart.append(svg("text", { x: x(p), y: size - bottom + 16, "text-anchor": p === 1 ? "end" : p ? "middle" : "start" }, percent(p)));
  }
  chart.append(svg("text", { x: x(0.5), y: size - 3, "text-anchor": "middle" }, "probability"));
  chart.append(svg("line", { class: "path", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }));
  const threshold = data.programs[data.chosen].thresholds[output];
  if (threshold !== undefined && target.kind !== "multiclass") chart.append(svg("line", { class: "threshold", x1: x(threshold), x2: x(threshold), y1: y(0), y2: y(1) }));
  for (const { mean, holds, rows: count, low, high } of bands) {
    const band = svg("g", { "data-rows": count }, svg("title", {}, `probability ${percent(mean)}: ${counted(holds)} of ${countedRows(count)}, ${percent(holds / count)} (${percent(low)} to ${percent(high)})`));
    band.append(svg("line", { class: "interval", x1: x(mean), x2: x(mean), y1: y(low), y2: y(high) }));
    band.append(svg("circle", { class: "dot", cx: x(mean), cy: y(holds / count), r: 3.5 }));
    chart.append(band);
  }
  return chart;
}
