"""Average ranks, the tests of Friedman and Nemenyi, and a plot of both.

After Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets, JMLR 2006.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.record import write_atomically

LEVEL = 0.05


def average_ranks(scores: Any, *, lower: bool = False) -> Any:
    """Mean over the rows of the rank within a row, 1 for the best; equal scores share their ranks."""
    return stats.rankdata(scores if lower else -np.asarray(scores), axis=1).mean(axis=0)


def friedman(scores: Any) -> float:
    """Probability that ranks differ as much if all columns are alike; 1 if there is nothing to tell them apart."""
    scores = np.asarray(scores)
    if scores.shape[1] < 3 or len(scores) < 2 or not np.ptp(scores, axis=1).any():
        return 1.0
    return float(stats.friedmanchisquare(*scores.T).pvalue)


def critical_difference(n_contestants: int, n_tables: int) -> float:
    """Difference of average ranks from which two contestants differ at the level of 5 %, by Nemenyi's test."""
    quantile = stats.studentized_range.ppf(1 - LEVEL, n_contestants, np.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(n_contestants * (n_contestants + 1) / (6 * n_tables)))


def groups(ranks: Sequence[float], difference: float) -> list[tuple[float, float]]:
    """Return the longest stretches of ranks that do not differ, each as its first and last rank."""
    places = sorted(ranks)
    stretches = [(first, max(last for last in places if last - first < difference)) for first in places]
    return [
        (first, last)
        for number, (first, last) in enumerate(stretches)
        if last > first and all(last > before for _, before in stretches[:number])
    ]


def write_plot(scores: Mapping[str, Any], names: Sequence[str], lower: Sequence[str], path: Path) -> str | None:
    """Write an SVG file with a panel for each score; return why there is none, if so.

    Parameters
    ----------
    scores : mapping
        From the name of a score to an array, (tables, contestants).
    names : sequence of str
        The contestants.
    lower : sequence of str
        Scores of which less is better.
    path : Path
        The file.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        return "Matplotlib is not installed: `pip install matplotlib`."
    height = 0.9 + 0.24 * len(names)
    figure = Figure(figsize=(8, height * len(scores)), layout="constrained")
    axes = figure.subplots(len(scores), 1, squeeze=False)[:, 0]
    for axis, (key, found) in zip(axes, scores.items(), strict=True):
        ranks = average_ranks(found, lower=key in lower)
        difference = critical_difference(len(names), len(found))
        axis.set_title(
            f"{key.removesuffix(' (%)')}, {len(found)} tables, Friedman p = {friedman(found):.2g}", loc="left"
        )
        _panel(axis, ranks, names, difference)
    axes[-1].set_xlabel("average rank, 1 is the best; bars join those that do not differ at the level of 5 %")
    drawn = io.StringIO()
    with rc_context({"svg.hashsalt": "suite", "svg.fonttype": "none"}):  # the same file in every run
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    write_atomically(path, drawn.getvalue())
    return None


def _panel(axis: Any, ranks: Any, names: Sequence[str], difference: float) -> None:
    """Draw one line for each contestant, the best on top, and bars over those that do not differ."""
    order, n, bars = np.argsort(ranks, kind="stable"), len(names), groups(ranks, difference)
    below = 0.4 * len(bars)
    for place, number in enumerate(order):
        y = -place - 0.7 - below
        axis.plot([ranks[number], ranks[number], n + 0.3], [0, y, y], color="0.6", linewidth=0.8)
        axis.plot([ranks[number]], [0], "o", color="C0", markersize=4)
        axis.text(n + 0.35, y, f"{names[number]}  {ranks[number]:.2f}", va="center", fontsize=9)
    for number, (first, last) in enumerate(bars):
        y = -0.4 * (number + 1)
        axis.plot([first - 0.04, last + 0.04], [y, y], color="0.1", linewidth=3, solid_capstyle="butt")
    axis.plot([1, 1 + difference], [0.75, 0.75], color="0.1", marker="|")
    axis.text(1 + difference + 0.08, 0.75, f"critical difference {difference:.2f}", va="center", fontsize=8)
    axis.set_xlim(0.8, n + 2.2)
    axis.set_ylim(-n - 0.3 - below, 1.3)
    axis.xaxis.set_ticks(range(1, n + 1))
    axis.yaxis.set_visible(False)
    axis.axhline(0, color="0.3", linewidth=0.8)
    for side in ("left", "right", "top"):
        axis.spines[side].set_visible(False)
