"""What is to be decided: the classes or labels of a target, as columns of zeros and ones."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from nln.rules.cells import Array, Categories, Cells, Numbers, find_values, shown
from nln.rules.decoding import decode
from nln.rules.schema import Target
from nln.tables.frames import RawColumn, Table, read_table
from nln.tables.infer import observed


class TargetColumns(NamedTuple):
    """A target as read from data."""

    target: Target
    outputs: Array  # (rows, outputs): 1.0 where the row has the label of `target.outputs`, else 0.0
    classes: Array  # the labels in the target's own type: the `classes_` of a scikit-learn classifier


def read_target(y: Any, n_rows: int | None = None, *, name: str | None = None) -> TargetColumns:
    """Read a target.

    It is one class per row (text, integers, truth values or whole floats), or a table of zeros and ones with a column
    per label. `name` is that of the target; else it is the name of the series, else "class".
    """
    if y is None:
        raise ValueError("NLNClassifier requires y to be passed, but the target y is None.")
    column = target_column(y)
    if column is None:
        table = read_table(y, argument="y")
        if len(table.names) > 1:
            _check_length(table.n_rows, n_rows)
            return _read_labels(table, name or "class")
        from sklearn.exceptions import DataConversionWarning

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples, ), for example using ravel().",
            DataConversionWarning,
            stacklevel=3,
        )
        column = table.columns[0]
    _check_length(len(column), n_rows)
    own = column.name if isinstance(column, nw.Series) else None
    return _read_classes(column, name or (own if isinstance(own, str) and own else "class"))


def target_column(y: Any) -> RawColumn | None:
    """Return the target as one column, None if it is a table."""
    if isinstance(y, Table):
        return None
    if isinstance(y, Numbers | Categories):
        return y
    try:
        native = nw.from_native(y, allow_series=True, pass_through=True)
    except DuplicateError as error:
        raise ValueError(f"The labels of y must have different names. {error}. Rename them.") from None
    if isinstance(native, nw.Series):
        return native
    if isinstance(native, nw.DataFrame | nw.LazyFrame) or hasattr(y, "toarray"):
        return None
    array = np.asarray(y)
    if array.dtype.kind in "US" and isinstance(y, list | tuple):
        array = np.array(y, dtype=object)
    return array if array.ndim == 1 else None


def _read_classes(column: RawColumn, name: str) -> TargetColumns:
    cells = decode(name, column)
    if isinstance(cells, Categories) and cells.order == "dates":
        raise TypeError(f"The target {name!r} holds dates, which are no classes. Turn them into classes.")
    _check_present(name, cells)
    if isinstance(cells, Numbers) and cells.kind == "float":
        _check_whole(cells.values)
    labels = observed(cells)
    if len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError(f"The target {name!r} mixes text and numbers as labels: {shown(labels[:5])}. Use one of them.")
    if len(labels) < 2:
        raise ValueError(
            f"The target {name!r} has 1 class, {labels[0]!r}, in all rows that count, but there must be at least 2 "
            "classes to tell apart."
        )
    classes = np.unique(cells.values) if isinstance(cells, Numbers) else _class_array(labels, column)
    codes = find_values(cells, labels)
    target = Target(name, "binary" if len(labels) == 2 else "multiclass", labels)
    outputs = (codes[:, None] == np.arange(len(labels))).astype(np.float64)
    return TargetColumns(target, outputs[:, 1:] if target.kind == "binary" else outputs, classes)


def _class_array(labels: tuple[Any, ...], column: RawColumn) -> Array:
    if not isinstance(labels[0], str):
        return np.array(labels)
    own = column.dtype if isinstance(column, np.ndarray) else np.dtype(object)
    return np.array(labels, dtype=own)


def _read_labels(table: Table, name: str) -> TargetColumns:
    labels = table.names if table.named else tuple(f"y{i}" for i in range(len(table.names)))
    outputs = np.empty((table.n_rows, len(labels)))
    for i, label in enumerate(labels):
        cells = decode(label, table.columns[i])
        _check_present(label, cells)
        if not isinstance(cells, Numbers) or not np.isin(cells.values, (0, 1)).all():
            raise ValueError(
                "Unknown label type: multiclass-multioutput. A target of several columns holds a 0 or 1 per label, "
                f"but column {label!r} has {shown(observed(cells)[:5])}. Give one column of classes, or 0/1 columns."
            )
        outputs[:, i] = cells.values
    same = [label for label, column in zip(labels, outputs.T, strict=True) if (column == column[0]).all()]
    if same:
        warnings.warn(
            f"Labels that all rows or no rows have cannot be learned: {', '.join(map(repr, same))}. Every row gets "
            "their one value; leave these columns out of y, or give rows with both values.",
            UserWarning,
            stacklevel=4,
        )
    return TargetColumns(Target(name, "multilabel", labels), outputs, np.array(labels, dtype=object))


def _check_length(length: int, n_rows: int | None) -> None:
    if n_rows is not None and length != n_rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{n_rows}, {length}]")
    if not length:
        raise ValueError("Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required: y is empty.")


def _check_present(name: str, cells: Cells) -> None:
    missing = cells.missing
    if count := int(missing.sum()):
        values = "1 missing value (" if count == 1 else f"{count} missing values (first "
        raise ValueError(f"The target {name!r} has {values}at row {missing.argmax()}). Drop these rows or label them.")


def _check_whole(values: Array) -> None:
    strange = [isinstance(value, float) and not value.is_integer() for value in values.tolist()]
    if any(strange):
        row = strange.index(True)
        raise ValueError(
            "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete classes "
            f"on a regression target with continuous values (first at row {row}: {values[row]})."
        )
