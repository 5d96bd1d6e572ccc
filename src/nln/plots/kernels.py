"""Conditions on windows of images and series as small pictures: what is asked of each cell, empty where nothing is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from nln.plots.boards import draw_square
from nln.plots.style import GREY, INK, LIGHT, PAPER, SMALL, put_text, shown
from nln.rules import Condition, IntervalCondition, Schema, ValueCondition, condition_text
from nln.rules.children.table import ChildTable
from nln.rules.condition import opposite
from nln.rules.derived.child_count import ChildCount
from nln.rules.language.calculations import child_count_texts
from nln.rules.language.words import number, spelled
from nln.rules.schema import Feature

_CELL = re.compile(r"(?:r(?P<row>\d+)c|t)(?P<column>\d+)")  # as `nln.windows` names them
_INCHES, _WIDEST = 0.34, 3.4  # of a cell, and of all

Place = tuple[int, int]


@dataclass(frozen=True)
class Kernel:
    """What a condition asks of the cells of a window."""

    text: str  # how many windows, and what else is asked of them
    height: int
    width: int
    asked: dict[Place, tuple[Condition, Feature]]

    @property
    def inches(self) -> float:
        """Size of a cell."""
        return min(_INCHES, _WIDEST / self.width)


def find_kernel(condition: Condition, schema: Schema) -> Kernel | None:
    """Return the picture of a condition that counts windows; None if it asks about no cell of any."""
    feature = schema[condition.feature]
    if not isinstance(feature.derived, ChildCount) or not isinstance(condition, IntervalCondition):
        return None
    count, table = feature.derived, schema.table(feature.derived.table)
    places = _places(table)
    of_cells = [c for c in count.conditions if c.feature in places]
    if not of_cells:
        return None
    text = condition_text(condition, feature)
    if text == count.every_text:
        of_cells, text = [opposite(c) for c in of_cells], f"all {spelled(table.name)}"
    elif not feature.is_named:
        others = [i for i, each in enumerate(count.conditions) if each.feature not in places]
        bare = ChildCount(table.name, tuple(count.conditions[i] for i in others), tuple(count.texts[i] for i in others))
        text = " or ".join(child_count_texts(condition, bare))
    height, width = (1 + max(place[axis] for place in places.values()) for axis in (0, 1))
    return Kernel(text, height, width, {places[c.feature]: (c, table[c.feature]) for c in of_cells})


def draw_kernel(ax: Axes, kernel: Kernel) -> None:
    """Draw a grid of cells: what is asked of each, empty where nothing is."""
    ax.set(xlim=(-0.05, kernel.width + 0.05), ylim=(kernel.height + 0.05, -0.05))
    ax.set_aspect("equal", anchor="NW")
    ax.set_axis_off()
    for i in range(kernel.height):
        for j in range(kernel.width):
            face, edge, zorder = ("white", GREY, 1.5) if (i, j) in kernel.asked else (PAPER, LIGHT, 1.0)
            if (i, j) in kernel.asked and _is_dark(*kernel.asked[i, j]):
                face = INK
            ax.add_patch(Rectangle((j, i), 1, 1, facecolor=face, edgecolor=edge, zorder=zorder))
    for (i, j), (condition, feature) in kernel.asked.items():
        if isinstance(condition, IntervalCondition):
            put_text(ax, j + 0.5, i + 0.5, _range(condition, feature), ha="center", va="center", fontsize=SMALL)
        else:
            draw_square(ax, condition, feature, j + 0.5, i + 0.5, "white" if _is_dark(condition, feature) else INK)


def _places(table: ChildTable) -> dict[str, Place]:
    """Return where the cells of a window lie, by the names of the features; nothing if the rows are no windows."""
    found = {name: match for name in table.by_name if (match := _CELL.fullmatch(name))}
    return {name: (int(match["row"] or 0), int(match["column"])) for name, match in found.items()}


def _is_dark(condition: Condition, feature: Feature) -> bool:
    """Tell whether a cell of 0 and 1 must be 1."""
    is_pixel = set(feature.values) == {0, 1}
    return is_pixel and isinstance(condition, ValueCondition) and (1 in condition.values) != condition.negated


def _range(condition: IntervalCondition, feature: Feature) -> str:
    """Write a range of numbers as short as a cell needs it."""
    if len(condition.intervals) != 1 or condition.missing or not feature.is_numeric:
        return shown(condition_text(condition, feature).removeprefix(f"{feature.name} "), 8)
    low, high = condition.intervals[0].low, condition.intervals[0].high
    if low is None or high is None:
        return f"≥ {number(low.value)}" if low else f"< {number(high.value)}" if high else "known"
    return f"{number(low.value)} to\n< {number(high.value)}"
