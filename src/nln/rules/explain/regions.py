"""The changes of a feature that are worth trying: one for each region that the conditions of a program tell apart.

Values that satisfy every condition of the program to the same degree are interchangeable, so one option stands for all
of them. The numbers of a continuous feature are cut at each crisp boundary, and at `FUZZY_CUTS` widths around each
fuzzy one: from a membership of nearly 0 over 0.0014, 0.1, 0.5, 0.9 and 0.9986 to 1. A periodic feature is a circle,
which is also cut at 0 and on which the shorter way to a region counts. A probability may become 0 or 1. Options stay
within what a column can hold: numbers within the range of training, or up to the row's own number if that lies outside,
and whole numbers where the feature holds whole numbers.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from nln.rules.cells import MISSING, Column
from nln.rules.condition import Condition, IntervalCondition
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.same import Same
from nln.rules.evaluate import membership
from nln.rules.explain.arithmetic_cuts import arithmetic_cuts, is_gap, place_before
from nln.rules.language.words import number, spelled
from nln.rules.schema import Feature, Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

FUZZY_CUTS = (-17, -3, -1, 0, 1, 3, 17)
"""In widths; beyond 17 a membership is 1 to the last bit."""

FINE_CUTS = (*range(-17, -4), *(quarter / 4 for quarter in range(-16, 17)), *range(5, 18))
"""The same and more between them, for a requirement that asks no more than it must."""


@dataclass(frozen=True, slots=True)
class Option:
    """Values of one feature that the program does not tell apart."""

    entry: float | int  # the representative nearest to the row, as a column holds it
    regions: tuple[int, ...]  # regions of numbers or indices of values that belong to it; -1 is missing
    steps: int  # regions or ranks from the row's own value to the representative; 1 for values without order


@dataclass(frozen=True, slots=True)
class FeatureOptions:
    """The options of one feature for one row."""

    feature: Feature
    own: float | int  # the row's own entry
    cuts: tuple[float, ...]  # where the regions of a continuous or periodic feature meet
    options: tuple[Option, ...]  # what the feature may change to, nearest first

    @property
    def entries(self) -> Column:
        """The row's own entry, then those of the options."""
        return _column([self.own, *(option.entry for option in self.options)], self.feature)

    def value(self, option: Option) -> Value | None:
        """Return the representative as the user writes it; None is missing."""
        if option.regions[0] == MISSING:
            return None
        if self.feature.whole:
            return int(option.entry)
        return float(option.entry) if self.feature.is_numeric else self.feature.values[int(option.entry)]

    def values(self, options: Iterable[Option]) -> list[Value]:
        """Return the values of a feature with values that options stand for."""
        regions = {region for option in options for region in option.regions if region != MISSING}
        return [self.feature.values[region] for region in sorted(regions)]

    def requirement(self, options: Iterable[Option]) -> str:
        """Write what the feature must change to: all values of the options."""
        regions = sorted({region for option in options for region in option.regions})
        known = [region for region in regions if region != MISSING]
        if self.feature.is_numeric and self.feature.is_ordered:
            texts = [_range_text(first, last, self.cuts, self.feature) for first, last in _runs(known)]
        else:
            texts = [spelled(self.feature.values[region]) for region in known]
        return " or ".join([*texts, *["missing"] * (MISSING in regions)])


