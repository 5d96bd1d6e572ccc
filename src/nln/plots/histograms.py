"""How the probabilities of each label are distributed, and where its threshold lies."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from nln.plots.data import scored
from nln.plots.style import BLUE, GREY, INK, ORANGE, new_axes, plain_axes, put_legend, put_ticks, put_title, shown
from nln.rules.children.reading import Tables

_BINS = 40


def plot_scores(model: Any, X: Any, y: Any, *, tables: Tables | None = None, ax: Axes | None = None) -> Axes:
    """Draw histograms of the probabilities: rows with the label above the line, rows without it below.

    Each histogram is scaled to its own highest bar, so that a rare label is visible beside a frequent one.

    Parameters
    ----------
    model : LogicProgram or fitted model
        The rules that give the probabilities.
    X : array-like of shape (n_samples, n_features)
        Rows to score, preferably left-out rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        The true labels, as `LogicProgram.with_coverage` takes them.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.9)", schema=schema)
    >>> ax = plot_scores(program, {"x": [1, 2, 4]}, ["yes", "yes", "no"])
    >>> ax.get_xlabel()
    'probability'
    """
    items = scored(model, X, y, tables)
    ax = ax or new_axes(6.0, 1.6 + 0.9 * len(items))
    edges = np.linspace(0.0, 1.0, _BINS + 1)
    for i, item in enumerate(items):
        for mask, side, colour in ((item.truth, -0.42, BLUE), (~item.truth, 0.42, ORANGE)):
            count, _ = np.histogram(item.probability[mask], edges)
            heights = side * count / max(int(count.max()), 1)
            ax.bar(edges[:-1], heights, 1 / _BINS, i, align="edge", color=colour, edgecolor="white", linewidth=0.3)
        ax.axhline(i, color=GREY, linewidth=0.6)
        if item.threshold is not None:
            ax.plot([item.threshold] * 2, [i - 0.46, i + 0.46], color=INK, linewidth=1.2, linestyle=(0, (4, 2)))
    plain_axes(ax, "probability")
    put_ticks(ax, "y", range(len(items)), [shown(item.label, 20) for item in items])
    ax.set(xlim=(0, 1), ylim=(len(items) - 0.48, -0.52))
    ax.spines["left"].set_visible(False)
    marks: list[Any] = [Patch(color=BLUE), Patch(color=ORANGE)]
    names = ["with the label", "without"]
    if items[0].threshold is not None:
        marks.append(Line2D([], [], color=INK, linewidth=1.2, linestyle=(0, (4, 2))))
        names.append("threshold")
    put_legend(ax, marks, names, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, columnspacing=1.2)
    put_title(ax, "Probabilities")
    return ax
