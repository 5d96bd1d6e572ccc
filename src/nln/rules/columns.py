"""The reader of a user's table: finds the columns that a program asks about, whatever library the table comes from.

Columns are found by name, or by position where the table or the model has no names. A column that is asked about must
be there; any other may be absent. `nln.rules.cells` says what the cells of a column mean.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import Column, find_values
from nln.rules.children.bags import Bags
from nln.rules.children.reading import (
    Owners,
    Tables,
    countable,
    is_child_count,
    linked_columns,
    needed_keys,
    read_bags,
    read_counts,
)
from nln.rules.decoding import decode
from nln.rules.derived.kinds import with_derived
from nln.rules.opening import OpenTable, open_table, read_feature, sources
from nln.rules.schema import Schema, Value
from nln.rules.validate import listed


class Inputs(NamedTuple):
    """What a program sees of a table."""

    columns: dict[str, Column]
    n_rows: int
    bags: Mapping[str, Bags] = {}  # the rows of child tables that conditions count, by the names of the tables


def read_columns(
    X: Any, schema: Schema, *, only: Iterable[str] | None = None, tables: Tables | None = None
) -> dict[str, Column]:
    """Read a table's columns as numbers or as indices into the feature's values.

    Parameters
    ----------
    X : table
        A mapping from names to columns, a pandas or polars data frame, a pyarrow table, a structured array, a list of
        dict rows, one row (a dict of scalars or a series), or a two-dimensional array with the columns in the order of
        the schema.
    schema : Schema
        The features to read.
    only : iterable of str, default=None
        Names of the features to read; all by default. Other columns may be absent.
    tables : mapping of str to Child or table, default=None
        The child tables that features count, by their names. A count whose name is a column of X is read from there.

    Returns
    -------
    dict of str to array
        Continuous features, periodic ones (brought into [0, period)) and probabilities: float64 with NaN for missing.
        The others: int32 with -1 for missing and -2 for a value never seen. Values match as in Python: 1, 1.0 and True
        are the same, and text never matches a number. Beside features that are calculated stand those they are
        calculated from.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> colour = Feature("colour", "categorical", ("blue", "red"))
    >>> schema = Schema((colour, Feature("x", "continuous")), Target("y", "binary", (0, 1)))
    >>> read_columns({"colour": ["red", None, "green"], "x": [1, 2.5, None]}, schema)
    {'colour': array([ 1, -1, -2], dtype=int32), 'x': array([1. , 2.5, nan])}
    """
    return read_inputs(X, schema, only=only, tables=tables).columns


def read_inputs(
    X: Any,
    schema: Schema,
    *,
    only: Iterable[str] | None = None,
    if_present: Iterable[str] = (),
    names: Sequence[str] | None = None,
    named: bool | None = None,
    model: str = "the program",
    tables: Tables | None = None,
) -> Inputs:
    """Read the columns of `only` (all by default), and those of `if_present` that the table has; count the rows.

    A fitted model says by `names` and `named` which columns it saw and whether these were the table's own names. If
    they were not, or if the new table has none, columns match by position.
    """
    wanted = set(schema.names if only is None else only)
    optional = set(if_present) - wanted
    unknown = sorted((wanted | optional) - set(schema.names))
    if unknown:
        raise ValueError(f"The schema has no features {', '.join(map(repr, unknown))}.")
    derived = [name for name in schema.names if name in wanted | optional and schema[name].derived is not None]
    asked, perhaps = schema.plain(wanted), schema.plain(optional)
    computed = schema.behind(wanted.intersection(derived))
    computed |= countable(schema, optional.intersection(derived), computed, tables or {})
    wanted, optional = {feature.name for feature in asked}, {feature.name for feature in perhaps}
    counts = sorted(name for name in computed if is_child_count(schema[name]))
    links = linked_columns(schema, counts)
    own = [name for f in asked for name in dict.fromkeys((*f.columns, f.name))]
    table = open_table(X, [*own, *links, *counts])
    given = {name: read_counts(schema[name], table) for name in counts if name in table.keys}
    counts = [name for name in counts if name not in given]
    links = linked_columns(schema, counts)
    needed = list(dict.fromkeys([*(name for f in asked for name in sources(f, table.keys)), *links]))
    keys = _match(table, needed, names, schema, named, model)
    columns = {}
    for feature in schema.features:
        if feature.name in wanted or (feature.name in optional and set(sources(feature, table.keys)) <= set(keys)):
            columns[feature.name] = read_feature(feature, table, keys)
    n_rows = _length({**columns, **given}, table)
    present = [name for name in derived if name in computed or {f.name for f in schema.plain([name])} <= set(columns)]
    present = [name for name in present if name in computed or not is_child_count(schema[name])]
    cells = {link: decode(link, table.column(keys[link])) for link in links}
    children = map(schema.table, needed_keys(schema, counts))
    parents = {c.name: Owners(cells.get(c.parent_key or ""), cells.get(c.before or "")) for c in children}
    bags = read_bags(schema, counts, parents, n_rows, tables or {})
    return Inputs(with_derived({**columns, **given}, schema, present, bags), n_rows, bags)


def _length(columns: Mapping[str, Column], table: OpenTable) -> int:
    """Count the rows; all columns must have as many."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"The columns differ in length: {', '.join(f'{n!r} {k}' for n, k in lengths.items())}.")
    return next(iter(lengths.values())) if lengths else table.n_rows()


