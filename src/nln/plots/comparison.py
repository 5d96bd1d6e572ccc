"""Two programs side by side: which of their rules say the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from nln.plots.data import Floats, Mask, covered, program_of
from nln.plots.matrix import draw_matrix, matrix_size, percent
from nln.plots.names import rule_names
from nln.plots.style import RED, new_axes, plain_axes, put_title
from nln.rules import LogicProgram


def plot_comparison(p: Any, q: Any, X: Any, *, ax: Axes | None = None) -> Axes:
    """Draw how far each rule of one program agrees with each rule of another, with the best pairs framed.

    A square says how many percent of the rows that either rule covers both cover; rules of different labels are not
    compared. Each rule has at most one partner, and the pairs have the largest possible sum of agreements.

    Parameters
    ----------
    p, q : LogicProgram or fitted model
        The programs; their rules are the rows and the columns.
    X : table
        Rows, with the columns of both.
    ax : Axes, optional
        Where to draw; by default a figure of the right size (`ax.figure`).

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> p = LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)
    >>> q = LogicProgram.parse("IF x < 2 THEN class = yes IF x >= 9 THEN class = yes", schema=schema)
    >>> ax = plot_comparison(p, q, {"x": [1, 2, 9]})
    >>> [text.get_text() for text in ax.texts], len(ax.patches)
    (['50', '0'], 1)
    """
    first, second = program_of(p), program_of(q)
    shares = _agreement(first, covered(p, X), second, covered(q, X))
    texts = [["" if np.isnan(share) else percent(share) for share in line] for line in shares]
    rows, columns = rule_names(first), [str(i + 1) for i in range(second.n_rules)]
    if ax is None:
        ax = new_axes(*matrix_size(len(rows), len(columns), rows))
    draw_matrix(ax, shares, texts, rows, columns)
    for i, j in _pairs(shares):
        corner = (j - 0.46, i - 0.46)
        ax.add_patch(Rectangle(corner, 0.92, 0.92, facecolor="none", edgecolor=RED, linewidth=1.8, zorder=3))
    plain_axes(ax, "rule of the second program", "rules of the first program")
    ax.spines[:].set_visible(False)
    same = p.predict(X) == q.predict(X)
    put_title(ax, f"Agreement of rules, %  (decisions: {percent(float(np.mean(same)))} %)")
    return ax


def _agreement(first: LogicProgram, a: Mask, second: LogicProgram, b: Mask) -> Floats:
    """Rows covered by both over rows covered by either, (rules, rules); NaN for rules of different labels."""
    both = a.T.astype(np.float64) @ b
    either = a.sum(axis=0)[:, None] + b.sum(axis=0)[None, :] - both
    shares: Floats = both / np.maximum(either, 1.0)
    different = [[left.label != right.label for right in second.rules] for left in first.rules]
    return np.where(np.array(different, np.bool_).reshape(shares.shape), np.nan, shares)


def _pairs(shares: Floats) -> list[tuple[int, int]]:
    from scipy.optimize import linear_sum_assignment

    gain = np.nan_to_num(shares)
    rows, columns = linear_sum_assignment(gain, maximize=True)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if gain[i, j] > 0]
