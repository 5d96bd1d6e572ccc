"""The dial between accuracy and simplicity: validation loss against the number of rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes

from nln.plots.style import BLUE, GREY, RED, SMALL, new_axes, plain_axes, put_title
from nln.rules.language.words import number


class _Point(NamedTuple):
    price: float
    n_rules: int
    size: float
    loss: float


def plot_path(model: Any, *, price: float | None = None, ax: Axes | None = None) -> Axes:
    """Draw the path from many rules to few, with the point that was chosen.

    Each point is a price of a literal: the rules of its program, and the loss of such rules on rows that the starts had
    left out. A point to the left is a simpler program; `model.at(n_rules=...)` gives it.

    Parameters
    ----------
    model : fitted NLNClassifier, or sequence of PathPoint
        What `fit` found: the model, or its `path_`.
    price : float, optional
        The price to mark; that of the model by default.
    ax : Axes, optional
        Where to draw; by default a figure of its own (`ax.figure`).

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
    points = _points(getattr(model, "path_", model))
    price = getattr(model, "price_", None) if price is None else price
    if ax is None:
        ax = new_axes(5.0, 3.3)
    ax.plot([p.n_rules for p in points], [p.loss for p in points], color=BLUE, marker="o", markersize=5, linewidth=1.4)
    for i, point in enumerate(points):
        # Neighbours often lie close together: every other price stands on the other side.
        options: dict[str, Any] = {"xytext": (7, 5), "ha": "left"} if i % 2 else {"xytext": (-7, -10), "ha": "right"}
        place = (point.n_rules, point.loss)
        options |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8}}
        ax.annotate(_short(point.price), place, textcoords="offset points", fontsize=SMALL, color=GREY, **options)
    plain_axes(ax, "rules", "validation loss (mean squared error)", grid="both")
    ax.margins(x=0.08, y=0.15)
    ax.set_xlim(left=0)
    put_title(ax, "Path of prices" if price is None else _mark(ax, points, price))
    return ax


def _points(path: Sequence[Any]) -> list[_Point]:
    """Read the path; this is all that knows the names of its fields."""
    if not len(path):
        raise ValueError("The path is empty: nothing was tried, so there is nothing to draw.")
    return [_Point(p.price, p.n_rules, p.size, p.validation_loss) for p in path]


def _mark(ax: Axes, points: list[_Point], price: float) -> str:
    """Mark the point of a price, and say what it is."""
    # Prices double from point to point: the nearest one by ratio.
    chosen = points[int(np.argmin([abs(np.log(p.price / price)) for p in points]))]
    ax.plot([chosen.n_rules], [chosen.loss], "o", markersize=11, markerfacecolor="none", color=RED, markeredgewidth=1.8)
    return f"Price {_short(price)}: {chosen.n_rules} rules of size {chosen.size:.1f}"


def _short(price: float) -> str:
    return number(float(f"{price:.3g}"))
