"""Columns that look like row numbers, keys or names: they tell the rows apart and say nothing about others."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

import numpy as np

from nln.rules.cells import Array, Column
from nln.rules.schema import Feature

FEWEST_VALUES = 20
"""From this many different values on, the values of a column tell whether it is an identifier."""
FEWEST_NAMED = 8
"""The same, if the column's name says so as well."""

_ALL_BUT_FEW = 0.9
"""Of the rows, the share of different values from which nearly all values of a text differ."""
_FEW_ROWS_EACH = 0.2
"""The same for a column that is called an identifier: a patient may have several visits."""

_KEY = re.compile(
    r"(.* )?(ids?|uid|uuid|guid|mrn|ssn|iban|isbn|vin|imei|email|phone|url|zip|zipcode|postcode|plz|barcode"
    r"|row ?id|row ?names?|row ?num|row ?number"
    r"|(account|applicant|application|booking|case|chart|client|contract|customer|employee|encounter|hospital|invoice"
    r"|item|line|loan|member|order|participant|passenger|passport|patient|person|phone|policy|postal|post|primary|record"
    r"|respondent|sample|serial|specimen|staff|student|subject|ticket|user|visit|zip) (no|nr|num|number|code|key))"
    r"|id .*|key|index|row|no|nr|number|serial|ticket|unnamed"
)
"""Names of columns that are keys of the rows, as words in small letters."""


def find_identifiers(
    features: Collection[Feature],
    columns: Mapping[str, Column],
    asked_for: Collection[str] = (),
    rows_each: float = 1.0,
) -> dict[str, str]:
    """Find the features that look like identifiers, and say why; those that the user asks for are none.

    The order of the rows plays no part. If they are a sample, each stands for `rows_each` rows. If nothing else were
    left to learn from, no feature is an identifier.
    """
    found = {}
    for feature in features:
        if feature.name not in asked_for and (reason := _reason(feature, columns[feature.name], rows_each)):
            found[feature.name] = reason
    return found if len(found) < len(features) else {}


def _reason(feature: Feature, column: Column, rows_each: float) -> str:
    """Say why a column looks like an identifier; nothing if it does not."""
    known = _codes(feature, column)
    values = np.unique(known)
    is_many = len(values) >= max(FEWEST_NAMED, _FEW_ROWS_EACH * len(known))
    if is_many and is_called_identifier(feature.name):
        return "its name says so"
    if len(values) < FEWEST_VALUES:
        return ""
    if feature.kind == "continuous":
        return "it numbers the rows" if _numbers_rows(values, len(known), rows_each) else ""
    return "nearly all its values differ" if len(values) >= _ALL_BUT_FEW * len(known) else ""


def _codes(feature: Feature, column: Column) -> Array:
    """The known cells of a column that could be a key, text or whole numbers as they stand; none of another one."""
    if feature.kind == "continuous" and feature.reading is None:
        known: Array = column[~np.isnan(column)]
        return known if (known == np.floor(known)).all() else known[:0]
    is_text = feature.kind == "categorical" and all(isinstance(value, str) for value in feature.values)
    return column[column >= 0] if is_text and feature.reading is None else column[:0]


def _numbers_rows(values: Array, rows: int, rows_each: float) -> bool:
    """Whether ascending whole numbers count rows from 0 or 1, some of which may be in another table.

    So many numbers in so small a range are all different only if somebody counted. Years do not begin near 0.
    """
    low, span = values[0], values[-1] - values[0]
    return len(values) == rows and span < 2 * rows * rows_each and 0 <= low <= 1 + span / 10


def is_called_identifier(name: str) -> bool:
    """Whether a name says that its column is a key of the rows: `id`, `PatientID`, `mrn`, `case no.`, `zip_code`."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return _KEY.fullmatch(" ".join(words).lower()) is not None


def identifier_notes(found: Mapping[str, str]) -> tuple[str, ...]:
    """Say which columns are not used because they look like identifiers, and how to keep them."""
    if not found:
        return ()
    names = ", ".join(f"{name!r} ({reason})" for name, reason in found.items())
    how = "To use one, name it in feature_types (nln fit: --keep)."
    return (f"Columns that look like identifiers are not used: {names}. {how}",)
