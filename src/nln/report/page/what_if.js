// Scores of the program with its changes beside those of the program before. The bar stays in view only while there are changes.

function startWhatIf() {
  let before = null;
  const names = data.scores.map((score) => score.name);
  const [bar, undo] = [byId("whatif"), byId("whatif-undo")];
  undo.addEventListener("click", () => takeProgram(state.place));
  // Links to a rule and fields that get the focus stop below the bar, however high it is.
  new ResizeObserver(() => byId("rules").style.setProperty("--bar-height", `${bar.classList.contains("changed") ? bar.offsetHeight : 0}px`)).observe(bar);
  onChange((number) => {
    const count = state.program.rules.filter((rule, i) => rule.off || isEdited(i)).length;
    undo.hidden = !count;
    bar.classList.toggle("changed", Boolean(count));
    byId("whatif-save").hidden = !count;
    const text = byId("whatif-text");
    const changes = `${count === 1 ? "1 rule" : `${count} rules`} changed`;
    if (!rows) {
      text.textContent = count ? `${changes}. This file holds no rows, so the scores do not change.` : "Switch rules off or edit them, and try cases. This file holds no rows, so the scores do not change.";
      return;
    }
    const now = scoreRows(rowOutputs(), data.rows.truth);
    if (number === undefined) before = now;
    byId("whatif-scores").replaceChildren(...names.map((name) => scoreTile(name, now[name], before[name])));
    const where = rows.length < data.table.rows ? `a sample of ${countedRows(rows.length)}` : `all ${countedRows(rows.length)}`;
    text.textContent = count ? `${changes}; scores on ${where}.` : `Switch rules off or edit them, and watch these scores on ${where}.`;
  });
}

function scoreTile(name, now, before) {
  const tile = make("div", { class: "mini" },
    make("span", { class: "name" }, data.score_words[name][0]),
    make("span", { class: "figure", "data-live": name, "data-value": now }, scoreText(name, now)));
  const share = isShare(name);
  const difference = (now - before) * (share ? 100 : 1);
  const text = Math.abs(difference).toFixed(share ? 1 : 3);
  if (Number(text)) {
    const better = difference > 0 !== ["log_loss", "brier"].includes(name);
    tile.append(make("span", { class: better ? "delta better" : "delta worse" }, `${difference > 0 ? "+" : "−"}${text}`));
  }
  return tile;
}
