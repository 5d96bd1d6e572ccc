"""Fuzzy dichotomies and the fuzzy intervals that a network makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nln.plots.style import GREY, label_colours, new_axes, plain_axes, put_legend, put_title


def plot_intervals(boundaries: Any, sharpness: Any, weights: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw how the axis of a feature is divided: its dichotomies as thin lines, its intervals as areas.

    Parameters
    ----------
    boundaries, sharpness : array-like of shape (dichotomies,)
        Boundaries, and the sharpness of each.
    weights : array-like of shape (dichotomies, intervals), default=None
        AND weights of the intervals. By default each interval lies between two neighbouring boundaries.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> ax = plot_intervals([1.0, 2.0, 3.0], [12.0, 12.0, 12.0])
    >>> len(ax.collections)
    4
    """
    from nln.network.theory import fuzzy_dichotomy, fuzzy_intervals, interval_nodes

    places, alpha = np.asarray(boundaries, float), np.asarray(sharpness, float)
    if places.ndim != 1 or places.shape != alpha.shape or not len(places):
        raise ValueError("boundaries and sharpness must be two lists of equally many numbers, at least one each.")
    step = float(np.ptp(places)) / max(len(places) - 1, 1) or 1.0
    x = np.linspace(places.min() - step, places.max() + step, 800)
    if weights is None:
        nodes = fuzzy_intervals(x, places, alpha)
    else:
        nodes = interval_nodes(x, places, alpha, np.asarray(weights))
    ax = ax or new_axes(6.4, 2.6)
    areas = [
        ax.fill_between(x, 0.0, node, color=colour, alpha=0.45, linewidth=0.0)
        for node, colour in zip(nodes, _colours(len(nodes)), strict=True)
    ]
    above = [fuzzy_dichotomy(x, b, s) for b, s in zip(places, alpha, strict=True)]
    lines = [ax.plot(x, line, color=GREY, linewidth=0.8)[0] for line in above]
    plain_axes(ax, "number", "probability")
    ax.set(xlim=(x[0], x[-1]), ylim=(0.0, 1.05))
    put_title(ax, f"{len(places)} dichotomies, {len(nodes)} intervals")
    place = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "ncols": 2}
    put_legend(ax, [lines[0], areas[0]], ["dichotomy", "interval"], **place)
    return ax


def _colours(n: int) -> list[str]:
    """Three colours in turn, so that neighbours differ."""
    return [label_colours(3)[i % 3] for i in range(n)]
