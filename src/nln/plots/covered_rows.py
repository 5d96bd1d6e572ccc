"""The rows that each rule covers, by class."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nln.plots.data import Mask, covered, label_masks, program_of, rule_names
from nln.plots.style import (
    BLUE,
    GREY,
    LIGHT,
    SMALL,
    label_colours,
    new_axes,
    plain_axes,
    put_legend,
    put_text,
    put_ticks,
    put_title,
    shown,
)
from nln.rules import LogicProgram
from nln.rules.children.reading import Tables


def plot_coverage(
    program: Any,
    X: Any,
    y: Any,
    *,
    tables: Tables | None = None,
    by: Any = None,
    shares: bool = False,
    ax: Axes | None = None,
) -> Axes:
    """Draw how many rows of each class each rule covers, as stacked bars; the last bar counts the rows of no rule.

    The labels of a multi-label target hold independently. There each bar is divided into rows with and without the
    label that its rule concludes, and there is no last bar.

    Parameters
    ----------
    program : LogicProgram or fitted model
        The rules.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        The true labels, as `LogicProgram.with_coverage` takes them.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.
    by : array-like of shape (n_samples,), default=None
        Other classes to divide the bars by, for example finer ones than the program decides between. By default `y`.
    shares : bool, default=False
        Whether all bars have the same length and show shares of the rows covered; rules that cover few rows can be
        read then. The number of rows stands behind each bar.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)
    >>> ax = plot_coverage(program, {"x": [1, 2, 4]}, ["yes", "no", "no"])
    >>> [int(bar.get_width()) for bar in ax.patches]
    [1, 0, 1, 1]
    """
    program, mask = program_of(program), covered(program, X, tables)
    names = rule_names(program)
    if by is not None:
        mask = np.column_stack([mask, ~mask.any(axis=1)])
        names.append("no rule")
        counts, legend, colours = _group_counts(mask, by)
    elif program.schema.target.kind == "multilabel":
        counts, legend, colours = _label_counts(program, mask, y)
    else:
        mask = np.column_stack([mask, ~mask.any(axis=1)])
        names.append("no rule")
        counts, legend, colours = _class_counts(program, mask, y)
    totals = counts.sum(axis=0)
    if shares:
        counts = counts / np.maximum(totals, 1)
    ax = ax or new_axes(7.0, 0.3 * len(names) + 1.2)
    left = np.zeros(len(names))
    bars = []
    for count, colour in zip(counts, colours, strict=True):
        bars.append(ax.barh(range(len(names)), count, 0.7, left, color=colour, edgecolor="white", linewidth=0.5))
        left = left + count
    if shares:
        for place, total in enumerate(totals):
            put_text(ax, 1.01, place, f"{total:,.0f}", fontsize=SMALL, color=GREY, va="center", clip_on=False)
    plain_axes(ax, "share of the rows covered" if shares else "rows covered", grid="x")
    put_ticks(ax, "y", range(len(names)), names)
    ax.set(xlim=(0, (1.1 if shares else 1.03) * max(float(left.max(initial=0)), 1.0)), ylim=(len(names) - 0.4, -0.6))
    ax.spines["left"].set_visible(False)
    put_title(ax, "Coverage")
    put_legend(ax, bars, legend, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, columnspacing=1.2)
    return ax


def _class_counts(program: LogicProgram, mask: Mask, y: Any) -> tuple[Any, list[str], list[str]]:
    """Count the rows covered of each class, (classes, rules); the positive class of two comes first."""
    labels, truth = label_masks(program, y, len(mask))
    colours = label_colours(len(labels))
    if program.schema.target.kind == "binary":
        labels, truth, colours = labels[::-1], truth[:, ::-1], [BLUE, colours[1]]
    counts = truth.T.astype(np.float64) @ mask
    return counts, [shown(label, 24) for label in labels], colours


def _group_counts(mask: Mask, by: Any) -> tuple[Any, list[str], list[str]]:
    """Count the rows covered of each of some classes, (classes, rules), the most frequent class first."""
    groups = np.asarray(by)
    if groups.shape != (len(mask),):
        raise ValueError(f"by must have one class for each of the {len(mask)} rows.")
    names, counts = np.unique(groups, return_counts=True)
    names = names[np.argsort(-counts, kind="stable")]
    found = np.array([mask[groups == name].sum(axis=0) for name in names])
    return found, [shown(name, 24) for name in names.tolist()], label_colours(len(names))


def _label_counts(program: LogicProgram, mask: Mask, y: Any) -> tuple[Any, list[str], list[str]]:
    """Count the rows covered with and without the label that each rule concludes, (2, rules)."""
    labels, truth = label_masks(program, y, len(mask))
    own = truth[:, [labels.index(rule.label) for rule in program.rules]]
    return np.array([(mask & own).sum(axis=0), (mask & ~own).sum(axis=0)]), ["with the label", "without"], [BLUE, LIGHT]
