"""Adult (Becker and Kohavi, 1996): census income."""

from __future__ import annotations

from typing import Literal

import narwhals as nw

from nln.datasets._files import DataHome
from nln.datasets._frame import Backend, Data, DTypes, check_choice, split_target, stack
from nln.datasets._source import OpenMLTable, Source, fetch_table

NUMBERS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
NAMES = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
    "capital-loss hours-per-week native-country income"
)
DTYPES: DTypes = {name: nw.Float64 if name in NUMBERS else nw.String for name in NAMES.split()}


def _source(stem: str, first: int, stop: int) -> Source:
    openml = OpenMLTable("adult", 2, n_rows=48842, rows=(first, stop), rename={"class": "income"})
    return Source("Adult", stem, DTYPES, openml)


# OpenML has one table, in which the test file comes before the training file.
SOURCES = {"train": _source("adult", 16281, 48842), "test": _source("adult-test", 0, 16281)}


def fetch_adult(
    subset: Literal["train", "test", "all"] = "train",
    *,
    data_home: DataHome = None,
    backend: Backend | None = None,
    download_if_missing: bool = True,
) -> Data:
    r"""Fetch people from the census of 1994, with whether they earn more than 50,000 dollars a year.

    Read from `adult.csv` and `adult-test.csv` (or `.csv.gz`) in a folder if they are there, otherwise
    downloaded from OpenML.

    Parameters
    ----------
    subset : {"train", "test", "all"}, default="train"
        The training file (32561 rows), the test file (16281), or one after the other.
    data_home : path-like, default=None
        Folder with the files; by default the one that the environment variable `NLN_DATA` names.
    backend : {"pandas", "polars"}, default=None
        Table library; by default pandas if it is installed, else polars.
    download_if_missing : bool, default=True
        If False, raise an error instead of downloading.

    Returns
    -------
    X : frame
        Fourteen columns, eight of text and six of floats; missing values in `workclass`, `occupation` and
        `native-country`. `fnlwgt` is a sampling weight.
    y : series
        `income`: `<=50K` or `>50K`.

    Raises
    ------
    DatasetNotFoundError
        If the file is not in the folder and cannot be downloaded.

    References
    ----------
    B. Becker and R. Kohavi (1996), Adult, UCI Machine Learning Repository.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> header = ("age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
    ...           "capital-gain,capital-loss,hours-per-week,native-country,income")
    >>> person = "31,,100001,Bachelors,13,Divorced,Sales,Unmarried,White,Male,500,0,35,Peru,<=50K"
    >>> with TemporaryDirectory() as folder:
    ...     length = Path(folder, "adult.csv").write_text(f"{header}\n{person}\n")
    ...     X, y = fetch_adult(data_home=folder, backend="polars")
    >>> X.row(0)[:5], y[0]
    ((31.0, None, 100001.0, 'Bachelors', 13.0), '<=50K')
    """
    check_choice("subset", subset, (*SOURCES, "all"))
    parts = SOURCES if subset == "all" else (subset,)
    frames = [fetch_table(SOURCES[p], data_home, backend, download_if_missing=download_if_missing) for p in parts]
    return split_target(stack(frames), "income")
