"""Tables to learn from, of every supported library, as named columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from nln.rules.cells import Array, Cells
from nln.rules.decoding import decode
from nln.rules.opening import as_matrix
from nln.tables.views import without_views

RawColumn: TypeAlias = "nw.Series[Any] | Array | Cells"


@dataclass(frozen=True, slots=True, eq=False)
class Table(Mapping[str, RawColumn]):
    """The columns of a table by name, still in the library they came in."""

    names: tuple[str, ...]  # `x0`, `x1`, ... where the input has none
    columns: tuple[RawColumn, ...]  # one per name
    n_rows: int
    named: bool  # whether the names are the input's own
    _places: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_places", {name: place for place, name in enumerate(self.names)})

    def __getitem__(self, name: str) -> RawColumn:
        return self.columns[self._places[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def backend(self) -> str | None:
        """Name of the library that the columns are in ("pandas", "polars", "pyarrow", ...); None for arrays."""
        column = self.columns[0]
        return column.implementation.value if isinstance(column, nw.Series) else None

    def cells(self, name: str) -> Cells:
        """Decode one column."""
        return decode(name, self[name])

    def take(self, rows: Array) -> Table:
        """Keep the rows of a mask or an array of row numbers, in that order."""
        keep = np.flatnonzero(rows) if rows.dtype == np.bool_ else rows
        columns = (column.take(keep) if isinstance(column, Cells) else column[keep] for column in self.columns)
        return Table(self.names, tuple(columns), len(keep), self.named)

    def select(self, names: Iterable[str]) -> Table:
        """Keep the columns of these names, in that order."""
        names = tuple(names)
        return Table(names, tuple(self[name] for name in names), self.n_rows, self.named)


def read_table(X: Any, *, argument: str = "X") -> Table:
    """Read a table of any supported library without copying its columns; messages call it `argument`.

    A `Table` stays as it is. Column names that are not strings count as no names, as in scikit-learn.
    """
    if isinstance(X, Table):
        return X
    try:
        native = nw.from_native(X, pass_through=True)
    except DuplicateError as error:
        raise ValueError(f"Column names must differ. {error}. Rename them.") from None
    if isinstance(native, nw.LazyFrame):
        raise TypeError(
            f"{argument} is a lazy frame: its rows are not there yet. Use {argument}.collect() to read them."
        )
    columns: tuple[RawColumn, ...]
    if isinstance(native, nw.DataFrame):
        labels = _labels(native.to_native())
        if native.implementation.is_pyarrow():
            native = nw.from_native(without_views(native.to_native()))
        columns, n_rows = tuple(native.iter_columns()), native.shape[0]
    else:
        array = as_matrix(X, argument)
        columns, n_rows, labels = tuple(array.T), len(array), None
    if not columns:
        raise ValueError(f"Found array with 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required.")
    if not n_rows:
        shape = (0, len(columns))
        raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    names = labels or tuple(f"x{i}" for i in range(len(columns)))
    return Table(names, columns, n_rows, labels is not None)


def _labels(frame: Any) -> tuple[str, ...] | None:
    """Column names of a frame; None if they are not strings."""
    labels = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    types = sorted({type(label).__name__ for label in labels})
    if len(types) > 1 and "str" in types:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{types} as feature name / column name types. Use X.columns = X.columns.astype(str)."
        )
    return tuple(labels) if types == ["str"] else None
