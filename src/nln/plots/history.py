"""Learning curves of the networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from nln.plots.style import BLUE, GREY, INK, ORANGE, new_grid, plain_axes, put_legend, put_title


def plot_history(model: Any, *, axes: Sequence[Axes] | None = None) -> list[Axes]:
    """Draw the loss and the validation loss of each start over the epochs, and how many rules were reset.

    Parameters
    ----------
    model : fitted NLNClassifier, or sequence of History
        What `fit` recorded: the model, or its `history_`.
    axes : sequence of two Axes, optional
        Where to draw losses and resets; by default a figure of its own.

    Returns
    -------
    list of Axes
        Losses, and resets.

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


def _scale_losses(ax: Axes) -> None:
    """Scale losses by their logarithm, with enough numbers on the axis even within one power of ten."""
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 50 * low else (1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.yaxis.set_minor_locator(NullLocator())
