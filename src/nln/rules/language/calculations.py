"""The text of conditions on arithmetic, on counts and on columns with the same values."""

from __future__ import annotations

from nln.rules.condition import Boundary, Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.regions import compares, in_counts, oriented, shown
from nln.rules.derived.rounding import just_after
from nln.rules.derived.same import Same
from nln.rules.language.words import number
from nln.rules.schema import Feature


def calculation_texts(condition: Condition, feature: Feature) -> list[str] | None:
    """Write the parts of a condition on a calculation without a name, to join by `or`; None if it is on a column."""
    derived = feature.derived
    if derived is None or feature.is_named:
        return None
    if isinstance(derived, Same):
        assert isinstance(condition, ValueCondition)
        return _same_texts(condition, derived)
    assert isinstance(condition, IntervalCondition)
    if isinstance(derived, Count):
        return count_texts(condition, derived)
    if isinstance(derived, ChildCount):
        return child_count_texts(condition, derived)
    return arithmetic_texts(condition.intervals, derived)


def arithmetic_texts(intervals: tuple[Interval, ...], expression: Arithmetic) -> list[str]:
    """Write a region of an expression: `x * y > z * w`, `40 <= x - y < 60`."""
    sign = compares(expression, intervals)
    if sign is not None:
        left, right = expression.sides
        return [f"{left} {sign} {right}"]
    expression, intervals = oriented(expression, intervals)
    hole = _hole(intervals)
    if hole is not None:
        return [f"{expression.text} != {number(hole)}"]
    return [range_text(interval, expression.text, exact=True) for interval in intervals]


def range_text(interval: Interval, name: str, *, exact: bool = False) -> str:
    """Write `low <= name < high`, with `>` and `<=` where they take the shorter number; `name = 3` if exact."""
    low, high = interval.low, interval.high
    if low is None and high is None:
        return f"{name} not missing"
    texts = {}
    for end, signs in ((low, (">=", ">")), (high, ("<", "<="))):
        if end is not None:
            value, is_before = shown(end)
            width = f" ± {number(end.width)}" if end.width else ""
            texts[id(end)] = signs[is_before], number(value) + width
    if low is None or high is None:
        return f"{name} {' '.join(next(iter(texts.values())))}"
    (low_sign, low_text), (high_sign, high_text) = texts[id(low)], texts[id(high)]
    if exact and low_text == high_text and (low_sign, high_sign) == (">=", "<="):
        return f"{name} = {low_text}"
    return f"{low_text} {'<=' if low_sign == '>=' else '<'} {name} {high_sign} {high_text}"


def count_texts(condition: IntervalCondition, count: Count) -> list[str]:
    """Write how many members hold: `at least 2 of {...}`."""
    most, members = len(count.members), count.set_text
    texts = []
    for interval in condition.intervals:
        low = 0 if interval.low is None else int(interval.low.value)
        high = most if interval.high is None else int(interval.high.value) - 1
        if low == high:
            texts.append(f"exactly {low} of {members}")
        elif high == most:
            texts.append(f"at least {low} of {members}")
        else:
            texts.append(f"{f'{low} to {high}' if low else f'at most {high}'} of {members}")
    return texts or [f"at least {most + 1} of {members}"]


def child_count_texts(condition: IntervalCondition, count: ChildCount) -> list[str]:
    """Write how many children count: `some visits (...)`, `no visits (...)`, `all visits (...)`, `at least 2 ...`."""
    texts = []
    intervals = in_counts(condition.intervals)
    if intervals == (Interval(None, Boundary(1.0)),) and count.every_text:
        return [count.every_text]
    for interval in intervals:
        low = 0 if interval.low is None else int(interval.low.value)
        high = None if interval.high is None else int(interval.high.value) - 1
        if high is None:
            said = "some" if low == 1 else f"at least {low}"
        elif low == high:
            said = f"exactly {low}" if low else "no"
        else:
            said = f"{low} to {high}" if low else f"at most {high}"
        texts.append(f"{said} {count.rows_text}")
    return texts or [f"at most -1 {count.rows_text}"]


def _same_texts(condition: ValueCondition, same: Same) -> list[str]:
    wanted = [value for value in (False, True) if (value in condition.values) != condition.negated]
    if len(wanted) == 2:
        return [f"{same.text} not missing"]
    return [same.phrase(negated=not value) for value in wanted]


def _hole(intervals: tuple[Interval, ...]) -> float | None:
    """Return the one number that a region leaves out, if that is all it does."""
    if len(intervals) != 2 or intervals[0].low or intervals[1].high:
        return None
    below, above = intervals[0].high, intervals[1].low
    is_crisp = below is not None and above is not None and not (below.width or above.width)
    return below.value if is_crisp and below and above and above.value == just_after(below.value) else None
