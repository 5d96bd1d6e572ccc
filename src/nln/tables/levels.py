"""The levels of a hierarchy of codes: a categorical feature for the first characters, for each length.

A level is a reading and not a calculation. A calculation sees the values of another feature, where all codes that were
rare or never seen in training are one; the first characters must be taken of the cell itself. It is not a further kind
of condition, either: what learns, simplifies, explains and exports meets a categorical feature and needs no word about
prefixes, and the price of a literal decides between one chapter and many codes.
"""

from __future__ import annotations

import numpy as np

from nln.rules.cells import Array, Cells, Numbers, encode, read_codes, read_prefixes
from nln.rules.readings import PrefixReading
from nln.rules.schema import Feature, sort_values
from nln.tables.kinds import Hierarchy


def level_features(name: str, hierarchy: Hierarchy, cells: Cells) -> dict[Feature, Array]:
    """Make the features of a column of codes; a level that groups the codes as the one before it is left out."""
    _check_digits(name, cells)
    found: dict[Feature, Array] = {}
    groups = 1  # a longer prefix splits groups, so that equally many are the same
    for length in hierarchy.lengths:
        reading = PrefixReading(name, length)
        prefixes = read_prefixes(reading, cells)
        values = sort_values(prefixes.values[code] for code in np.unique(prefixes.codes) if code >= 0)
        if len(values) > groups:
            feature = Feature(level_name(name, length), "categorical", values, reading=reading)
            found[feature] = encode(feature, cells)
            groups = len(values)
    return found


def level_name(column: str, length: int) -> str:
    """Name a level: a plain word if the column's name is one, so that rules write it without quotes."""
    return f"{column}_first_{length}"


def _check_digits(name: str, cells: Cells) -> None:
    """Refuse numbers of different length, which may have lost leading zeros."""
    if not isinstance(cells, Numbers):
        return
    codes = read_codes(name, cells)
    shortest, longest = (
        choose((codes.values[code] for code in np.unique(codes.codes) if code >= 0), key=len, default="")
        for choose in (min, max)
    )
    if len(shortest) < len(longest):
        raise ValueError(
            f"Column {name!r} is a hierarchy of codes, but holds numbers of {len(shortest)} to {len(longest)} digits "
            f"({shortest} and {longest}): leading zeros may be lost. Give the codes as text: read the column as text, "
            f"or write its zeros again, for example X[{name!r}].astype(str).str.zfill({len(longest)}) with pandas."
        )
