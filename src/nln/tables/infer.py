"""Which kind of feature each column of a table is: guessed from its type and values, or as the user says."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from nln.rules.cells import Array, Categories, Cells, Numbers, check_finite, encode, read_numbers
from nln.rules.dates import DateOrder
from nln.rules.readings import NumberReading
from nln.rules.schema import FEATURE_KINDS, LARGEST_WHOLE, Feature, FeatureKind, Value, sort_values
from nln.tables.calculated import calculate, split_calculations
from nln.tables.frames import Table
from nln.tables.kinds import Calculated, Distribution, Hierarchy, Periodic, check_sums
from nln.tables.levels import level_features
from nln.tables.recognise import date_features, date_pairs, find_date_order, find_numbers, pair_feature

DateKind = Literal["date", "date:dmy", "date:mdy"]
DATE_KINDS: tuple[DateKind, ...] = get_args(DateKind)

KindWish: TypeAlias = FeatureKind | tuple[Value, ...] | Periodic
Wish: TypeAlias = KindWish | DateKind | Hierarchy
FeatureTypes: TypeAlias = (
    FeatureKind
    | DateKind
    | Mapping[str, FeatureKind | DateKind | Sequence[Value] | Periodic | Hierarchy | Distribution | Calculated]
    | None
)
"""A kind for all columns, or by column a kind, the list of its values in order, its period or its levels;
distributions and calculations by name."""

_KINDS = (*(kind for kind in FEATURE_KINDS if kind != "periodic"), *DATE_KINDS)
_ALLOWED = f"{', '.join(map(repr, _KINDS))}, Periodic(24) with a column's period, Hierarchy((1, 3)) with "
_ALLOWED += "the lengths of its prefixes"


def infer_features(table: Table, feature_types: FeatureTypes = None) -> tuple[tuple[Feature, ...], dict[str, Array]]:
    """Find the features of a table, in the order of its columns, and read their columns.

    Booleans, and columns of two values without gaps, are binary; two values with gaps, and text, are categorical; other
    numbers are continuous. Two numbers count as values if they are whole, and 1.0 is the same as 1: the type of a
    column, which gaps and imputers change, says nothing. An ordered categorical type of pandas or pyarrow
    makes an ordinal feature with all its values in the order of the type; a polars Enum is categorical, and ordinal
    in the order of the type on request. Dates become several features, and text that writes numbers in one way a
    continuous one (`nln.tables.recognise`). Columns without two different values tell nothing and are left out with a
    warning. What `feature_types` may say is described in `NLNClassifier`.
    """
    calculations, feature_types = split_calculations(table.names, feature_types)
    wishes, distributions = _wishes(table.names, feature_types)
    features: list[Feature] = []
    columns: dict[str, Array] = {}
    ignored: list[str] = []
    dates = _Dates(table.names)
    for name in table.names:
        cells = table.cells(name)
        check_finite(name, cells)
        wish, reading = wishes.get(name), None
        found = _several(name, cells, wish, dates)
        if found is not None:
            features += found
            columns |= {feature.name: column for feature, column in found.items()}
            ignored += [] if found else [name]
            continue
        wish = cast("KindWish | None", wish)
        if isinstance(cells, Categories) and (reading := _number_reading(cells, wish)) is not None:
            cells, wish = read_numbers(name, reading, cells), wish or "continuous"
        feature = replace(_feature(name, cells, wish), reading=reading)
        columns[name] = encode(feature, cells)
        known = (cells.values if isinstance(cells, Numbers) else cells.codes)[~cells.missing]
        if feature.kind == "periodic":  # where different numbers may be one place: 0 and 24 o'clock are
            known = columns[name][~np.isnan(columns[name])]
        if _is_constant(known):
            ignored.append(name)
        else:
            features.append(feature)
    for feature, column in dates.pairs().items():
        features.append(feature)
        columns[feature.name] = column
    for name, distribution in distributions.items():
        check_sums(name, {column: columns[column] for column in distribution.columns})
    features = [_measured(feature, columns[feature.name]) for feature in features]
    for feature, column in calculate(calculations, features, columns).items():
        columns[feature.name] = column
        is_constant = _is_constant(column[~np.isnan(column)] if feature.is_numeric else column[column >= 0])
        ignored += [feature.name] * is_constant
        features += [feature] * (not is_constant)
    for name in ignored:
        columns.pop(name, None)
    if ignored:
        warnings.warn(
            f"Columns without two different values tell nothing and are ignored: {_list(ignored)}.",
            UserWarning,
            stacklevel=3,
        )
    return tuple(features), columns


def _several(name: str, cells: Cells, wish: Wish | None, dates: _Dates) -> dict[Feature, Array] | None:
    """Read the features of a column that has several: of dates, or of a hierarchy of codes; None of another one."""
    if isinstance(wish, Hierarchy):
        found = level_features(name, wish, cells)
        for feature in found:
            if feature.name in dates.names:
                raise ValueError(
                    f"A level of the hierarchy {name!r} is called {feature.name!r}, and so is a column of X. Rename "
                    "the column."
                )
        return found
    order = _date_order(name, cells, wish)
    return None if order is None else dates.read(name, cells, order)


class _Dates:
    """The columns of dates met so far, and the features that are read from them, those with one value left out."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names  # of all columns: no feature takes the name of one
        self.cells: dict[str, Cells] = {}
        self.orders: dict[str, DateOrder] = {}

    def read(self, name: str, cells: Cells, order: DateOrder) -> dict[Feature, Array]:
        self.cells[name], self.orders[name] = cells, order
        return self._telling(date_features(name, order, cells))

    def pairs(self) -> dict[Feature, Array]:
        return self._telling(pair_feature(*pair, self.orders, self.cells) for pair in date_pairs(self.orders))

    def _telling(self, features: Iterable[Feature]) -> dict[Feature, Array]:
        found = {}
        for feature in features:
            column = encode(feature, *(self.cells[name] for name in feature.columns))
            known = column[~np.isnan(column)] if feature.is_numeric else column[column >= 0]
            if feature.name not in self.names and not _is_constant(known):
                found[feature] = column
        return found


