"""A matrix of shares as coloured squares with their numbers: the ground of several figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from nln.plots.data import Floats
from nln.plots.style import NORMAL, SMALL, put_text, put_ticks, readable_on

_MOST = 25
"""Matrices with more rows or columns have no numbers in their squares."""


def draw_matrix(
    ax: Axes, shares: Floats, texts: Sequence[Sequence[str]], rows: Sequence[str], columns: Sequence[str]
) -> None:
    """Draw squares, darker for larger shares, white where the share is NaN.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    shares : array of shape (rows, columns)
        Numbers in [0, 1], or NaN.
    texts : sequence of sequence of str
        What each square says.
    rows, columns : sequence of str
        Names, as they are to be shown.
    """
    if not shares.size:
        put_text(ax, 0.5, 0.5, "no rules", ha="center", transform=ax.transAxes)
        return
    colours = colormaps["Blues"].with_extremes(bad="white")
    ax.imshow(np.ma.masked_invalid(shares * 0.9), cmap=colours, vmin=0.0, vmax=1.0, aspect="auto")
    put_ticks(ax, "y", range(len(rows)), rows)
    options: dict[str, Any] = {}
    if max(map(len, columns), default=0) > 6:
        options = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    put_ticks(ax, "x", range(len(columns)), columns, **options)
    ax.spines[:].set_visible(False)
    ax.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    ax.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    ax.grid(which="minor", color="white", linewidth=1.5)
    ax.tick_params(which="both", length=0)
    if max(len(rows), len(columns)) > _MOST:
        return
    for i, line in enumerate(texts):
        for j, text in enumerate(line):
            ground = "#ffffff" if np.isnan(shares[i, j]) else to_hex(colours(0.9 * shares[i, j]))
            size = NORMAL if len(text) < 6 else SMALL
            put_text(ax, j, i, text, ha="center", fontsize=size, color=readable_on(ground))


def matrix_size(rows: int, columns: int, names: Sequence[str]) -> tuple[float, float]:
    """Inches of a figure with a matrix and the names of its rows.

    Examples
    --------
    >>> matrix_size(2, 2, ["yes"])
    (3.0, 2.5)
    """
    width = 0.52 * columns + 0.06 * max(map(len, names), default=0) + 0.9
    return max(width, 3.0), max(0.42 * rows + 1.1, 2.5)


def percent(share: float) -> str:
    """Write a share in percent without the sign, as squares have room for.

    Examples
    --------
    >>> percent(0.982), percent(0.004), percent(0.0), percent(0.9999)
    ('98', '<1', '0', '>99')
    """
    if 0 < share < 0.005:
        return "<1"
    return ">99" if 0.995 < share < 1 else f"{100 * share:.0f}"
