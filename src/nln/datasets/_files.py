"""Files of data sets: where they are looked for, how they are read, and the error if one is not there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import narwhals as nw

from nln.datasets._frame import Backend, DTypes

VARIABLE = "NLN_DATA"
"""Environment variable with the folder of the data files."""

DataHome: TypeAlias = str | os.PathLike[str] | None
"""Folder with the data files; None is the folder that the environment variable `NLN_DATA` names, if any."""


class DatasetNotFoundError(OSError):
    """A data set is not in the folder, and cannot be downloaded.

    The message names the file, the folder where it was looked for, and what to do.

    Examples
    --------
    >>> from nln.datasets import DatasetNotFoundError, fetch_chess
    >>> try:
    ...     X, y = fetch_chess(data_home="no-such-folder", download_if_missing=False)
    ... except DatasetNotFoundError as error:
    ...     "chess-krkpa7.csv" in str(error)
    True
    """


def csv_names(stem: str) -> tuple[str, ...]:
    """File names that a table may have, the preferred one first."""
    return f"{stem}.csv", f"{stem}.csv.gz"


def find_file(names: tuple[str, ...], data_home: DataHome) -> Path | None:
    """Return the first of the files that is in the folder."""
    folder = _folder(data_home)
    if folder is None:
        return None
    return next((folder / name for name in names if (folder / name).is_file()), None)


def raise_not_found(title: str, names: tuple[str, ...], data_home: DataHome, tried: str, form: str) -> NoReturn:
    """Raise the error that names the files, the folder and what to do; `tried` and `form` are further sentences."""
    folder = _folder(data_home)
    looked = f"no folder was given and {VARIABLE} is not set" if folder is None else f"it is not in {folder.absolute()}"
    files = " or ".join(names)
    raise DatasetNotFoundError(
        f"{title} was not found: {files} is needed, and {looked}. {tried} "
        f"Put the file in a folder and pass it as data_home=, or set the environment variable {VARIABLE} to it. {form}"
    )


def _folder(data_home: DataHome) -> Path | None:
    folder = data_home if data_home is not None else os.environ.get(VARIABLE)
    return Path(folder).expanduser() if folder else None


def read_table(path: Path, dtypes: DTypes, backend: Backend, *, names: Sequence[str] = ()) -> nw.DataFrame[Any]:
    """Read the columns of `dtypes`, in that order, from a comma-separated file that may be compressed by gzip.

    Only an empty cell is a missing value, and text keeps its digits as they are written. `names` are the names of all
    columns of a file without a header.
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
