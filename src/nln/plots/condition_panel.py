"""One condition on the axis or values of its feature: how far each value satisfies it, with the data behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from nln.plots.data import Floats, Mask
from nln.plots.style import GREY, INK, LIGHT, SMALL, TINY, put_text, put_ticks, shown
from nln.rules import Boundary, Condition, Feature, IntervalCondition, membership
from nln.rules.cells import MISSING, Column
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.regions import oriented
from nln.rules.language.words import rounded

MOST_VALUES = 6
"""The number of values drawn one by one; the others share a bar."""

_BINS, _POINTS, _TOP = 30, 400, 1.08
SHADES = {True: "#9A9A9A", False: LIGHT}
"""Shades of the rows with the rule's label and of all others."""


@dataclass(frozen=True)
class Behind:
    """The data behind a condition."""

    column: Column  # the feature's column as `read_columns` gives it
    holds: Mask | None = None  # which rows have the rule's label

    def parts(self) -> list[tuple[Column, str]]:
        """Return the groups of rows that are stacked, each with its shade."""
        if self.holds is None:
            return [(self.column, SHADES[False])]
        return [(self.column[self.holds == holds], SHADES[holds]) for holds in (True, False)]


def draw_condition(ax: Axes, condition: Condition, feature: Feature, behind: Behind | None, colour: str) -> None:
    """Draw a condition: a curve over numbers, or a bar for each value."""
    ax.set_ylim(0.0, _TOP)
    ax.set_yticks([])
    ax.spines[["top", "left", "right"]].set_visible(False)
    ax.spines["bottom"].set_color(GREY)
    ax.patch.set_visible(False)
    if feature.is_numeric:
        _draw_numbers(ax, *_as_written(condition, feature, behind), colour)
    else:
        _draw_values(ax, condition, feature, behind, colour)


def _as_written(
    condition: Condition, feature: Feature, behind: Behind | None
) -> tuple[Condition, Feature, Behind | None]:
    """Turn the axis of an expression to the side that the text shows: y - x where the column holds x - y."""
    expression = feature.derived
    if not isinstance(expression, Arithmetic) or not isinstance(condition, IntervalCondition) or feature.is_named:
        return condition, feature, behind
    shown_as, intervals = oriented(expression, condition.intervals)
    if shown_as == expression:
        return condition, feature, behind
    turned = None if behind is None else Behind(-behind.column, behind.holds)
    return replace(condition, intervals=intervals), feature, turned


def _draw_numbers(ax: Axes, condition: Condition, feature: Feature, behind: Behind | None, colour: str) -> None:
    low, high = axis_range(condition, behind)
    if behind is not None:
        _draw_histogram(ax, behind, low, high)
    # Both sides of a crisp boundary are drawn, so that the curve falls vertically.
    edges = [edge for b in _boundaries(condition) for edge in (np.nextafter(b.value, -np.inf), b.value)]
    x = np.unique([*np.linspace(low, high, _POINTS), *(edge for edge in edges if low <= edge <= high)])
    y = membership(condition, x, feature)
    ax.fill_between(x, y, color=colour, alpha=0.15, linewidth=0)
    ax.plot(x, y, color=colour, linewidth=1.6)
    ax.set_xlim(low, high)
    ax.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
    ax.tick_params(colors=GREY, labelcolor=INK, labelsize=SMALL, length=2)
    _tell_missing(ax, condition, behind)


def axis_range(condition: Condition, behind: Behind | None) -> tuple[float, float]:
    """Return the range of numbers to show: nearly all of the data, and the boundaries with their widths."""
    ends = [b.value + side * 1.5 * b.width for b in _boundaries(condition) for side in (-1, 1)]
    if behind is not None:
        known = behind.column[np.isfinite(behind.column)]
        if len(known):
            # Outliers would leave no room for the other values.
            ends += np.quantile(known, [0.01, 0.99]).tolist()
    if not ends:
        return 0.0, 1.0
    low, high = min(ends), max(ends)
    reach = high - low or max(abs(low), 1.0)
    margin = 0.5 * reach if behind is None else 0.04 * reach
    return low - margin, high + margin


def _boundaries(condition: Condition) -> tuple[Boundary, ...]:
    return condition.boundaries if isinstance(condition, IntervalCondition) else ()


