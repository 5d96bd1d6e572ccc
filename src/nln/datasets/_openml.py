"""Download from OpenML, through scikit-learn, into the columns and labels of the local files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import Any

import narwhals as nw

from nln.datasets._errors import DatasetNotFoundError
from nln.datasets._frame import Backend, DType, DTypes, build_frame, is_installed

MISSING = {"", "?", "nan", "None", "<NA>"}
"""How a missing value is spelt in OpenML's frames once it is text; no category of these data sets is spelt so."""


@dataclass(frozen=True, slots=True)
class OpenMLTable:
    """Where a table is on OpenML and how it differs from the local file.

    Parameters
    ----------
    name, version : str, int
        Which data set.
    n_rows : int
        Rows of the whole data set: anything else is another table.
    rows : tuple of int
        First row and row after the last of the part that is wanted.
    rename : mapping of str to str
        From OpenML's names of columns to those of the local file.
    decimals : mapping of str to int
        Decimals of the categories written with digits, by column of the local file.
    """

    name: str
    version: int
    n_rows: int
    rows: tuple[int, int]
    rename: Mapping[str, str] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)


def download(table: OpenMLTable, dtypes: DTypes, backend: Backend) -> nw.DataFrame[Any]:
    """Download a table with the columns of `dtypes`; DatasetNotFoundError if it cannot be had."""
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
            f"OpenML's {table.name!r}, version {table.version}, is another table: it has {len(frame)} rows where "
            f"{table.n_rows} are expected, and lacks the columns {absent}"
        )
    part = frame[slice(*table.rows)]
    columns = {name: _values(part[name].to_list(), dtypes[name], table.decimals.get(name)) for name in dtypes}
    return build_frame(columns, dtypes, backend)


def _values(cells: list[Any], dtype: DType, decimals: int | None) -> list[Any]:
    """Bring the cells of a column to the form of the local file, None where missing."""
    texts = [None if (text := str(cell).strip()) in MISSING else text for cell in cells]
    if decimals is not None:
        return [None if text is None else f"{float(text):.{decimals}f}" for text in texts]
    if dtype == nw.String:
        return list(texts)
    return [None if text is None else float(text) for text in texts]
