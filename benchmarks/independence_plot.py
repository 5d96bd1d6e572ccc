"""Plot of the independence benchmark: what the assumption costs, by depth."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.record import write_atomically

PANELS = {"mean difference": "mean |difference| of the probabilities", "excess log-loss": "excess log-loss"}


def write_plot(parts: Mapping[str, Any], path: Path) -> str | None:
    """Write an SVG file with a column of panels for each part; return why there is none, if so."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        return "Matplotlib is not installed: `pip install matplotlib`."
    figure = Figure(figsize=(4 * len(parts), 6), layout="constrained")
    axes = figure.subplots(len(PANELS), len(parts), sharex=True, sharey="row", squeeze=False)
    for column, (name, part) in enumerate(parts.items()):
        axes[0, column].set_title(name)
        axes[-1, column].set_xlabel("depth")
        for row, value in enumerate(PANELS):
            _lines(axes[row, column], part["table"], value)
    for row, label in enumerate(PANELS.values()):
        axes[row, 0].set_ylabel(label)
        axes[row, 0].set_ylim(bottom=0)  # once all lines are drawn: the row shares the axis
    axes[0, 0].legend(title="width", fontsize="small")
    drawn = io.StringIO()
    with rc_context({"svg.hashsalt": "independence", "svg.fonttype": "none"}):  # the same file in every run
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    write_atomically(path, drawn.getvalue())
    return None


def _lines(axis: Any, table: list[dict[str, Any]], value: str) -> None:
    for number, width in enumerate(sorted({row["width"] for row in table})):
        rows = [row for row in table if row["width"] == width]
        axis.plot([r["depth"] for r in rows], [r[value] for r in rows], color=f"C{number}", label=str(width))
    axis.grid(alpha=0.3)
