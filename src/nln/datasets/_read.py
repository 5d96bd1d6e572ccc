"""Comma-separated files to frames with the types asked for. The only place that knows the readers' options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import narwhals as nw

from nln.datasets._frame import Backend, DTypes


def read_table(path: Path, dtypes: DTypes, backend: Backend, *, names: Sequence[str] = ()) -> nw.DataFrame[Any]:
    """Read the columns of `dtypes`, in that order, from a (gzipped) comma-separated file.

    An empty cell is a missing value and nothing else is; categories written with digits stay as they are written.

    Parameters
    ----------
    path : Path
        The file; `.gz` is decompressed.
    dtypes : mapping of str to dtype
        The columns to read, with their types.
    backend : {"pandas", "polars"}
        Table library that reads.
    names : sequence of str
        Names of all columns of a file without a header row.
    """
    options = _READER_OPTIONS[backend](dtypes, list(names))
    frame = nw.read_csv(str(path), backend=backend, **options)
    absent = [name for name in dtypes if name not in frame.columns]
    if absent:
        raise ValueError(
            f"{path} lacks the column{'s' * (len(absent) > 1)} {', '.join(map(repr, absent))}. "
            f"Its first row should name {', '.join(dtypes)}."
        )
    return frame.select(list(dtypes))


def _pandas_options(dtypes: DTypes, names: list[str]) -> dict[str, Any]:
    spelling = {nw.String: "str", nw.Int64: "int64", nw.Float64: "float64"}
    options: dict[str, Any] = {
        "dtype": {name: spelling[dtype] for name, dtype in dtypes.items()},
        "keep_default_na": False,
        "na_values": [""],
    }
    return {**options, "header": None, "names": names} if names else options


def _polars_options(dtypes: DTypes, names: list[str]) -> dict[str, Any]:
    import polars as pl

    spelling = {nw.String: pl.String, nw.Int64: pl.Int64, nw.Float64: pl.Float64}
    wanted = {name: spelling[dtype] for name, dtype in dtypes.items()}
    if not names:
        return {"schema_overrides": wanted}
    return {"has_header": False, "schema": {name: wanted.get(name, pl.String) for name in names}}


_READER_OPTIONS = {"pandas": _pandas_options, "polars": _polars_options}
