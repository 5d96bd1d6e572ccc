// Scores of the program with its changes beside those of the program before.

function startWhatIf() {
  let before = null;
  const names = data.scores.map((score) => score.name);
  const undo = byId("whatif-undo");
  undo.addEventListener("click", () => takeProgram(state.place));
  byId("whatif-copy").addEventListener("click", () => copyText(programText()));
  onChange((number) => {
    undo.disabled = !isChanged();
    const text = byId("whatif-text");
    if (!rows) {
      text.textContent = "Switch rules off or edit them and try cases below. This file holds no rows, so the scores above do not change.";
      return;
    }
    const now = scoreRows(rowOutputs(), data.rows.truth);
    if (number === undefined) before = now;
    byId("whatif-scores").replaceChildren(...names.map((name) => scoreTile(name, now[name], before[name])));
    const where = rows.length < data.table.rows ? `a sample of ${counted(rows.length)} rows` : `all ${counted(rows.length)} rows`;
    text.textContent = isChanged() ? `Changed. Scores on ${where}.` : `Switch rules off or edit them: these scores, on ${where}, are updated.`;
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

// Not every page opened from disk may use the clipboard; if not, the text is shown to be copied by hand.
async function copyText(text) {
  const said = byId("whatif-text");
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = "Copied. LogicProgram.parse(text, schema=...) reads it.";
  } catch {
    byId("copied")?.remove();
    const area = make("textarea", { id: "copied", rows: 8, readonly: true, "aria-label": "The rules as text" });
    area.value = text;
    byId("whatif").append(area);
    area.select();
    said.textContent = "Copy the text below. LogicProgram.parse(text, schema=...) reads it.";
  }
}
