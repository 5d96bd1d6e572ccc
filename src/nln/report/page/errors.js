// Errors among the rows of the page, each with the rules that caused it.

const ERRORS_AT_ONCE = 25;

function startErrors() {
  if (!rows) return;
  let shown = ERRORS_AT_ONCE;
  byId("error-more").addEventListener("click", () => {
    shown += ERRORS_AT_ONCE;
    showErrors(shown);
  });
  onChange((number) => {
    if (number === undefined) shown = ERRORS_AT_ONCE;
    showErrors(shown);
  });
}

function showErrors(most) {
  const P = rowOutputs();
  const wrong = wrongRows(P);
  byId("error-count").textContent = `${counted(wrong.length)} of the ${counted(rows.length)} rows of this page are decided wrongly by the rules above, including your changes.`;
  byId("error-list").replaceChildren(...wrong.slice(0, most).map((r) => errorItem(r, P[r])));
  byId("error-more").hidden = wrong.length <= most;
}

function errorItem(r, P) {
  const [truth, decision] = [data.rows.truth[r], state.model.decide(P)];
  const show = make("button", { type: "button", onclick: () => {
    current.take(rows[r], String(r));
    byId("case").scrollIntoView();
    byId("case-pick").focus({ preventScroll: true });
  } }, "Explain", make("span", { class: "hidden" }, ` row ${data.rows.positions[r]}`));
  return make("li", { "data-row": data.rows.positions[r] },
    make("p", {}, make("strong", {}, `Row ${data.rows.positions[r]}`), ` is ${decisionText(truth)}, decided ${decisionText(decision)} `, show),
    make("p", { class: "note long" }, errorCause(r, truth, decision)));
}

// Rules that fire for what was decided wrongly; for what was missed, the rule that came nearest and why it failed.
function errorCause(r, truth, decision) {
  const several = target.kind === "multilabel";
  const is = (answer, output) => (several ? answer[output] === 1 : answer === target.outputs[output]);
  const causes = [];
  target.outputs.forEach((_, k) => {
    const held = is(truth, k);
    if (held === is(decision, k)) return;
    const mine = state.program.rules.map((rule, number) => ({ rule, number, membership: state.held[number]?.[r] })).filter(({ rule }) => !rule.off && rule.output === k);
    const fired = mine.filter(({ membership }) => membership >= 0.5).map(({ number }) => number + 1);
    const what = target.conclusions[target.outputs[k]];
    if (fired.length) causes.push(`${what}: ${fired.length === 1 ? "rule" : "rules"} ${fired.join(", ")} ${fired.length === 1 ? "fires" : "fire"}${held ? ", not strongly enough" : ""}`);
    else causes.push(`${what}: no rule fires${held ? nearestMiss(mine, r) : ""}`);
  });
  return causes.join("; ") + ".";
}

function nearestMiss(candidates, r) {
  const failed = ({ rule }) => rule.conditions.filter((condition) => state.model.membership(condition, rows[r]) < 0.5);
  const near = candidates.map((check) => ({ ...check, failed: failed(check) })).sort((a, b) => a.failed.length - b.failed.length || b.membership - a.membership)[0];
  if (!near) return "";
  if (!near.failed.length) return `; nearest is rule ${near.number + 1}, whose conditions hold in part`;
  return `; nearest is rule ${near.number + 1}, which fails at ${near.failed.map((condition) => condition.text).join(" and ")}`;
}
