"""A count as a checklist: its members, each with the share of the rows in which it holds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes

from nln.plots.data import Mask
from nln.plots.style import GREY, LIGHT, SMALL, put_text, shown
from nln.rules import Condition, Schema, membership
from nln.rules.cells import Column
from nln.rules.derived.count import Count

_LETTERS = 36
_BARS = 0.72  # where the bars begin


def is_checklist(condition: Condition, schema: Schema) -> bool:
    """Tell whether a condition is drawn as a checklist: one on a count without a name of its own."""
    feature = schema[condition.feature]
    return isinstance(feature.derived, Count) and not feature.is_named


def draw_checklist(
    ax: Axes,
    count: Count,
    schema: Schema,
    data: Mapping[str, Column] | None,
    holds: Mask | None,
    colour: str,
) -> None:
    """Draw a box and a text for each member and, with data, how many rows satisfy it.

    The coloured bar is the share of the rows with the rule's label, the grey one that of the others.
    """
    ax.set(xlim=(0, 1), ylim=(len(count.members), 0))
    ax.set_axis_off()
    for place, (member, text) in enumerate(zip(count.members, count.texts, strict=True)):
        middle = place + 0.5
        ax.plot([0.01], [middle], marker="s", markersize=5, markerfacecolor="none", markeredgecolor=GREY)
        put_text(ax, 0.05, middle, shown(text, _LETTERS), fontsize=SMALL, va="center")
        if data is None:
            continue
        held = membership(member, data[member.feature], schema[member.feature])
        groups = [(np.ones(len(held), bool), LIGHT)] if holds is None else [(holds, colour), (~holds, LIGHT)]
        for i, (rows, shade) in enumerate(groups):
            share = float(held[rows].mean()) if rows.any() else 0.0
            ax.barh(middle + 0.3 * (i - 0.5), (1 - _BARS) * share, 0.28, left=_BARS, color=shade, linewidth=0)