def find_options(
    program: LogicProgram,
    feature: Feature,
    row: Mapping[str, Column],
    *,
    missing: bool = False,
    fine: bool = False,
) -> FeatureOptions:
    """Find what a feature of a row may change to; `fine` cuts more finely around fuzzy boundaries."""
    own = row[feature.name][0].item()
    around = FINE_CUTS if fine else FUZZY_CUTS
    asked = {c: None for c in asked_conditions(program) if c.feature == feature.name}
    apart = feature.name in _compared(program)  # `a is b` tells every value from every other
    results = [c for c in asked_conditions(program) if feature.name in _operands(program, c)]
    cuts = _cuts(asked, around) if feature.is_numeric else ()
    for condition in results:
        expression = program.schema[condition.feature].derived
        assert isinstance(expression, Arithmetic)
        cuts = tuple(sorted({*cuts, *arithmetic_cuts(expression, feature.name, row, _cuts([condition], around))}))
    cuts = _possible(cuts, own, feature)
    is_number = feature.is_numeric and feature.is_ordered
    choices = _number_choices(own, cuts, feature) if is_number else _value_choices(own, feature)
    if missing and not isinstance(feature.derived, ChildCount):
        choices.append((math.nan if feature.is_numeric else MISSING, MISSING, 1))
    column = _column([own, *(entry for entry, _, _ in choices)], feature)
    degrees = [membership(condition, column, feature) for condition in asked]
    if results:
        full: dict[str, Any] = {
            **{name: np.repeat(cells, len(column)) for name, cells in row.items()},
            feature.name: column,
        }
        for condition in results:
            calculated = program.schema[condition.feature]
            assert calculated.derived is not None
            found = calculated.derived.evaluate(full, program.schema.by_name)
            degrees.append(membership(condition, found, calculated))
    held = np.array(degrees or [np.zeros(len(column))]).T
    groups: dict[bytes, list[tuple[float | int, int, int]]] = {}
    for choice, vector in zip(choices, held[1:], strict=True):
        groups.setdefault(vector.tobytes() + (repr(choice[1]).encode() if apart else b""), []).append(choice)
    groups.pop(held[0].tobytes() + (repr(own).encode() if apart else b""), None)
    options = [_option(group) for group in groups.values()]
    options.sort(key=lambda option: (option.steps, option.regions))
    return FeatureOptions(feature, own, cuts, tuple(options))


def asked_conditions(program: LogicProgram) -> list[Condition]:
    """Return the conditions of rules, and those that counts are made of."""
    conditions = [condition for rule in program.rules for condition in rule.conditions]
    derived = (program.schema[condition.feature].derived for condition in conditions)
    return conditions + [member for count in derived if isinstance(count, Count) for member in count.members]


def joined_columns(program: LogicProgram) -> list[frozenset[str]]:
    """Return the columns of each expression, in rules or in counts: of these, only one changes at a time."""
    return list(dict.fromkeys(_operands(program, condition) for condition in asked_conditions(program)))


def _operands(program: LogicProgram, condition: Condition) -> frozenset[str]:
    derived = program.schema[condition.feature].derived
    return frozenset(derived.features if isinstance(derived, Arithmetic) else ())


def _compared(program: LogicProgram) -> set[str]:
    derived = (program.schema[condition.feature].derived for condition in asked_conditions(program))
    return {name for each in derived if isinstance(each, Same) for name in each.features}


def _column(entries: Sequence[float | int], feature: Feature) -> Column:
    return np.array(entries, np.float64) if feature.is_numeric else np.array(entries, np.int32)


def _option(group: Sequence[tuple[float | int, int, int]]) -> Option:
    entry, region, steps = min(group, key=lambda choice: choice[2])
    return Option(entry, (region, *(other for _, other, _ in group if other != region)), steps)


def _cuts(conditions: Iterable[Condition], fuzzy: Sequence[float]) -> tuple[float, ...]:
    cuts = set()
    for condition in conditions:
        for boundary in condition.boundaries if isinstance(condition, IntervalCondition) else ():
            for times in fuzzy if boundary.width else (0,):
                # Twelve digits turn 13.200000000000001 into the 13.2 that people expect; boundaries stay as they are.
                place = float(f"{boundary.value + times * boundary.width:.12g}") if times else boundary.value
                if math.isfinite(place):
                    cuts.add(place)
    return tuple(sorted(cuts))


def _possible(cuts: tuple[float, ...], own: float, feature: Feature) -> tuple[float, ...]:
    """Return the cuts with possible numbers on both sides; between whole numbers a cut lies at the upper one."""
    if feature.whole:
        cuts = tuple(sorted({float(math.ceil(cut)) for cut in cuts}))
    if feature.range is None:
        return cuts
    low, high = (feature.range[0], feature.range[1]) if math.isnan(own) else _stretched(feature.range, own)
    return tuple(cut for cut in cuts if low < cut <= high)


def _stretched(ends: tuple[float, float], own: float) -> tuple[float, float]:
    return min(ends[0], own), max(ends[1], own)