def observed(cells: Cells) -> tuple[Value, ...]:
    """Sort the distinct values of a decoded column."""
    if isinstance(cells, Numbers):
        distinct = np.unique(cells.values[~cells.missing]).tolist()
        return sort_values(map(bool, distinct) if cells.kind == "bool" else distinct)
    return sort_values(cells.values[code] for code in np.unique(cells.codes) if code >= 0)


def _feature(name: str, cells: Cells, wish: KindWish | None) -> Feature:
    if wish is None:
        wish = _guess(cells)
    if isinstance(wish, Periodic):
        return Feature(name, "periodic", period=wish.period)
    if not isinstance(wish, str):
        return _listed(name, cells, wish)
    if wish in ("continuous", "probability"):
        return Feature(name, wish)
    if wish == "ordinal" and isinstance(cells, Categories) and cells.order not in ("none", "category"):
        return Feature(name, "ordinal", tuple(cells.values))
    values = observed(cells)
    if wish == "binary" and len(values) > 2:
        raise ValueError(
            f"Column {name!r} cannot be binary: it has {len(values)} different values ({_list(values, 5)}). "
            f"Let feature_types say 'categorical' or 'ordinal', or leave it out."
        )
    if wish == "binary" and cells.missing.any():
        return Feature(name, "categorical", values)
    return Feature(name, wish, values)


def _date_order(name: str, cells: Cells, wish: Wish | None) -> DateOrder | None:
    """Find how a column is read as dates, by its cells or as the user says; None if it is not."""
    if wish in ("date:dmy", "date:mdy"):
        return "dmy" if wish == "date:dmy" else "mdy"
    if wish not in (None, "date"):
        return None
    order = None
    if isinstance(cells, Categories) and (wish == "date" or cells.order in ("none", "dates")):
        order = "" if cells.order == "dates" else find_date_order(_used(cells))
    if order is None and wish == "date":
        raise ValueError(
            f"Column {name!r} cannot be read as dates in one way. If days and months are numbers, let feature_types "
            "say 'date:dmy' (day first) or 'date:mdy' (month first)."
        )
    return order


def _number_reading(cells: Categories, wish: Wish | None) -> NumberReading | None:
    """Find how text is read as numbers, if the user does not say that it is something else."""
    if wish is None and cells.order != "none":  # the column's type says that it holds values, or dates
        return None
    if not (wish in (None, "continuous") or isinstance(wish, Periodic)):
        return None
    return find_numbers(_used(cells), plain=wish is not None)


def _used(cells: Categories) -> list[Value]:
    """Values that occur in a column."""
    return [cells.values[code] for code in np.unique(cells.codes[cells.codes >= 0])]


def _measured(feature: Feature, column: Array) -> Feature:
    """Give a continuous feature its range, and say whether all its numbers are whole, whatever their type."""
    known = column[~np.isnan(column)] if feature.kind == "continuous" else column[:0]
    if not len(known):
        return feature
    low, high = float(known.min()), float(known.max())
    return replace(feature, whole=_are_whole(known) and max(-low, high) <= LARGEST_WHOLE, range=(low, high))


