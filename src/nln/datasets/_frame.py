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
    """Return the table library that was asked for; for None pandas if it is installed, else polars."""
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"backend={backend!r} is not known; allowed: 'pandas', 'polars' or None (what is installed).")
    wanted = BACKENDS if backend is None else (backend,)
    for name in wanted:
        if is_installed(name):
            return name
    raise ImportError(f"Data sets come as frames of {' or '.join(wanted)}. Install with `pip install {wanted[0]}`.")


def build_frame(columns: Mapping[str, Sequence[Any]], dtypes: DTypes, backend: Backend | None) -> nw.DataFrame[Any]:
    """Build a frame with the columns of `dtypes`, in that order, from lists in which None is a missing value."""
    backend = resolve_backend(backend)
    frame = nw.from_dict({name: columns[name] for name in dtypes}, backend=backend)
    # Text is cast in polars alone, for columns of None: pandas < 3 would turn a None into the word "None".
    casts = [nw.col(n).cast(t) for n, t in dtypes.items() if t != nw.String or backend == "polars"]
    return frame.with_columns(casts) if casts else frame


def split_target(frame: nw.DataFrame[Any], target: str, *, leave_out: Sequence[str] = ()) -> Data:
    """Split a frame into its inputs and its target, dropping the columns of `leave_out`."""
    inputs = [name for name in frame.columns if name != target and name not in leave_out]
    return frame.select(inputs).to_native(), frame[target].to_native()


def stack(frames: Sequence[nw.DataFrame[Any]]) -> nw.DataFrame[Any]:
    """Put frames below each other, with rows numbered anew in pandas."""
    return frames[0] if len(frames) == 1 else nw.maybe_reset_index(nw.concat(frames))


def check_choice(parameter: str, value: str, allowed: Sequence[str]) -> None:
    """Raise a ValueError that lists what is allowed."""
    if value not in allowed:
        raise ValueError(f"{parameter}={value!r} is not known; allowed: {', '.join(map(repr, allowed))}.")
