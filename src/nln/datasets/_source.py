"""Where a table comes from: a folder of the user's, else OpenML, else an error that says what to do."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import narwhals as nw

from nln.datasets._errors import DatasetNotFoundError
from nln.datasets._frame import Backend, DTypes
from nln.datasets._openml import OpenMLTable, download
from nln.datasets._read import read_table

VARIABLE = "NLN_DATA"
"""Environment variable with the folder of the data files."""

DataHome: TypeAlias = str | os.PathLike[str] | None
"""Folder with the data files; None is the folder named by the environment variable `NLN_DATA`, if any."""


@dataclass(frozen=True, slots=True)
class Source:
    """A table that is read or downloaded.

    Parameters
    ----------
    title : str
        What messages call it.
    stem : str
        File name without `.csv` or `.csv.gz`.
    dtypes : mapping of str to dtype
        The file's columns, target last, with their types.
    openml : OpenMLTable
        Where else it is.
    """

    title: str
    stem: str
    dtypes: DTypes
    openml: OpenMLTable


def fetch_table(
    source: Source, data_home: DataHome, backend: Backend, *, download_if_missing: bool
) -> nw.DataFrame[Any]:
    """Read a table from the folder if it is there, else download it."""
    names = csv_names(source.stem)
    path = find_file(names, data_home)
    if path is not None:
        return read_table(path, source.dtypes, backend)
    if not download_if_missing:
        raise_not_found(
            source.title, names, data_home, "It was not downloaded (download_if_missing=False).", _form(source)
        )
    try:
        return download(source.openml, source.dtypes, backend)
    except DatasetNotFoundError as error:
        raise_not_found(source.title, names, data_home, f"Downloading it from OpenML failed: {error}.", _form(source))


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
    """Raise the error that names the files, the folder looked in and what to do."""
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


def _form(source: Source) -> str:
    return f"The file is comma-separated with the first row {','.join(source.dtypes)}; missing values are empty cells."
