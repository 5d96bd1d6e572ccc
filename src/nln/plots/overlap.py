"""How far the rules of a program cover the same rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nln.plots.data import covered, program_of
from nln.plots.matrix import draw_matrix, matrix_size, percent
from nln.plots.names import rule_names
from nln.plots.style import INK, new_axes, plain_axes, put_title


def plot_overlap(program: Any, X: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the overlap of rules as a matrix.

    A square says how many percent of the rows that its row's rule covers its column's rule covers, too; the diagonal
    has the number of rows covered. Lines part the rules of different labels.

    Parameters
    ----------
    program : LogicProgram or fitted model
        The rules.
    X : table
        The rows.
    ax : Axes, optional
        Where to draw; by default a figure of the right size (`ax.figure`).

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes IF x < 2 THEN class = yes", schema=schema)
    >>> ax = plot_overlap(program, {"x": [1, 2, 4]})
    >>> [text.get_text() for text in ax.texts]
    ['2', '50', '100', '1']
    """
    program, mask = program_of(program), covered(program, X).astype(np.float64)
    both = mask.T @ mask
    rows = np.diag(both)
    shares = both / np.maximum(rows, 1.0)[:, None]
    texts = [[percent(share) for share in line] for line in shares]
    for i, count in enumerate(rows):
        texts[i][i] = f"{count:.0f}"
    np.fill_diagonal(shares, np.nan)
    names = rule_names(program)
    if ax is None:
        ax = new_axes(*matrix_size(len(names), len(names), names))
    draw_matrix(ax, shares, texts, names, [str(i + 1) for i in range(len(names))])
    for i, (rule, following) in enumerate(zip(program.rules, program.rules[1:], strict=False)):
        if rule.label != following.label:
            ax.axhline(i + 0.5, color=INK, linewidth=0.8)
            ax.axvline(i + 0.5, color=INK, linewidth=0.8)
    plain_axes(ax, "also covered by rule", "")
    ax.spines[:].set_visible(False)
    put_title(ax, "Overlap, % of the rows of a rule")
    return ax
