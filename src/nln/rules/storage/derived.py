"""The JSON form of conditions, and of columns that are calculated from others.

Arithmetic lists its terms as lists of columns, those that are added and those that are subtracted, and the same of its
divisor; a count lists its members as rules list their conditions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from nln.rules.children.table import ChildTable
from nln.rules.condition import Condition, Interval, IntervalCondition
from nln.rules.derived.arithmetic import Arithmetic, Term
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.kinds import Derived
from nln.rules.derived.make import child_count_of, count_of
from nln.rules.derived.same import Same
from nln.rules.schema import Feature
from nln.rules.storage.reading import Node
from nln.rules.validate import listed

Features: TypeAlias = Mapping[str, Feature]

_NOTHING = (((), 1),)


def derived_to_dict(derived: Derived) -> dict[str, Any]:
    """Turn a derived column into plain data."""
    if isinstance(derived, Same):
        return {"same": list(derived.features)}
    if isinstance(derived, Count):
        return {"count": [condition_to_dict(member) for member in derived.members]}
    if isinstance(derived, ChildCount):
        return {"rows": {"table": derived.table, "conditions": [condition_to_dict(c) for c in derived.conditions]}}
    over = {} if derived.denominator == _NOTHING else {"over": _sum_to_dict(derived.denominator)}
    return {"arithmetic": {**_sum_to_dict(derived.numerator), **over}}


def read_derived(
    node: Node,
    features: Features,
    read_condition: Callable[[Node, Features], Condition],
    tables: tuple[ChildTable, ...] = (),
) -> Derived:
    """Read what `derived_to_dict` wrote."""
    fields = node.fields((), ("arithmetic", "same", "count", "rows"))
    if len(fields) != 1:
        raise node.error("must have one of the keys 'arithmetic', 'same', 'count' and 'rows'.")
    ((kind, said),) = fields.items()
    if kind == "rows":
        return _read_rows(said, read_condition, tables)
    if kind == "count":
        members = [read_condition(item, features) for item in said.items()]
        with said.located():
            return count_of(members, features)
    if kind == "same":
        names = [_name(item, features) for item in said.items()]
        if len(names) != 2:
            raise said.wrong("be two columns")
        with said.located():
            return Same((names[0], names[1]))
    parts = said.fields((), ("plus", "minus", "over"))
    over = parts.pop("over", None)
    below = _NOTHING if over is None else _read_sum(over.fields((), ("plus", "minus")), features)
    above = _read_sum(parts, features)
    with said.located():
        return Arithmetic(above, below)


def _read_rows(
    node: Node, read_condition: Callable[[Node, Features], Condition], tables: tuple[ChildTable, ...]
) -> ChildCount:
    fields = node.fields(("table", "conditions"))
    name = fields["table"].choice([table.name for table in tables])
    table = next(table for table in tables if table.name == name)
    conditions = [read_condition(item, table.by_name) for item in fields["conditions"].items()]
    with node.located():
        return child_count_of(conditions, table)


def _sum_to_dict(terms: tuple[Term, ...]) -> dict[str, Any]:
    found = {
        name: [list(monomial) for monomial, sign in terms if (sign > 0) == (name == "plus")]
        for name in ("plus", "minus")
    }
    return {name: products for name, products in found.items() if products}


def _read_sum(fields: Mapping[str, Node], features: Features) -> tuple[Term, ...]:
    return tuple(
        (tuple(_name(factor, features) for factor in product.items()), 1 if name == "plus" else -1)
        for name in ("plus", "minus")
        if name in fields
        for product in fields[name].items()
    )


def _name(node: Node, features: Features) -> str:
    name = node.text()
    if name not in features:
        raise node.wrong(f"be a feature ({listed(features)})")
    return name


def condition_to_dict(condition: Condition) -> dict[str, Any]:
    """Turn a condition into plain data."""
    result: dict[str, Any] = {"feature": condition.feature}
    if isinstance(condition, IntervalCondition):
        result["intervals"] = [_interval_to_dict(interval) for interval in condition.intervals]
    else:
        result["values"] = list(condition.values)
        if condition.negated:
            result["negated"] = True
    if condition.missing:
        result["missing"] = condition.missing
    return result


def _interval_to_dict(interval: Interval) -> dict[str, Any]:
    ends = (("low", interval.low), ("high", interval.high))
    return {
        name: {"value": end.value, "width": end.width} if end.width else {"value": end.value}
        for name, end in ends
        if end is not None
    }
