"""The columns of a table as `nln fit` takes them: kinds given with `--types`, and a line about each column."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from nln.cli.errors import InputError
from nln.rules.cells import Categories, Cells, read_times
from nln.rules.dates import DateReading
from nln.rules.decoding import decode
from nln.rules.language.words import counted, number, spelled
from nln.rules.readings import NumberReading, PrefixReading
from nln.rules.schema import FEATURE_KINDS, Feature
from nln.tables.files.table_file import unknown_column
from nln.tables.proposals import propose
from nln.tables.recognise import count_limits

TYPES_HELP = (
    "Kind of a column, if its cells do not tell: binary, categorical, ordinal, continuous, probability, periodic:24 "
    "(with its period), ordinal:low,mid,high (with its values in order), hierarchy:1,3,5 (codes, with the lengths of "
    "their prefixes), date, date:dmy or date:mdy (day or month first); may be repeated."
)

_WIDTH = 40
"""Most characters of a list of values."""


def read_types(pairs: Iterable[str], table: Any, file: str) -> dict[str, Any]:
    """Read the `column=kind` pairs of `--types`, for columns of a pyarrow table, as `NLNClassifier` takes them."""
    types: dict[str, Any] = {}
    for pair in pairs:
        name, kind = _split(pair, table.column_names, file)
        if name in types:
            raise InputError(f"--types gives the column {name!r} twice. Give it once.")
        types[name] = _kind(name, kind, table)
    return types


def code_columns(pairs: Iterable[str], names: Sequence[str]) -> set[str]:
    """Return the columns that `--types` calls hierarchies of codes: their cells are text, zeros in front included."""
    found = {name: pair[len(name) + 1 :] for pair in pairs for name in names if pair.startswith(f"{name}=")}
    return {name for name, kind in found.items() if kind.strip().startswith("hierarchy")}


def read_calculations(texts: Iterable[str], types: Mapping[str, Any]) -> dict[str, Any]:
    """Add the columns that `--feature "name = expression"` calculates to the kinds that the user chose."""
    from nln.tables.kinds import Calculated

    found = dict(types)
    for text in texts:
        name, equals, expression = (part.strip() for part in text.partition("="))
        if not (name and equals and expression):
            raise InputError(
                f'--feature takes "name = expression", such as "bmi = weight / height / height", not {text!r}.'
            )
        if name in found:
            raise InputError(f"--feature gives the name {name!r} to a column that has one already. Take another name.")
        found[name] = Calculated(expression)
    return found


def _split(pair: str, names: Sequence[str], file: str) -> tuple[str, str]:
    fitting = [name for name in names if pair.startswith(f"{name}=")]  # names may contain an equals sign
    if fitting:
        name = max(fitting, key=len)
        return name, pair[len(name) + 1 :].strip()
    name, equals, _ = pair.partition("=")
    if not equals:
        raise InputError(f"--types takes column=kind, not {pair!r}.")
    raise InputError(f"--types: {unknown_column(name, names, file)}")


def _kind(name: str, kind: str, table: Any) -> Any:
    from nln.tables.kinds import Hierarchy, Periodic

    word, colon, rest = kind.partition(":")
    if word == "periodic":
        try:
            return Periodic(float(rest))
        except ValueError:
            raise InputError(
                f"--types gives {name!r} the kind {kind!r}. Give its period too, as in {name}=periodic:24."
            ) from None
    if word == "hierarchy":
        try:
            return Hierarchy(tuple(int(length) for length in rest.split(",")))
        except ValueError:
            raise InputError(
                f"--types gives {name!r} the kind {kind!r}. Give the lengths of its prefixes, whole numbers that "
                f"increase, as in {name}=hierarchy:1,3,5."
            ) from None
    if word == "ordinal" and colon:
        return _read_values(name, [value.strip() for value in rest.split(",")], table)
    if kind in ("date", "date:dmy", "date:mdy"):
        return kind
    if kind not in FEATURE_KINDS:
        kinds = ", ".join(one for one in FEATURE_KINDS if one != "periodic")
        raise InputError(
            f"--types gives {name!r} the kind {kind!r}; known: {kinds}, periodic:24, ordinal:low,mid,high, "
            "hierarchy:1,3,5, date, date:dmy, date:mdy."
        )
    return kind


def _read_values(name: str, texts: list[str], table: Any) -> list[Any]:
    """Read the values of an ordinal column with the type that the column has."""
    import pyarrow as pa

    from nln.tables.files.cells import CellRules, type_column

    if pa.types.is_string(table[name].type) or pa.types.is_large_string(table[name].type):
        return texts
    values: list[Any] = type_column(name, pa.array(texts), CellRules()).cells.to_pylist()
    return values


def keep_columns(names: Sequence[str], types: Mapping[str, Any], table: Any, file: str) -> dict[str, Any]:
    """Add to the kinds that the user chose those of the columns of `--keep` that would be left out as identifiers."""
    for name in names:
        if name not in table.column_names:
            raise InputError(f"--keep: {unknown_column(name, table.column_names, file)}")
    features, _, identifiers = _infer(table, types)
    kinds = {feature.name: feature.kind for feature in features if feature.name in {*identifiers} & {*names}}
    return {**types, **kinds}


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """What is said of a column; its kind is "left out" if rules do not use it."""

    name: str
    kind: str
    values: str  # a list of its values, or its range
    missing: int  # rows without a value
    association: float | None = None  # with the target, from 0 to 1
    note: str = ""  # what the user should look at


def describe_columns(table: Any, y: Any, feature_types: Mapping[str, Any]) -> list[ColumnLine]:
    """Describe the columns of a pyarrow table as learning will take them, given the kinds that the user chose.

    Those that go with the target most closely come first, those that are left out last.
    """
    features, columns, identifiers = _infer(table, feature_types)
    known = {feature.name: feature for feature in features}
    strength = _associations([f for f in features if f.name not in identifiers], columns, y)
    several: dict[str, list[Feature]] = {}  # by the column that they are read from
    for feature in features:
        if isinstance(feature.reading, DateReading | PrefixReading):
            several.setdefault(feature.reading.column, []).append(feature)
    lines = []
    for name in table.column_names:
        missing = int(table[name].null_count)
        if name in several:
            kind, values, note = _describe_several(name, several[name], table[name])
            closest = max(strength[feature.name] for feature in several[name])
            lines.append(ColumnLine(name, kind, values, missing, closest, note))
        elif name not in known:
            values, note = _only_value(table[name]), "no two different values"
            lines.append(ColumnLine(name, "left out", values, missing, note=note))
        elif name in identifiers:
            note = f"an identifier? --keep {shlex.quote(name)} uses it"
            lines.append(ColumnLine(name, "left out", _values(known[name], columns[name]), missing, note=note))
        else:
            values = _values(known[name], columns[name])
            note = _note(known[name], table[name])
            lines.append(ColumnLine(name, known[name].kind, values, missing, strength[name], note))
    for feature in features:
        if feature.derived is not None:
            column, note = columns[feature.name], f"calculated: {feature.derived.text}"
            missing = int(np.isnan(column).sum() if feature.is_numeric else (column < 0).sum())
            values = _values(feature, column)
            lines.append(ColumnLine(feature.name, feature.kind, values, missing, strength[feature.name], note))
    return sorted(lines, key=lambda line: -1.0 if line.association is None else line.association, reverse=True)


def _infer(
    table: Any, feature_types: Mapping[str, Any]
) -> tuple[Sequence[Feature], Mapping[str, Any], Collection[str]]:
    """Find the features of a table, their columns, and the features that are left out as identifiers."""
    from nln.tables.frames import read_table
    from nln.tables.identifiers import find_identifiers
    from nln.tables.infer import infer_features

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about columns that are left out: their lines say so
        features, columns = infer_features(read_table(table), dict(feature_types) or None)
    named = {*feature_types} | {parent for f in features if f.derived is not None for parent in f.derived.features}
    return features, columns, find_identifiers(features, columns, named)


def _associations(features: Sequence[Feature], columns: Mapping[str, Any], y: Any) -> dict[str, float]:
    from nln.tables.association import associations
    from nln.tables.encoding import make_encoding
    from nln.tables.target import read_target

    target, outputs, _ = read_target(y)
    encoding = make_encoding(tuple(features), columns, np.ones(len(outputs)))
    return associations(encoding, encoding.codes(columns, len(outputs)), outputs, target.kind)


def describe_target(name: str, labels: Sequence[Any], missing: int) -> ColumnLine:
    """Describe the target: its classes and how many rows have each."""
    values, counts = np.unique(np.array(labels, dtype=object), return_counts=True)
    said = [f"{spelled(v)} {c}" for v, c in zip(values.tolist(), counts.tolist(), strict=True)]
    return ColumnLine(name, "target", _listed(said), missing, note="these rows are left out" if missing else "")


def _values(feature: Feature, column: Any) -> str:
    """List the values of a column, or say from where to where they go."""
    if feature.is_numeric:
        known = column[~np.isnan(column)]
        ends = (float(known.min()), float(known.max()))
        return " to ".join(number(end if feature.derived is None else _short(end)) for end in ends)
    return _listed([spelled(value) for value in feature.values])


def _short(value: float) -> float:
    """Round to four digits, or to a whole number: a result of arithmetic has as many digits as it likes."""
    return float(f"{value:.4g}") if abs(value) < 1000 else float(round(value))


def _note(feature: Feature, cells: Any) -> str:
    """Say how the cells of a column are read if they are not taken as they are, or propose another kind."""
    decoded = decode(feature.name, cells)
    if isinstance(feature.reading, NumberReading):
        return _reading_note(feature, feature.reading, decoded)
    found = propose(feature, decoded)
    if found is None or (not isinstance(found.kind, str) and any("," in str(value) for value in found.kind)):
        return ""
    kind = found.kind if isinstance(found.kind, str) else f"ordinal:{','.join(map(str, found.kind))}"
    return f"{found.what} --types {shlex.quote(f'{feature.name}={kind}')}"


def _describe_several(name: str, features: Sequence[Feature], cells: Any) -> tuple[str, str, str]:
    """Give the kind, the values and a note of a column that several features are read from."""
    lengths = [feature.reading.length for feature in features if isinstance(feature.reading, PrefixReading)]
    if lengths:
        values = _listed([spelled(value) for value in features[-1].values])
        return "hierarchy", values, f"read by its first {', '.join(map(str, lengths))} characters"
    dates = [feature.reading for feature in features if isinstance(feature.reading, DateReading)]
    return "date", *_describe_dates(name, dates, cells)


def _describe_dates(name: str, readings: Sequence[DateReading], cells: Any) -> tuple[str, str]:
    """Say from where to where dates go, what rules may ask of them, and how to take them as they are."""
    times = read_times(name, decode(name, cells), readings[0].order)
    known = times[~np.isnat(times)].astype("datetime64[D]")
    asked = [f"days since {r.since or r.since_column}" if r.part == "days" else r.part for r in readings]
    note = f"read as {', '.join(asked)}; as text: --types {shlex.quote(f'{name}=categorical')}"
    return f"{known.min()} to {known.max()}", note


def _reading_note(feature: Feature, reading: NumberReading, cells: Cells) -> str:
    limits = count_limits(cells, reading) if isinstance(cells, Categories) else 0
    found = [f"numbers in {reading.unit}" if reading.unit else "numbers in text"]
    if limits:
        found.append(f"{counted(limits, 'cell')} at a limit count as the limit")
    return f"{', '.join(found)}; as text: --types {shlex.quote(f'{feature.name}=categorical')}"


def _only_value(cells: Any) -> str:
    known = cells.drop_null()
    return spelled(known[0].as_py()) if len(known) else "all missing"


def _listed(texts: Sequence[str]) -> str:
    """List values, shortened to the width of a line."""
    said = ", ".join(texts)
    if len(said) <= _WIDTH:
        return said
    kept = sum(length <= _WIDTH - 12 for length in accumulate(len(text) + 2 for text in texts))
    return f"{', '.join(texts[:kept])}, ... ({len(texts)} values)" if kept else f"{len(texts)} values"
