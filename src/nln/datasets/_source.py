"""Tables that are read from a folder or else downloaded from OpenML, with the columns and labels of the local files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any

import narwhals as nw

from nln.datasets._files import DataHome, DatasetNotFoundError, csv_names, find_file, raise_not_found, read_table
from nln.datasets._frame import Backend, DType, DTypes, build_frame, is_installed, resolve_backend

MISSING = {"", "?", "nan", "None", "<NA>"}
"""Missing values in OpenML's frames, written as text; no category of these data sets is written like this."""


@dataclass(frozen=True, slots=True)
class OpenMLTable:
    """Where a table is on OpenML and how it differs from the local file."""

    name: str
    version: int
    n_rows: int  # of the whole data set; with any other number it is another table
    rows: tuple[int, int]  # the first row of the part that is wanted, and the row after its last
    rename: Mapping[str, str] = field(default_factory=dict)  # from OpenML's names of columns to those of the file
    decimals: Mapping[str, int] = field(default_factory=dict)  # of categories written as numbers, by column of the file


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is read or downloaded."""

    title: str  # its name in messages
    stem: str  # file name without `.csv` or `.csv.gz`
    dtypes: DTypes  # the columns of the file with their types, the target last
    openml: OpenMLTable


def fetch_table(
    source: Source, data_home: DataHome, backend: Backend | None, *, download_if_missing: bool
) -> nw.DataFrame[Any]:
    """Read a table from the folder if it is there, else download it."""
    backend = resolve_backend(backend)
    names = csv_names(source.stem)
    path = find_file(names, data_home)
    if path is not None:
        return read_table(path, source.dtypes, backend)
    tried = "It was not downloaded (download_if_missing=False)."
    if download_if_missing:
        try:
            return _download(source.openml, source.dtypes, backend)
        except DatasetNotFoundError as error:
            tried = f"Downloading it from OpenML failed: {error}."
    header = ",".join(source.dtypes)
    form = f"The file is comma-separated with the first row {header}; missing values are empty cells."
    raise_not_found(source.title, names, data_home, tried, form)


def _download(table: OpenMLTable, dtypes: DTypes, backend: Backend) -> nw.DataFrame[Any]:
    """Download a table with the columns of `dtypes`; DatasetNotFoundError if OpenML does not give it."""
    if not is_installed("pandas"):
        raise ImportError("Downloading from OpenML needs pandas, also for polars. Install with `pip install pandas`.")
    from sklearn.datasets import fetch_openml

    try:
        found = fetch_openml(name=table.name, version=table.version, as_frame=True, parser="auto").frame
    except (OSError, ValueError, HTTPException) as error:
        raise DatasetNotFoundError(f"{type(error).__name__}: {error}") from error
    frame = nw.from_native(found, eager_only=True)
    frame = frame.rename({old: new for old, new in table.rename.items() if old in frame.columns})
    absent = [name for name in dtypes if name not in frame.columns]
    if absent or len(frame) != table.n_rows:
        raise DatasetNotFoundError(
            f"OpenML's {table.name!r}, version {table.version}, is another table: it has {len(frame)} rows instead of "
            f"{table.n_rows}, and lacks the columns {absent}"
        )
    part = frame[slice(*table.rows)]
    columns = {name: _values(part[name].to_list(), dtypes[name], table.decimals.get(name)) for name in dtypes}
    return build_frame(columns, dtypes, backend)


def _values(cells: list[Any], dtype: DType, decimals: int | None) -> list[Any]:
    """Write the cells of a column as the local file has them, None where missing."""
    texts = [None if (text := str(cell).strip()) in MISSING else text for cell in cells]
    if decimals is not None:
        return [None if text is None else f"{float(text):.{decimals}f}" for text in texts]
    if dtype == nw.String:
        return list(texts)
    return [None if text is None else float(text) for text in texts]
