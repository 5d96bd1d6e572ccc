"""From columns to the `(X, y)` of the chosen table library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, get_args

import narwhals as nw

Backend: TypeAlias = Literal["pandas", "polars"]
"""A table library that the data sets come in."""

BACKENDS: tuple[Backend, ...] = get_args(Backend)
"""The table libraries, in order of preference."""

Data: TypeAlias = tuple[Any, Any]
"""`(X, y)`: a frame of the inputs and a series of the labels, of the table library asked for."""

DType: TypeAlias = type[nw.String] | type[nw.Int64] | type[nw.Float64]
"""Type of a column: text, 0/1, or a number."""

DTypes: TypeAlias = Mapping[str, DType]
"""The columns of a table in order, with their types."""


def is_installed(library: str) -> bool:
    """Whether a library can be imported (without importing it)."""
    return find_spec(library) is not None


def resolve_backend(backend: Backend | None) -> Backend:
    """Return the backend asked for; for None pandas if installed, else polars."""
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"backend={backend!r} is not known; allowed: 'pandas', 'polars' or None (whichever is there).")
    wanted = BACKENDS if backend is None else (backend,)
    for name in wanted:
        if is_installed(name):
            return name
    raise ImportError(f"Data sets come as frames of {' or '.join(wanted)}. Install with `pip install {wanted[0]}`.")


def build_frame(columns: Mapping[str, Sequence[Any]], dtypes: DTypes, backend: Backend) -> nw.DataFrame[Any]:
    """Build a frame from lists of values in which None is a missing value.

    Parameters
    ----------
    columns : mapping of str to sequence
        Values by name of the column; all of `dtypes` must be there.
    dtypes : mapping of str to dtype
        Names and order of the frame's columns, with their types.
    backend : {"pandas", "polars"}
        Table library.
    """
    frame = nw.from_dict({name: columns[name] for name in dtypes}, backend=backend)
    # Text is cast in polars only (a column of nothing but None): pandas < 3 would make the word "None" of a None.
    casts = [nw.col(n).cast(t) for n, t in dtypes.items() if t != nw.String or backend == "polars"]
    return frame.with_columns(casts) if casts else frame


def split_target(frame: nw.DataFrame[Any], target: str, *, leave_out: Sequence[str] = ()) -> Data:
    """Split a frame into its inputs and its target, dropping the columns of `leave_out`."""
    inputs = [name for name in frame.columns if name != target and name not in leave_out]
    return frame.select(inputs).to_native(), frame[target].to_native()
