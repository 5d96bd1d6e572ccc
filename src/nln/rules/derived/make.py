"""How derived columns become features of a schema, and conditions on them those of a program.

A learner makes an `Arithmetic`, a `Same` or a `Count`, asks for its `feature`, and adds it to the schema. A text says
what it asks of an expression; `ask` turns that into a condition on the canonical column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nln.rules.children.table import ChildTable
from nln.rules.condition import Condition, Interval, IntervalCondition, ValueCondition, opposite
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.kinds import Derived
from nln.rules.derived.regions import mirrored
from nln.rules.language.text import condition_text
from nln.rules.schema import Feature
from nln.rules.simplify import canonical_condition

_NEVER = 9  # marks of a condition that nothing satisfies, more than any other has


def derived_feature(derived: Derived, name: str | None = None, range: tuple[float, float] | None = None) -> Feature:
    """Return the feature that holds a derived column, by default under the text of the calculation.

    Examples
    --------
    >>> difference = Arithmetic.column("x").join("-", Arithmetic.column("y"))
    >>> derived_feature(difference).name
    'x - y'
    """
    if name is None and isinstance(derived, Arithmetic):
        derived = derived.canonical()[0]
    return Feature(name or derived.text, derived.kind, derived.values, range=range, derived=derived)


def count_of(members: Iterable[Condition], features: Mapping[str, Feature]) -> Count:
    """Return the count of several conditions, in the order of their texts.

    Parameters
    ----------
    members : iterable of ValueCondition and IntervalCondition
        Crisp conditions on different features, without `or missing`.
    features : mapping of str to Feature
        The features that they ask about, as in `Schema.by_name`.

    Examples
    --------
    >>> from nln.rules import Boundary
    >>> features = {name: Feature(name, "continuous") for name in ("pulse", "temp")}
    >>> fast = IntervalCondition("pulse", (Interval(Boundary(90.0)),))
    >>> hot = IntervalCondition("temp", (Interval(Boundary(38.0)),))
    >>> count_of([hot, fast], features).text
    'count of {pulse >= 90; temp >= 38}'
    """
    plain = [canonical_condition(member, features[member.feature]) for member in members]
    texts = {member: condition_text(member, features[member.feature]) for member in plain}
    order = sorted(plain, key=lambda member: (texts[member], member.feature))
    count = Count(tuple(order), tuple(texts[member] for member in order))
    count.check(features)
    return count


def child_count_of(conditions: Iterable[Condition], table: ChildTable) -> ChildCount:
    """Return the count of the children that satisfy all of some conditions.

    Parameters
    ----------
    conditions : iterable of ValueCondition and IntervalCondition
        Crisp conditions on different features of the child table; without any, all children count.
    table : ChildTable
        The child table.

    Examples
    --------
    >>> from nln.rules import ValueCondition
    >>> visits = ChildTable("visits", "patient", (Feature("dept", "categorical", ("ER", "eye")),))
    >>> child_count_of([ValueCondition("dept", ("ER",))], visits).text
    'number of visits (dept = ER)'
    """
    features, places = table.by_name, list(table.by_name)
    conditions = list(conditions)
    if unknown := [c.feature for c in conditions if c.feature not in features]:
        raise ValueError(f"The table {table.name!r} has no feature {unknown[0]!r}.")
    plain = [canonical_condition(c, features[c.feature]) for c in conditions]
    plain.sort(key=lambda condition: places.index(condition.feature))
    texts = tuple(condition_text(c, features[c.feature]) for c in plain)
    count = ChildCount(table.name, tuple(plain), texts, _every(plain, features))
    count.check(features)
    return count


def _every(conditions: list[Condition], features: Mapping[str, Feature]) -> str:
    """Write the opposite of a single condition if that has fewer negations, parts and `or missing`."""
    if len(conditions) != 1 or not conditions[0].is_crisp:
        return ""
    (one,) = conditions
    feature = features[one.feature]
    other = canonical_condition(opposite(one), feature)
    return condition_text(other, feature) if _marks(other, feature) < _marks(one, feature) else ""


def _marks(condition: Condition, feature: Feature) -> int:
    """Count what makes a condition harder to read; one that nothing satisfies is never written."""
    if isinstance(condition, ValueCondition):
        says, marks = bool(condition.values or condition.negated), int(condition.negated)
    else:
        parts = condition.intervals
        is_arc = feature.period is not None and len(parts) > 1 and parts[0].low is None and parts[-1].high is None
        says, marks = bool(parts), len(parts) - 1 - is_arc + (parts == (Interval(),))
    if not says:
        return 0 if condition.missing else _NEVER
    return marks + bool(condition.missing)


def ask(
    expression: Arithmetic, intervals: tuple[Interval, ...], features: Iterable[Feature] = (), missing: float = 0.0
) -> tuple[Feature, IntervalCondition]:
    """Return the feature of an expression and the condition that its result lies in the intervals.

    The feature is one of those given, which may have a name, or a new one. It may hold the negative of the expression;
    the condition then asks for the mirrored intervals. If there are several, it is the one without a name.
    """
    column, sign = expression.canonical()
    opposite = column.mirrored()
    known = [each for each in features if each.derived is not None and each.derived in (column, opposite)]
    feature = min(known, key=lambda each: each.is_named) if known else derived_feature(column)
    if known:
        sign = 1 if feature.derived == expression else -1
    return feature, IntervalCondition(feature.name, intervals if sign > 0 else mirrored(intervals), missing)
