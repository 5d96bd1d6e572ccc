"""`--types`: kinds of columns as they are said on the command line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from nln.cli.errors import InputError
from nln.rules.schema import FEATURE_KINDS
from nln.tables.files.table_file import unknown_column

HELP = (
    "Kind of a column where it should not be found from its cells: binary, categorical, ordinal, continuous, "
    "probability, periodic:24 (with its period) or ordinal:low,mid,high (with its values in order); may be repeated."
)


def read_types(pairs: Iterable[str], table: Any, file: str) -> dict[str, Any]:
    """Read what `--types` gives, as `NLNClassifier(feature_types=...)` takes it.

    Parameters
    ----------
    pairs : iterable of str
        Each `column=kind`.
    table : pyarrow table
        The columns there are.
    file : str
        What messages call the table.

    Raises
    ------
    InputError
        If there is no such column or kind.

    Examples
    --------
    >>> import pyarrow as pa
    >>> read_types(["size=ordinal:S,M,L", "hour=periodic:24"], pa.table({"size": ["M"], "hour": [3]}), "data.csv")
    {'size': ['S', 'M', 'L'], 'hour': Periodic(period=24.0)}
    """
    types: dict[str, Any] = {}
    for pair in pairs:
        name, kind = _split(pair, table.column_names, file)
        if name in types:
            raise InputError(f"--types gives the column {name!r} twice. Give it once.")
        types[name] = _kind(name, kind, table)
    return types


def _split(pair: str, names: list[str], file: str) -> tuple[str, str]:
    fitting = [name for name in names if pair.startswith(f"{name}=")]  # names may hold an equals sign
    if fitting:
        name = max(fitting, key=len)
        return name, pair[len(name) + 1 :].strip()
    name, equals, _ = pair.partition("=")
    if not equals:
        raise InputError(f"--types takes column=kind, not {pair!r}.")
    raise InputError(f"--types: {unknown_column(name, names, file)}")


def _kind(name: str, kind: str, table: Any) -> Any:
    from nln.tables.kinds import Periodic

    word, colon, rest = kind.partition(":")
    if word == "periodic":
        try:
            return Periodic(float(rest))
        except ValueError:
            raise InputError(
                f"--types gives {name!r} the kind {kind!r}; say the period as in {name}=periodic:24."
            ) from None
    if word == "ordinal" and colon:
        return _values(name, [value.strip() for value in rest.split(",")], table)
    if kind not in FEATURE_KINDS:
        kinds = ", ".join(one for one in FEATURE_KINDS if one != "periodic")
        raise InputError(
            f"--types gives {name!r} the kind {kind!r}; known: {kinds}, periodic:24, ordinal:low,mid,high."
        )
    return kind


def _values(name: str, texts: list[str], table: Any) -> list[Any]:
    """Give the values the type that the column has."""
    import pyarrow as pa

    from nln.tables.files.cells import CellRules, type_column

    if pa.types.is_string(table[name].type) or pa.types.is_large_string(table[name].type):
        return texts
    values: list[Any] = type_column(name, pa.array(texts), CellRules()).cells.to_pylist()
    return values