def read_truth(y: Any, schema: Schema, rows: int) -> NDArray[np.bool_]:
    """Turn the true classes, or 0 and 1 for each label of a multi-label target, into a (rows, outputs) mask."""
    target = schema.target
    if target.kind == "multilabel":
        matrix = np.asarray(y)
        if matrix.shape != (rows, len(target.labels)):
            raise ValueError(
                f"y must have shape {(rows, len(target.labels))}, a column for each label, not {matrix.shape}."
            )
        return matrix.astype(np.bool_)
    codes = find_values(decode("y", y), target.labels)
    if len(codes) != rows:
        raise ValueError(f"y has {len(codes)} entries, but the table has {rows} rows.")
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise ValueError(f"y holds {list(y)[row]!r} at row {row}; known labels: {listed(target.labels)}.")
    places = np.array([target.labels.index(label) for label in target.outputs])
    truth: NDArray[np.bool_] = codes[:, None] == places
    return truth


def label_array(labels: tuple[Value, ...]) -> NDArray[Any]:
    """Make an array of labels; as objects where NumPy's common type would change one of them (`1` beside `"a"`)."""
    array = np.array(labels)
    return array if tuple(array.tolist()) == labels else np.array(labels, dtype=object)


def _match(
    table: OpenTable, needed: Sequence[str], names: Sequence[str] | None, schema: Schema, named: bool | None, model: str
) -> dict[str, Any]:
    """Map the names of features to the keys of the table's columns."""
    texts = [key for key in table.keys if isinstance(key, str)]
    has_names = table.form != "matrix" and bool(texts)
    if table.form == "records" or (has_names and named is not False):
        _check_present(needed, table.keys, names)
        counts = Counter(texts)
        for name in needed:
            if counts[name] > 1:
                raise ValueError(f"Column names must differ, but {name!r} occurs {counts[name]} times. Rename one.")
        return {name: name for name in texts}
    if table.form == "frame" and named is None and set(needed) <= set(map(str, table.keys)):
        return {str(key): key for key in table.keys}
    seen = schema.columns if names is None else names
    if len(table.keys) != len(seen):
        raise ValueError(f"X has {len(table.keys)} features, but {model} is expecting {len(seen)} features as input.")
    if named is not None and named != has_names:
        had, has = ("with", "does not have valid") if named else ("without", "has")
        warnings.warn(
            f"X {has} feature names, but {model} was fitted {had} feature names: columns are matched by position.",
            UserWarning,
            stacklevel=5,
        )
    return dict(zip(seen, table.keys, strict=True))


def _check_present(needed: Sequence[str], given: Sequence[Any], seen: Sequence[str] | None) -> None:
    present = set(given)
    absent = [name for name in needed if name not in present]
    if not absent:
        return
    if seen is None:
        raise ValueError(f"The table lacks columns that are needed: {', '.join(map(repr, absent))}.")
    lines = ["The feature names should match those that were passed during fit."]  # as scikit-learn says it
    if further := sorted(map(str, present - set(seen))):
        lines += ["Feature names unseen at fit time:", *(f"- {name}" for name in further)]
    lines += ["Feature names seen at fit time, yet now missing:", *(f"- {name}" for name in sorted(absent))]
    raise ValueError("\n".join([*lines, ""]))
