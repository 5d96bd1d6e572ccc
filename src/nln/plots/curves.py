"""ROC, precision-recall and calibration curves: the positive class, each class against the rest, or each label."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nln.plots.data import Scored, scored
from nln.plots.style import GREY, label_colours, new_axes, plain_axes, put_legend, put_title, shown
from nln.rules.children.reading import Tables


def plot_roc(model: Any, X: Any, y: Any, *, tables: Tables | None = None, ax: Axes | None = None) -> Axes:
    """Draw the ROC curve of each label, with the area under it; a dot marks the label's threshold.

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
    >>> ax = plot_roc(program, {"x": [1, 2, 4]}, ["yes", "yes", "no"])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['yes (1.000)']
    """
    from sklearn.metrics import auc, roc_curve

    ax = _square_axes(ax, "false positive rate", "true positive rate", "ROC curve (area)", diagonal=True)
    lines, names = [], []
    for item, colour in _coloured_labels(model, X, y, tables):
        false, true, _ = roc_curve(item.truth, item.probability)
        lines += ax.plot(false, true, color=colour, linewidth=1.6)
        names.append(f"{shown(item.label, 20)} ({auc(false, true):.3f})")
        if item.threshold is not None:
            taken = item.probability >= item.threshold
            ax.plot([taken[~item.truth].mean()], [taken[item.truth].mean()], "o", color=colour, markersize=5)
    put_legend(ax, lines, names, loc="lower right")
    return ax


def plot_precision_recall(model: Any, X: Any, y: Any, *, tables: Tables | None = None, ax: Axes | None = None) -> Axes:
    """Draw the precision-recall curve of each label, with its average precision; a dot marks the label's threshold.

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
    """
    from sklearn.metrics import average_precision_score, precision_recall_curve

    ax = _square_axes(ax, "recall", "precision", "Precision and recall (average precision)")
    lines, names = [], []
    for item, colour in _coloured_labels(model, X, y, tables):
        precision, recall, _ = precision_recall_curve(item.truth, item.probability)
        lines += ax.plot(recall, precision, color=colour, linewidth=1.6, drawstyle="steps-post")
        names.append(f"{shown(item.label, 20)} ({average_precision_score(item.truth, item.probability):.3f})")
        taken = item.probability >= (2.0 if item.threshold is None else item.threshold)
        if taken.any():
            ax.plot([taken[item.truth].mean()], [item.truth[taken].mean()], "o", color=colour, markersize=5)
    put_legend(ax, lines, names, loc="lower left")
    return ax


def plot_calibration(
    model: Any,
    X: Any,
    y: Any,
    *,
    tables: Tables | None = None,
    bins: int = 10,
    ax: Axes | None = None,
) -> Axes:
    """Draw how often each label holds against its mean probability, in bins of equal numbers of rows.

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
    bins : int, default=10
        Largest number of bins; equal probabilities share a bin.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes
    """
    from sklearn.calibration import calibration_curve

    ax = _square_axes(ax, "probability", "share of rows with the label", "Calibration", diagonal=True)
    lines, names = [], []
    for item, colour in _coloured_labels(model, X, y, tables):
        share, mean = calibration_curve(item.truth, item.probability, n_bins=bins, strategy="quantile")
        lines += ax.plot(mean, share, color=colour, linewidth=1.2, marker="o", markersize=5)
        names.append(shown(item.label, 24))
    put_legend(ax, lines, names, loc="upper left")
    return ax


def _coloured_labels(model: Any, X: Any, y: Any, tables: Tables | None) -> list[tuple[Scored, str]]:
    """Score the labels that some rows have and some lack, which alone have a curve, and give each a colour."""
    kept = [item for item in scored(model, X, y, tables) if item.truth.any() and not item.truth.all()]
    if not kept:
        raise ValueError("Every label holds for all rows of y or for none; a curve needs rows with and without it.")
    return list(zip(kept, label_colours(len(kept)), strict=True))


def _square_axes(ax: Axes | None, x: str, y: str, title: str, *, diagonal: bool = False) -> Axes:
    ax = ax or new_axes(4.2, 4.2)
    plain_axes(ax, x, y, grid="both")
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04), aspect="equal")
    ax.set_xticks(np.linspace(0, 1, 6))
    put_title(ax, title)
    if diagonal:
        ax.plot([0, 1], [0, 1], color=GREY, linewidth=0.8, linestyle=(0, (4, 3)))
    return ax