def _are_whole(numbers: Array) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def _guess(cells: Cells) -> FeatureKind:
    if isinstance(cells, Categories):
        if cells.order == "ordered":
            return "ordinal"
        return "binary" if not cells.missing.any() and len(np.unique(cells.codes)) <= 2 else "categorical"
    if cells.kind == "bool":
        return "binary"
    values = cells.values[~cells.missing]
    if not len(values):
        return "categorical"
    low, high = values.min(), values.max()
    is_whole = low % 1 == 0 and high % 1 == 0
    return "binary" if is_whole and bool(((values == low) | (values == high)).all()) else "continuous"


def _listed(name: str, cells: Cells, values: tuple[Value, ...]) -> Feature:
    """Make an ordinal feature whose values the user lists in order."""
    feature = Feature(name, "ordinal", values)
    unknown = [value for value in observed(cells) if value not in values]
    if unknown:
        raise ValueError(
            f"Column {name!r} has values that its list in feature_types leaves out: {_list(unknown)}. "
            f"Listed: {_list(values)}. Add them in their place."
        )
    return feature


def _is_constant(values: Array) -> bool:
    return not len(values) or bool((values == values[0]).all())


def _wishes(names: Sequence[str], feature_types: Any) -> tuple[dict[str, Wish], dict[str, Distribution]]:
    """Check what the user says of the columns: kinds by column, and distributions by name."""
    if feature_types is None:
        return {}, {}
    if isinstance(feature_types, str):
        return dict.fromkeys(names, _kind("all columns", feature_types)), {}
    if not isinstance(feature_types, Mapping):
        raise TypeError(
            "feature_types must be a kind for all columns or a mapping from column name to kind, not "
            f"{type(feature_types).__name__}."
        )
    distributions = {name: wish for name, wish in feature_types.items() if isinstance(wish, Distribution)}
    wishes = {name: wish for name, wish in feature_types.items() if name not in distributions}
    for name in wishes:
        check_column(name, names, "feature_types names")
    kinds = {name: _wish(name, wish) for name, wish in wishes.items()}
    return {**kinds, **_parts(distributions, kinds, names)}, distributions


def check_column(name: Any, names: Sequence[str], where: str) -> None:
    """Refuse a name that is no column of X, and say which column is nearest to it."""
    if name not in names:
        nearest = difflib.get_close_matches(str(name), names, n=1, cutoff=0.0)
        raise ValueError(f"{where} {name!r}, but X has no such column. Did you mean {nearest[0]!r}?")


def _parts(
    distributions: Mapping[str, Distribution], kinds: Mapping[str, Wish], names: Sequence[str]
) -> dict[str, Wish]:
    """Make the columns of the distributions probabilities; each belongs to one distribution and to nothing else."""
    owner: dict[str, str] = {}
    for name, distribution in distributions.items():
        if name in names:
            raise ValueError(
                f"feature_types gives a distribution the name {name!r}, which is a column of X. Give it another name."
            )
        for column in distribution.columns:
            check_column(column, names, f"The distribution {name!r} names")
            if column in owner:
                raise ValueError(
                    f"Column {column!r} is in two distributions, {owner[column]!r} and {name!r}. Leave it in one."
                )
            if kinds.get(column, "probability") != "probability":
                raise ValueError(
                    f"feature_types says {kinds[column]!r} for column {column!r}, which is part of the distribution "
                    f"{name!r}. Leave it out of one of them."
                )
            owner[column] = name
    return dict.fromkeys(owner, "probability")


def _wish(name: str, wish: Any) -> Wish:
    if isinstance(wish, Periodic | Hierarchy):
        return wish
    if isinstance(wish, str):
        return _kind(f"column {name!r}", wish)
    if isinstance(wish, tuple) and len(wish) == 2 and wish[0] == "periodic":
        return Periodic(wish[1])
    if isinstance(wish, Sequence | np.ndarray):
        values = tuple(wish.tolist() if isinstance(wish, np.ndarray) else wish)
        if values and all(isinstance(v, str | bool | int | float) for v in values) and len(set(values)) == len(values):
            return values
    raise ValueError(
        f"feature_types says {wish!r} for column {name!r}; allowed: {_ALLOWED}, or the list of the column's different "
        "values (text, numbers or truth values) in order."
    )


def _kind(whose: str, kind: str) -> FeatureKind | DateKind:
    if kind in DATE_KINDS:
        return kind
    if kind == "periodic":
        raise ValueError(
            f"feature_types says 'periodic' for {whose} without a period. Give it in a mapping from columns, for "
            "example {'hour': Periodic(24)}."
        )
    if kind not in FEATURE_KINDS:
        raise ValueError(
            f"feature_types says {kind!r} for {whose}; allowed: {_ALLOWED} or, in a mapping, the list of a column's "
            "values in order."
        )
    return kind


def _list(values: Sequence[Any], most: int = 20) -> str:
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(map(repr, values[:most])) + more
