"""Calculated columns as PMML expressions."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial, reduce
from typing import Any
from xml.etree import ElementTree as ET

from nln.export.pmml.expressions import apply, constant, degree, field, values_type
from nln.rules.condition import Condition
from nln.rules.schema import Feature, Schema


def quotient(above: Any, below: Any, fields: Mapping[str, str]) -> ET.Element:
    """Write a sum of products divided by others; missing if a column is missing or a divisor is 0."""
    names = dict.fromkeys(name for _, terms in (above, *below) for _, factors in terms for name in factors)
    result = _sum(above, fields)
    for divisor in below:
        by = _sum(divisor, fields)
        result = apply("if", apply("notEqual", by, constant(0.0)), apply("/", result, _sum(divisor, fields)))
    present = [apply("isNotMissing", field(fields[name])) for name in names]
    return apply("if", present[0] if len(present) == 1 else apply("and", *present), result)


def finite(name: str) -> ET.Element:
    """Write a field's number; missing where it is infinite."""
    inside = apply("lessOrEqual", apply("abs", field(name)), constant(sys.float_info.max))
    return apply("if", apply("isNotMissing", field(name)), apply("if", inside, field(name)))


def same(one: Feature, other: Feature, fields: Mapping[str, str]) -> ET.Element:
    """Write whether two fields hold the same value, one that the features list."""
    left, right = fields[one.name], fields[other.name]
    kinds = [values_type(feature.values, f"Feature {feature.name!r}") for feature in (one, other)]
    if kinds[0] != kinds[1]:
        raise ValueError(f"PMML cannot compare {one.name!r} with {other.name!r}, which have different types.")
    listed = apply("isIn", field(left), *(constant(value, kinds[0]) for value in one.values))
    equal = apply("if", apply("and", apply("equal", field(left), field(right)), listed), constant(1.0), constant(0.0))
    return apply("if", apply("and", apply("isNotMissing", field(left)), apply("isNotMissing", field(right))), equal)


def count(members: list[tuple[Condition, Feature]], fields: Mapping[str, str]) -> ET.Element:
    """Write how many members hold."""
    degrees = [degree(condition, feature, fields[feature.name]) for condition, feature in members]
    return reduce(partial(apply, "+"), degrees)


def calculated(said: dict[str, Any], schema: Schema, fields: Mapping[str, str]) -> ET.Element:
    """Write a calculation that `nln.export.calculations.calculation` describes."""
    if "members" in said:
        return count(said["members"], fields)
    if "same" in said:
        one, other = (schema[name] for name in said["same"])
        return same(one, other, fields)
    return quotient(said["above"], said["below"], fields)


def _sum(asked: Any, fields: Mapping[str, str]) -> ET.Element:
    """Write a sum of products; one that only rounding keeps from 0 is 0."""
    tolerance, terms = asked
    total = _total(terms, fields)
    if not tolerance:
        return total
    size = reduce(partial(apply, "+"), (apply("abs", _product(names, fields)) for _, names in terms))
    nearly = apply("lessThan", apply("abs", _total(terms, fields)), apply("*", constant(tolerance), size))
    return apply("if", nearly, constant(0.0), total)


def _total(terms: Any, fields: Mapping[str, str]) -> ET.Element:
    total: ET.Element | None = None
    for sign, names in terms:
        product = _product(names, fields)
        if total is None:
            total = product if sign > 0 else apply("-", constant(0.0), product)
        else:
            total = apply("+" if sign > 0 else "-", total, product)
    assert total is not None
    return total


def _product(names: tuple[str, ...], fields: Mapping[str, str]) -> ET.Element:
    return reduce(partial(apply, "*"), (field(fields[name]) for name in names))
