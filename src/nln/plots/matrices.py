"""Figures that are matrices: overlap of rules, agreement of two programs, confusion of classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from nln.plots.data import Floats, Mask, covered, label_masks, program_of, rule_names
from nln.plots.style import (
    INK,
    NORMAL,
    RED,
    SMALL,
    new_axes,
    plain_axes,
    put_text,
    put_ticks,
    put_title,
    readable_on,
    shown,
)
from nln.rules import LogicProgram
from nln.rules.children.reading import Tables

_MOST = 25
"""Matrices with more rows or columns than this have no numbers in their squares."""

_SORTS = ("true positive", "false negative", "false positive", "true negative")


def plot_overlap(program: Any, X: Any, *, tables: Tables | None = None, ax: Axes | None = None) -> Axes:
    """Draw the overlap of rules as a matrix.

    Of the rows that the rule on the left covers, a square says what percentage the rule below covers too. The diagonal
    has the number of rows covered. Lines separate the rules of different labels.

    Parameters
    ----------
    program : LogicProgram or fitted model
        The rules.
    X : array-like of shape (n_samples, n_features)
        The rows.
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
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes IF x < 2 THEN class = yes", schema=schema)
    >>> ax = plot_overlap(program, {"x": [1, 2, 4]})
    >>> [text.get_text() for text in ax.texts]
    ['2', '50', '100', '1']
    """
    program, mask = program_of(program), covered(program, X, tables).astype(np.float64)
    both = mask.T @ mask
    rows = np.diag(both)
    shares = both / np.maximum(rows, 1.0)[:, None]
    texts = [[_percent(share) for share in line] for line in shares]
    for i, count in enumerate(rows):
        texts[i][i] = f"{count:.0f}"
    np.fill_diagonal(shares, np.nan)
    names, numbers = rule_names(program), [str(i + 1) for i in range(program.n_rules)]
    title = "Overlap, % of the rows of a rule"
    ax = _draw_matrix(ax, shares, texts, names, numbers, title, "also covered by rule")
    for i, (rule, following) in enumerate(zip(program.rules, program.rules[1:], strict=False)):
        if rule.label != following.label:
            ax.axhline(i + 0.5, color=INK, linewidth=0.8)
            ax.axvline(i + 0.5, color=INK, linewidth=0.8)
    return ax


def plot_comparison(p: Any, q: Any, X: Any, *, tables: Tables | None = None, ax: Axes | None = None) -> Axes:
    """Draw how far each rule of one program agrees with each rule of another, with the best pairs framed.

    Of the rows that either rule covers, a square says what percentage both cover; rules of different labels are not
    compared. Each rule has at most one partner, and the pairs have the largest possible sum of agreements.

    Parameters
    ----------
    p, q : LogicProgram or fitted model
        The programs: the rules of `p` are the rows of the matrix, those of `q` its columns.
    X : array-like of shape (n_samples, n_features)
        The rows to compare on, with the columns that both programs use.
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
    >>> p = LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)
    >>> q = LogicProgram.parse("IF x < 2 THEN class = yes IF x >= 9 THEN class = yes", schema=schema)
    >>> ax = plot_comparison(p, q, {"x": [1, 2, 9]})
    >>> [text.get_text() for text in ax.texts], len(ax.patches)
    (['50', '0'], 1)
    """
    first, second = program_of(p), program_of(q)
    shares = _agreement(first, covered(p, X, tables), second, covered(q, X, tables))
    texts = [["" if np.isnan(share) else _percent(share) for share in line] for line in shares]
    rows, columns = rule_names(first), [str(i + 1) for i in range(second.n_rules)]
    same = float(np.mean(p.predict(X, tables=tables) == q.predict(X, tables=tables)))
    title = f"Agreement of rules, %  (decisions: {_percent(same)} %)"
    ax = _draw_matrix(
        ax, shares, texts, rows, columns, title, "rule of the second program", "rules of the first program"
    )
    for i, j in _pairs(shares):
        corner = (j - 0.46, i - 0.46)
        ax.add_patch(Rectangle(corner, 0.92, 0.92, facecolor="none", edgecolor=RED, linewidth=1.8, zorder=3))
    return ax


def plot_confusion(model: Any, X: Any, y: Any, *, tables: Tables | None = None, ax: Axes | None = None) -> Axes:
    """Draw the confusion matrix, counted in rows and coloured by the share of each true class.

    A multi-label target has one line per label, with its true and false positives and negatives.

    Parameters
    ----------
    model : LogicProgram or fitted model
        The rules that decide.
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
    >>> ax = plot_confusion(program, {"x": [1, 2, 4]}, ["yes", "no", "no"])
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '0', '1']
    """
    program = program_of(model)
    decided = (model if hasattr(model, "predict") else program).predict(X, tables=tables)
    labels, truth = label_masks(program, y, len(decided))
    _, taken = label_masks(program, decided, len(decided))
    rows = columns = [shown(label, 20) for label in labels]
    is_multilabel = program.schema.target.kind == "multilabel"
    if is_multilabel:
        columns = list(_SORTS)
        sorts = ((truth, taken), (truth, ~taken), (~truth, taken), (~truth, ~taken))
        counts = np.column_stack([(t & p).sum(axis=0) for t, p in sorts]).astype(np.float64)
        of = np.column_stack([truth.sum(axis=0)] * 2 + [(~truth).sum(axis=0)] * 2)
    else:
        counts = truth.T.astype(np.float64) @ taken
        of = counts.sum(axis=1, keepdims=True)
    shares: Floats = counts / np.maximum(of, 1)
    texts = [[f"{count:.0f}" for count in line] for line in counts]
    below, left = ("", "") if is_multilabel else ("decided", "true")
    return _draw_matrix(ax, shares, texts, rows, columns, "Confusion, rows", below, left, extra_width=0.35)


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


def _draw_matrix(
    ax: Axes | None,
    shares: Floats,
    texts: Sequence[Sequence[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    below: str = "",
    left: str = "",
    *,
    extra_width: float = 0.0,
) -> Axes:
    """Draw a titled matrix with its names and axis labels; a new figure has `extra_width` more inches per column."""
    if ax is None:
        width = 0.52 * len(columns) + 0.06 * max(map(len, rows), default=0) + 0.9
        ax = new_axes(max(width, 3.0) + extra_width * len(columns), max(0.42 * len(rows) + 1.1, 2.5))
    if shares.size:
        _draw_squares(ax, shares, texts, rows, columns)
    else:
        put_text(ax, 0.5, 0.5, "no rules", ha="center", transform=ax.transAxes)
    plain_axes(ax, below, left)
    ax.spines[:].set_visible(False)
    put_title(ax, title)
    return ax


def _draw_squares(
    ax: Axes, shares: Floats, texts: Sequence[Sequence[str]], rows: Sequence[str], columns: Sequence[str]
) -> None:
    """Draw squares with texts, darker for larger shares, white where the share is NaN."""
    colours = colormaps["Blues"].with_extremes(bad="white")
    ax.imshow(np.ma.masked_invalid(shares * 0.9), cmap=colours, vmin=0.0, vmax=1.0, aspect="auto")
    put_ticks(ax, "y", range(len(rows)), rows)
    options: dict[str, Any] = {}
    if max(map(len, columns), default=0) > 6:
        options = {"rotation": 40, "ha": "right", "rotation_mode": "anchor"}
    put_ticks(ax, "x", range(len(columns)), columns, **options)
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


def _percent(share: float) -> str:
    """Write a share in percent, without the sign to save space; `<1` and `>99` where rounding would hide the rest."""
    if 0 < share < 0.005:
        return "<1"
    return ">99" if 0.995 < share < 1 else f"{100 * share:.0f}"
