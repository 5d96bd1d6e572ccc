"""Columns that the user calculates from others: their definitions are read, and their columns made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nln.rules.cells import Array
from nln.rules.define import define_features
from nln.rules.derived.kinds import with_derived
from nln.rules.language.errors import RuleSyntaxError
from nln.rules.schema import Feature, Schema, Target
from nln.tables.kinds import Calculated

_ANY_TARGET = Target("target", "binary", (0, 1))


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
    schema = Schema(tuple(features), _ANY_TARGET)
    for name, calculation in calculations.items():
        try:
            schema = define_features(schema, {name: calculation.expression})
        except RuleSyntaxError as error:
            raise ValueError(
                f"feature_types calculates {name!r} by {calculation.expression!r}, which cannot be read. {error}"
            ) from None
    made = with_derived(columns, schema, calculations)
    return {_measured(schema[name], made[name]): made[name] for name in calculations}


def _measured(feature: Feature, column: Array) -> Feature:
    numbers = column[~np.isnan(column)] if feature.kind == "continuous" else column[:0]
    return replace(feature, range=(float(numbers.min()), float(numbers.max()))) if len(numbers) else feature