def _number_choices(own: float, cuts: tuple[float, ...], feature: Feature) -> list[tuple[float | int, int, int]]:
    """Return entry, region and steps of each region; the entry is the end that is nearest to the row's own value.

    A region on a circle may be reached over 0; of two equally long ways, the one up counts. The line of all numbers is
    a circle whose second half is empty, so that the way over its ends is never the shorter one.
    """
    period = feature.period
    home = None if math.isnan(own) else bisect_right(cuts, own)
    ends = [None, *cuts, None] if period is None else [0.0, *cuts, period]
    around = 2 * len(ends) if period is None else len(ends) - 1
    choices: list[tuple[float | int, int, int]] = []
    for region, (low, high) in enumerate(pairwise(ends)):
        if region != home and is_gap(low, high):
            continue
        up = 1 if home is None else (region - home) % around
        down = 1 if home is None else (home - region) % around
        entry = own if region == home else _nearest(low, high, feature, from_above=down < up)
        if entry is not None:
            choices.append((entry, region, min(up, down)))
    return choices


def _nearest(low: float | None, high: float | None, feature: Feature, *, from_above: bool) -> float | None:
    if high is None:
        return 0.0 if low is None else _above(low, math.inf)
    if low is not None and not from_above:
        return _above(low, high)
    if feature.whole:
        return high - 1
    if low is not None and place_before(high) is not None and place_before(high) == low:
        return low  # the only number between
    near, least = _below(low, high), -math.inf if feature.range is None else feature.range[0]
    return least if near is not None and near < least < high else near


def _above(low: float, high: float) -> float:
    """Return the lower end of a region or, where it lies just after a number, a short number above that."""
    place = place_before(low)
    if place is None:
        return low
    scale = math.floor(math.log10(abs(place))) if place else 0
    for exponent in range(scale - 2, scale - 9, -1):
        near = float(f"{place + 10.0**exponent:.12g}")
        if low <= near < high:
            return near
    return low


def _below(low: float | None, high: float) -> float | None:
    """Return a short number just below `high` and not below `low`, as 12.8 for 12.9; None if there is no such float."""
    scale = math.floor(math.log10(abs(high))) if high else 0
    for exponent in range(scale - 2, scale - 12, -1):
        near = float(f"{high - 10.0**exponent:.12g}")
        if near < high and (near >= low if low is not None else math.isfinite(near)):
            return near
    last = math.nextafter(high, -math.inf)
    return last if math.isfinite(last) else None


def _value_choices(own: float | int, feature: Feature) -> list[tuple[float | int, int, int]]:
    if feature.is_numeric:  # a probability becomes certain
        return [(float(i), i, 1) for i in range(len(feature.values))]
    ordered = feature.is_ordered and own >= 0
    return [(i, i, abs(i - int(own)) if ordered else 1) for i in range(len(feature.values))]


def _runs(regions: Sequence[int]) -> list[tuple[int, int]]:
    """Join neighbouring regions."""
    runs: list[tuple[int, int]] = []
    for region in regions:
        if runs and runs[-1][1] == region - 1:
            runs[-1] = (runs[-1][0], region)
        else:
            runs.append((region, region))
    return runs


def _range_text(first: int, last: int, cuts: tuple[float, ...], feature: Feature) -> str:
    """Write what the numbers of neighbouring regions have in common: `12.9 or more`, `below 28`, `1 to 3`."""
    ends = [cuts[first - 1] if first else None, None if last == len(cuts) else cuts[last]]
    if not feature.whole and any(end is not None and place_before(end) is not None for end in ends):
        return _open_range_text(*ends)
    low = number(cuts[first - 1]) if first else None
    high = None if last == len(cuts) else number(cuts[last] - 1 if feature.whole else cuts[last])
    if low is None or high is None:
        above, below = f"{low} or more", f"{high} or less" if feature.whole else f"below {high}"
        below = "0" if high == "0" and isinstance(feature.derived, ChildCount) else below
        return "any number" if low == high else below if low is None else above
    if feature.whole:
        return low if low == high else f"{low} to {high}"
    return f"{low} to below {high}"


def _open_range_text(low: float | None, high: float | None) -> str:
    """Write a range with ends that lie just after a number: `more than 3`, `3 or less`."""
    texts = []
    for end, (after, at) in ((low, ("more than {}", "{} or more")), (high, ("{} or less", "below {}"))):
        if end is not None:
            place = place_before(end)
            texts.append((at if place is None else after).format(number(end if place is None else place)))
    return " and ".join(texts)
