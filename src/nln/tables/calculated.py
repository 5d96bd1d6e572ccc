"""Columns that the user calculates from others: their expressions are read, and their columns made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nln.rules.cells import Array
from nln.rules.derived.make import derived_feature
from nln.rules.schema import Feature
from nln.tables.kinds import Calculated


def split_calculations(names: Sequence[str], feature_types: Any) -> tuple[dict[str, Calculated], Any]:
    """Tell calculations from what the user says of the columns; no column of X may have the name of one."""
    if not isinstance(feature_types, Mapping):
        return {}, feature_types
    found = {name: wish for name, wish in feature_types.items() if isinstance(wish, Calculated)}
    for name, wish in found.items():
        if not isinstance(name, str):
            raise TypeError(f"feature_types calculates {wish.expression!r} under the name {name!r}; names are text.")
        if name in names:
            raise ValueError(
                f"feature_types calculates {name!r} by {wish.expression!r}, but X has a column of that name. Give the "
                "calculation another name."
            )
    return found, {name: wish for name, wish in feature_types.items() if name not in found}


def calculate(
    calculations: Mapping[str, Calculated], features: Sequence[Feature], columns: Mapping[str, Array]
) -> dict[Feature, Array]:
    """Give each calculation as a feature with its range, and its column; later ones may use earlier ones."""
    if not calculations:  # lark need not be loaded
        return {}
    from nln.rules.language.errors import RuleSyntaxError
    from nln.rules.language.formula import parse_expression

    found: dict[Feature, Array] = {}
    for name, calculation in calculations.items():
        said = f"feature_types calculates {name!r} by {calculation.expression!r}"
        try:
            derived = parse_expression(calculation.expression, (*features, *found))
        except RuleSyntaxError as error:
            raise ValueError(f"{said}, which cannot be read. {error}") from None
        if len(derived.mentions) < 2:
            raise ValueError(f"{said}, which is a column as it stands. Join columns by +, -, * or /.")
        column = derived.evaluate(columns)
        numbers = column[~np.isnan(column)]
        ends = (float(numbers.min()), float(numbers.max())) if len(numbers) else None
        found[derived_feature(derived, name, ends)] = column
    return found
