"""Figures about fitting: the path of prices, and the learning curves of the networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from nln.plots.style import BLUE, GREY, INK, ORANGE, RED, SMALL, new_axes, new_grid, plain_axes, put_legend, put_title
from nln.rules.language.words import number


def plot_path(model: Any, *, price: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw the path from many rules to few, with the point that was chosen.

    Each point belongs to one price of a literal: the number of rules of its program, and the loss of such rules on the
    left-out rows of the starts. A point further to the left is a simpler program; `model.at(n_rules=...)` returns it.
    Hollow points are committees. Their height is the mean loss of their members, each by itself: no row was left out by
    all of them, so how much better they are together is not known.

    Parameters
    ----------
    model : fitted NLNClassifier, or sequence of PathPoint
        The model, or its `path_`.
    price : float, default=None
        The price to mark; by default that of the model.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln import NLNClassifier
    >>> from nln.datasets import load_wine
    >>> model = NLNClassifier(random_state=0).fit(*load_wine())
    >>> ax = plot_path(model)
    >>> ax.lines[0].get_xdata().tolist() == [point.n_rules for point in model.path_]
    True
    """
    points = getattr(model, "path_", model)
    if not len(points):
        raise ValueError("The path is empty: no price was tried, so there is nothing to draw.")
    price = getattr(model, "price_", None) if price is None else price
    ax = ax or new_axes(5.0, 3.3)
    rules, losses = [point.n_rules for point in points], [point.validation_loss for point in points]
    ax.plot(rules, losses, color=BLUE, marker="o", markersize=5, linewidth=1.4)
    committees = [point for point in points if point.members > 1]
    if committees:
        places = [point.n_rules for point in committees], [point.validation_loss for point in committees]
        ax.plot(*places, "o", markersize=5, color=BLUE, markerfacecolor="white", zorder=3)
    for i, point in enumerate(points):
        # Neighbours are often close together, so prices alternate between the two sides of the line.
        options: dict[str, Any] = {"xytext": (7, 5), "ha": "left"} if i % 2 else {"xytext": (-7, -10), "ha": "right"}
        place = (point.n_rules, point.validation_loss)
        options |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8}}
        ax.annotate(point.price_text, place, textcoords="offset points", fontsize=SMALL, color=GREY, **options)
    plain_axes(ax, "rules", "validation loss (mean squared error)", grid="both")
    ax.margins(x=0.08, y=0.15)
    ax.set_xlim(left=0)
    put_title(ax, "Path of prices" if price is None else _mark(ax, points, price))
    return ax


def plot_history(model: Any, *, axes: Sequence[Axes] | None = None) -> list[Axes]:
    """Draw the loss and the validation loss of each start over the epochs, and how many rules were reset.

    Parameters
    ----------
    model : fitted NLNClassifier, or sequence of History
        The model, or its `history_`.
    axes : sequence of two Axes, default=None
        Axes for losses and for resets; by default those of a new figure.

    Returns
    -------
    list of Axes
        The axes of the losses and of the resets.

    Examples
    --------
    >>> from nln.network.training import History
    >>> record = {"loss": 0.3, "validation_loss": 0.4, "resets": 2.0}
    >>> losses, resets = plot_history([History([record, record], best_epoch=0)])
    >>> [int(bar.get_height()) for bar in resets.patches]
    [2, 2]
    """
    histories = [history for history in getattr(model, "history_", model) if len(history)]
    if not histories:
        raise ValueError("The history is empty: no network was trained, so there is nothing to draw.")
    if axes is None:
        axes = new_grid(2, 1, 6.0, 4.2, sharex=True, height_ratios=(3, 1))
    losses, resets = axes
    for history in histories:
        epochs = np.arange(1, len(history) + 1)
        watched = history.column("validation_loss")
        losses.plot(epochs, history.column("loss"), color=ORANGE, linewidth=0.9, alpha=0.8)
        losses.plot(epochs, watched, color=BLUE, linewidth=1.2, alpha=0.9)
        losses.plot([history.best_epoch + 1], [watched[history.best_epoch]], "o", color=INK, markersize=4, zorder=3)
    total = np.zeros(max(map(len, histories)))
    for history in histories:
        total[: len(history)] += history.column("resets")
    resets.bar(np.arange(1, len(total) + 1), total, 0.9, color=GREY, linewidth=0)
    _scale_losses(losses)
    plain_axes(losses, "", "mean squared error", grid="y")
    plain_axes(resets, "epoch", "rules reset", grid="y")
    marks = [Line2D([], [], color=c, linewidth=1.5) for c in (BLUE, ORANGE)]
    marks.append(Line2D([], [], color=INK, marker="o", linestyle="none", markersize=4))
    put_legend(losses, marks, ["validation", "training", "kept"], loc="upper right", ncols=3)
    put_title(losses, f"Training of {len(histories)} start{'s' if len(histories) > 1 else ''}")
    return [losses, resets]


def _mark(ax: Axes, points: Sequence[Any], price: float) -> str:
    """Mark the point of a price, and describe it in words."""
    # Prices double from point to point, so the nearest one is found by ratio.
    chosen = points[int(np.argmin([abs(np.log(p.price / price)) for p in points]))]
    ring: dict[str, Any] = {"markersize": 11, "markerfacecolor": "none", "color": RED, "markeredgewidth": 1.8}
    ax.plot([chosen.n_rules], [chosen.validation_loss], "o", **ring)
    return f"Price {_short(price)}: {chosen.n_rules} rules of size {chosen.size:.1f}"


def _short(price: float) -> str:
    return number(float(f"{price:.3g}"))


def _scale_losses(ax: Axes) -> None:
    """Use a logarithmic scale for losses, with enough numbers on the axis even within one power of ten."""
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 50 * low else (1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_locator(NullLocator())