def _draw_histogram(ax: Axes, behind: Behind, low: float, high: float) -> None:
    edges = np.linspace(low, high, _BINS + 1)
    counts = [np.histogram(part[np.isfinite(part)], edges)[0] for part, _ in behind.parts()]
    _draw_stacks(ax, edges[:-1], counts, [shade for _, shade in behind.parts()], width=np.diff(edges), align="edge")


def _draw_stacks(ax: Axes, places: Any, counts: Any, colours: Sequence[Any], **options: Any) -> None:
    """Draw bars on top of each other, (parts, places), so that the highest stack reaches 1."""
    heights = np.array(counts) / max(int(np.sum(counts, axis=0).max()), 1)
    bottom = np.zeros(len(places))
    for height, colour in zip(heights, colours, strict=True):
        ax.bar(places, height, bottom=bottom, color=colour, linewidth=0, **options)
        bottom = bottom + height


def _tell_missing(ax: Axes, condition: Condition, behind: Behind | None) -> None:
    share = 0.0 if behind is None or not len(behind.column) else float(np.isnan(behind.column).mean())
    if share or condition.missing:
        text = f"{100 * share:.0f} % missing" if share >= 0.005 else "missing"
        put_text(ax, 1.02, 0.5, f"{text}\n→ {rounded(condition.missing)}", transform=ax.transAxes, fontsize=SMALL)


def _draw_values(ax: Axes, condition: Condition, feature: Feature, behind: Behind | None, colour: str) -> None:
    bars = value_bars(condition, feature, behind)
    parts = [(None, LIGHT)] if behind is None else behind.parts()
    counts = [[bar.count(part) for bar in bars] for part, _ in parts]
    faces = [[_mixed(shade, colour, bar.membership) for bar in bars] for _, shade in parts]
    _draw_stacks(ax, range(len(bars)), counts, faces, width=0.72)
    ax.set_xlim(-0.6, max(len(bars), 2) - 0.4)
    put_ticks(ax, "x", range(len(bars)), [shown(bar.name, max(6, 50 // len(bars))) for bar in bars])
    ax.tick_params(axis="x", labelsize=SMALL if len(bars) < 6 else TINY)


@dataclass(frozen=True)
class Bar:
    """A bar: its name, the indices of the values it stands for, and how far they satisfy the condition."""

    name: str
    indices: tuple[int, ...]
    membership: float

    def count(self, column: Column | None) -> int:
        """Count the rows of the column in this bar; 1 without data, so that all bars have the same height."""
        return 1 if column is None else int(np.isin(column, self.indices).sum())


def value_bars(condition: Condition, feature: Feature, behind: Behind | None) -> list[Bar]:
    """Return the bars of a condition: its values (the most frequent if there are many), the others, missing values."""
    n = len(feature.values)
    inside = membership(condition, np.arange(n, dtype=np.int32), feature)
    kept = _kept(inside, n, behind)
    bars = [Bar(shown(feature.values[i], 40), (i,), float(inside[i])) for i in kept]
    for level in (1.0, 0.0):
        rest = tuple(i for i in range(n) if i not in kept and inside[i] == level)
        if rest:
            bars.append(Bar(f"{len(rest)} others" if len(rest) > 1 else "1 other", rest, level))
    some_missing = behind is not None and bool((behind.column == MISSING).any())
    if some_missing or condition.missing:
        bars.append(Bar("missing", (MISSING,), condition.missing))
    return bars


def _kept(inside: Floats, n: int, behind: Behind | None) -> list[int]:
    """Choose the values with a bar of their own: the smaller side of the condition first, then the most frequent."""
    if n <= MOST_VALUES + 1:
        return list(range(n))
    counts = np.zeros(n) if behind is None else np.bincount(behind.column[behind.column >= 0].astype(int), minlength=n)
    rarer = inside == (1.0 if inside.sum() <= n / 2 else 0.0)
    order: NDArray[np.intp] = np.lexsort((-counts, ~rarer))
    return sorted(order[:MOST_VALUES].tolist())


def _mixed(ground: str, colour: str, share: float) -> Sequence[float]:
    """Mix the colour of a bar: grey if its values fail the condition, the rule's colour if they satisfy it."""
    # The darker shade of grey gives the darker shade of the colour.
    strength = share * (0.95 if ground != LIGHT else 0.45)
    mixed = np.array(to_rgb(ground if share < 1 else "white")) * (1 - strength) + np.array(to_rgb(colour)) * strength
    return tuple(mixed.tolist())
