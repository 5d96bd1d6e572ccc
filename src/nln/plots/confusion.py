"""What is decided against what is true."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nln.plots.data import Floats, label_masks, program_of
from nln.plots.matrix import draw_matrix, matrix_size
from nln.plots.style import new_axes, plain_axes, put_title, shown

_SORTS = ("true positive", "false negative", "false positive", "true negative")


def plot_confusion(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the confusion matrix in rows, coloured by the share of the true class.

    A multi-label target has a line for each label, with its true and false positives and negatives.

    Parameters
    ----------
    model : LogicProgram or fitted model
        What decides.
    X : table
        Rows, better not those it learned from.
    y : array-like
        The true labels, as `LogicProgram.with_coverage` takes them.
    ax : Axes, optional
        Where to draw; by default a figure of the right size (`ax.figure`).

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (0.9)", schema=schema)
    >>> ax = plot_confusion(program, {"x": [1, 2, 4]}, ["yes", "no", "no"])
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '0', '1']
    """
    program = program_of(model)
    decided = (model if hasattr(model, "predict") else program).predict(X)
    labels, truth = label_masks(program, y, len(decided))
    _, taken = label_masks(program, decided, len(decided))
    rows = columns = [shown(label, 20) for label in labels]
    if program.schema.target.kind == "multilabel":
        columns = list(_SORTS)
        counts = np.column_stack([(t & p).sum(axis=0) for t, p in _sorts(truth, taken)]).astype(np.float64)
        of = np.column_stack([truth.sum(axis=0)] * 2 + [(~truth).sum(axis=0)] * 2)
    else:
        counts = truth.T.astype(np.float64) @ taken
        of = counts.sum(axis=1, keepdims=True)
    shares: Floats = counts / np.maximum(of, 1)
    if ax is None:
        width, height = matrix_size(len(rows), len(columns), rows)
        ax = new_axes(width + 0.35 * len(columns), height)
    draw_matrix(ax, shares, [[f"{count:.0f}" for count in line] for line in counts], rows, columns)
    is_matrix = program.schema.target.kind != "multilabel"
    plain_axes(ax, "decided" if is_matrix else "", "true" if is_matrix else "")
    ax.spines[:].set_visible(False)
    put_title(ax, "Confusion, rows")
    return ax


def _sorts(truth: Any, taken: Any) -> list[tuple[Any, Any]]:
    return [(truth, taken), (truth, ~taken), (~truth, taken), (~truth, ~taken)]
