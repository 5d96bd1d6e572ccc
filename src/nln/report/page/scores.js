// The scores of nln/scores.py, on the rows of the page.

function scoreRows(P, truth) {
  const count = target.labels.length;
  const labels = [...Array(count).keys()];
  const several = target.kind === "multilabel";
  const holds = truth.map((label) => (several ? label : labels.map((k) => Number(k === label))));
  const decided = P.map((p) => {
    const decision = state.model.decide(p);
    return several ? decision : labels.map((k) => Number(k === decision));
  });
  const Q = P.map((p) => state.model.labelProbabilities(p));
  const f1 = [];
  const recall = [];
  for (const k of labels) {
    let [tp, fp, fn] = [0, 0, 0];
    holds.forEach((h, r) => {
      tp += h[k] & decided[r][k];
      fp += decided[r][k] & ~h[k] & 1;
      fn += h[k] & ~decided[r][k] & 1;
    });
    f1.push((2 * tp) / (2 * tp + fp + fn));
    recall.push(tp / (tp + fn));
  }
  const ranked = target.kind === "binary" ? [1] : labels;
  return {
    accuracy: mean(holds.map((h, r) => Number(h.every((x, k) => x === decided[r][k])))),
    f1: f1[f1.length - 1],
    macro_f1: mean(f1),
    balanced_accuracy: mean(recall),
    auc: mean(ranked.map((k) => areaUnderCurve(holds.map((h) => h[k]), Q.map((q) => q[k])))),
    log_loss: mean(holds.map((h, r) => logLoss(h, Q[r]))),
    brier: mean(holds.map((h, r) => squares(h, Q[r]))),
  };
}

// The mean of what is defined.
function mean(values) {
  const defined = values.filter((value) => !Number.isNaN(value));
  return defined.length ? defined.reduce((sum, value) => sum + value, 0) / defined.length : NaN;
}

// The share of pairs in which the row that holds has the higher probability, ties as one half.
function areaUnderCurve(holds, q) {
  const order = [...q.keys()].sort((a, b) => q[a] - q[b]);
  let [below, above, sum] = [0, 0, 0];
  for (let start = 0, end = 0; start < order.length; start = end) {
    let [yes, no] = [0, 0];
    for (; end < order.length && q[order[end]] === q[order[start]]; end += 1) {
      if (holds[order[end]]) yes += 1;
      else no += 1;
    }
    sum += yes * (below + no / 2);
    below += no;
    above += yes;
  }
  return above && below ? sum / (above * below) : NaN;
}

function logLoss(holds, q) {
  const safe = q.map((p) => Math.min(Math.max(p, Number.EPSILON), 1 - Number.EPSILON));
  if (target.kind !== "multilabel") return -Math.log(safe[holds.indexOf(1)]);
  return mean(safe.map((p, k) => -(holds[k] ? Math.log(p) : Math.log1p(-p))));
}

function squares(holds, q) {
  const each = q.map((p, k) => (p - holds[k]) ** 2);
  if (target.kind === "binary") return each[1];
  return target.kind === "multiclass" ? each.reduce((sum, x) => sum + x, 0) : mean(each);
}
