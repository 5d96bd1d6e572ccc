"""Calculated columns as every exporter takes them: in an order in which each needs only those before it.

Programs in other languages compare the results of arithmetic as they are, without rounding them to 11 digits: the
boundaries of plain conditions stand where rounding begins to reach those of the program.
"""

from __future__ import annotations

from typing import Any

from nln.export.plain import plain_condition
from nln.rules.condition import Condition
from nln.rules.derived.arithmetic import TOLERANCE, Arithmetic, Term, needs_care
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.same import Same
from nln.rules.program import LogicProgram
from nln.rules.readings import PrefixReading
from nln.rules.schema import Feature, Schema

NO_DIVISOR = (((), 1),)


def calculations(program: LogicProgram, *, children: bool = False) -> tuple[Feature, ...]:
    """Return the calculated features that rules ask about, each after those that it needs.

    A format that does not count the rows of child tables (`children` is false) refuses rules that do.
    """
    found: dict[str, Feature] = {}

    def add(name: str) -> None:
        feature = program.schema[name]
        if feature.derived is not None:
            for parent in feature.derived.features:
                add(parent)
            found.setdefault(name, feature)

    for name in program.features_used:
        add(name)
    counted = [feature.name for feature in found.values() if isinstance(feature.derived, ChildCount)]
    if counted and not children:
        raise ValueError(
            f"The rules ask for the {counted[0]}, and this format does not count rows of another table. Export to SQL, "
            "Python, Prolog or ASP, or add the count to the table as a column."
        )
    return tuple(found.values())


def asked_features(program: LogicProgram) -> tuple[Feature, ...]:
    """Return the features that a table must hold, in the order of the schema."""
    return program.schema.plain(program.features_used)


def asked_columns(program: LogicProgram) -> dict[str, Feature]:
    """Return the columns that a table must hold with the first feature read from each, levels of codes from one."""
    found: dict[str, Feature] = {}
    for feature in asked_features(program):
        found.setdefault(feature.columns[0] if isinstance(feature.reading, PrefixReading) else feature.name, feature)
    return found


def asked_prefixes(program: LogicProgram) -> dict[str, PrefixReading]:
    """Return the features that are the first characters of codes."""
    readings = {feature.name: feature.reading for feature in asked_features(program)}
    return {name: reading for name, reading in readings.items() if isinstance(reading, PrefixReading)}


def plain_members(count: Count, schema: Schema) -> list[tuple[Condition, Feature]]:
    """Return the members of a count as plain conditions with their features."""
    return [(plain_condition(m, schema[m.feature]), schema[m.feature]) for m in count.members]


def child_conditions(count: ChildCount, schema: Schema) -> list[tuple[Condition, Feature]]:
    """Return the conditions on children as plain conditions with their features; none may need a reading."""
    table = schema.table(count.table)
    if table.before is not None:
        raise ValueError(
            f"The rows of {table.name!r} that count are those up to {table.before!r}, and exports do not compare dates "
            "of two tables. Before learning, make a child table without later rows and with a column of days."
        )
    features = table.by_name
    for condition in count.conditions:
        reading = features[condition.feature].reading
        if reading is not None:
            raise ValueError(
                f"Feature {condition.feature!r} of the table {count.table!r} is {reading.what}, which this format "
                "cannot read. Make a column of the feature's own values before learning."
            )
    return [(plain_condition(c, features[c.feature]), features[c.feature]) for c in count.conditions]


def calculation(feature: Feature, schema: Schema) -> dict[str, Any]:
    """Describe a calculation as data.

    It has `above` and `below`, sums whose terms are a sign and the names of factors, each with how near to 0, in
    shares of its terms, the sum is 0; or `same`, two names, and the `values` that count; or `members`, plain
    conditions with their features; or `table`, a child table, with its `order` and `conditions` like members.
    """
    derived = feature.derived
    if isinstance(derived, Arithmetic):
        below = () if derived.denominator == NO_DIVISOR else derived.denominator
        return {"above": _sum(derived.numerator), "below": _divisors(below)}
    if isinstance(derived, Same):
        return {"same": derived.features, "values": schema[derived.features[0]].values}
    if isinstance(derived, ChildCount):
        table = schema.table(derived.table)
        return {"table": table.name, "order": table.order, "conditions": child_conditions(derived, schema)}
    assert isinstance(derived, Count)
    return {"members": plain_members(derived, schema)}


def _sum(terms: tuple[Term, ...]) -> tuple[float, tuple[tuple[int, tuple[str, ...]], ...]]:
    tolerance = TOLERANCE if needs_care(terms) else 0.0
    return tolerance, tuple((sign, monomial) for monomial, sign in terms)


def _divisors(terms: tuple[Term, ...]) -> tuple[Any, ...]:
    """Return what is divided by, one sum after the other: the factors of a single product, or a sum."""
    if len(terms) == 1:
        return tuple(_sum((((name,), 1),)) for name in terms[0][0])
    return (_sum(terms),) if terms else ()
