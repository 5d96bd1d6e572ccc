"""One schema for several programs: columns are matched by name, lists of values are joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from nln.rules import Boundary, ChildTable, Condition, Feature, Interval, IntervalCondition, LogicProgram, Schema, Value
from nln.rules.derived.count import Count
from nln.rules.derived.kinds import Derived
from nln.rules.derived.make import count_of
from nln.rules.schema import sort_values
from nln.rules.validate import listed


def join_schemas(schemas: Sequence[Schema]) -> Schema:
    """Join schemas with one target: the features of the first, then those that only later schemas have.

    Lists of values are joined. A binary column with more than two values after joining becomes categorical, and so does
    one that is categorical in another schema. Lists of ordinal columns must agree on the order.
    """
    target = schemas[0].target
    for schema in schemas[1:]:
        if schema.target != target:
            raise ValueError(
                f"The programs have different targets: {_about(schemas[0])} and {_about(schema)}. Programs that decide "
                "different things cannot be joined; rename the target or its labels if they mean the same."
            )
    _check_calculations(schemas)
    plain = [{feature.name: feature for feature in schema.plain(schema.names)} for schema in schemas]
    names = list(dict.fromkeys(name for features in plain for name in features))
    features = [reduce(_join, [each[name] for each in plain if name in each]) for name in names]
    joined = Schema(tuple(features), target, _join_tables(schemas))
    for schema in schemas:
        for feature in sorted(schema.features, key=lambda feature: isinstance(feature.derived, Count)):
            if feature.derived is not None:
                joined = joined.with_features([_moved_calculation(feature, feature.derived, schema, joined)])
    order = dict.fromkeys(name for schema in schemas for name in schema.names)
    return replace(joined, features=tuple(joined[name] for name in order))


def _join_tables(schemas: Sequence[Schema]) -> tuple[ChildTable, ...]:
    """Join the child tables by name; those of one name must be the same."""
    found: dict[str, ChildTable] = {}
    for table in (table for schema in schemas for table in schema.tables):
        if found.setdefault(table.name, table) != table:
            raise ValueError(f"The child table {table.name!r} differs between the programs, which cannot be joined.")
    return tuple(found.values())


def _check_calculations(schemas: Sequence[Schema]) -> None:
    """Refuse a name that stands for different calculations, or for a calculation and a column."""
    known: dict[str, Feature] = {}
    for feature in (feature for schema in schemas for feature in schema.features):
        other = known.setdefault(feature.name, feature)
        one, two = (None if each.derived is None else each.derived.text for each in (feature, other))
        if one != two:
            said = " and ".join("a column of the table" if text is None else repr(text) for text in (two, one))
            raise ValueError(f"{feature.name!r} is {said} in different programs. Rename one of the two.")


def _moved_calculation(feature: Feature, derived: Derived, old: Schema, new: Schema) -> Feature:
    """Rewrite a calculated feature for a joined schema: a count may ask about ranks."""
    if not isinstance(derived, Count):
        return replace(feature, range=None)
    members = [_moved(member, old[member.feature], new[member.feature]) for member in derived.members]
    return replace(feature, derived=count_of(members, new.by_name))


def under_schema(program: LogicProgram, schema: Schema) -> LogicProgram:
    """Rewrite a program for a joined schema: the ranks of ordinal boundaries change."""
    rules = tuple(
        replace(
            rule, conditions=tuple(_moved(c, program.schema[c.feature], schema[c.feature]) for c in rule.conditions)
        )
        for rule in program.rules
    )
    return replace(program, schema=schema, rules=rules)


def _about(schema: Schema) -> str:
    target = schema.target
    return f"{target.name!r} ({target.kind}: {listed(target.labels)})"


def _join(one: Feature, other: Feature) -> Feature:
    if one.kind != other.kind and not {one.kind, other.kind} <= {"binary", "categorical"}:
        raise ValueError(
            f"Column {one.name!r} is {one.kind} in one program and {other.kind} in another; learn both with the same "
            "feature_types."
        )
    if one.reading and other.reading and one.reading != other.reading:
        raise ValueError(
            f"Column {one.name!r} is {one.reading.what} in one program and {other.reading.what} in another; learn both "
            "from columns that are written alike."
        )
    if one.is_numeric:
        ends = [*(one.range or ()), *(other.range or ())]
        known = (min(ends), max(ends)) if one.range and other.range else None
        reading = one.reading or other.reading
        return replace(one, reading=reading, whole=one.whole and other.whole, range=known)
    if one.kind == "ordinal":
        return replace(one, values=_join_orders(one, other))
    values = one.values if set(other.values) <= set(one.values) else sort_values({*one.values, *other.values})
    is_binary = one.kind == other.kind == "binary" and len(values) <= 2
    return Feature(one.name, "binary" if is_binary else "categorical", values)


def _join_orders(one: Feature, other: Feature) -> tuple[Value, ...]:
    longer, shorter = sorted((one.values, other.values), key=len, reverse=True)
    if tuple(value for value in longer if value in shorter) != shorter:
        raise ValueError(
            f"Column {one.name!r} is ordinal with the values {listed(one.values)} in one program and "
            f"{listed(other.values)} in another, and neither order contains the other."
        )
    return longer


def _moved(condition: Condition, old: Feature, new: Feature) -> Condition:
    if old.kind != "ordinal" or not isinstance(condition, IntervalCondition) or old.values == new.values:
        return condition

    def move(end: Boundary | None) -> Boundary | None:
        return None if end is None else Boundary(float(new.values.index(old.values[int(end.value)])))

    intervals = tuple(Interval(move(interval.low), move(interval.high)) for interval in condition.intervals)
    return replace(condition, intervals=intervals)
