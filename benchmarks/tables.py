"""The tables of the quality benchmarks and their folds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from benchmarks.settings import Settings, SkippedError
from nln import datasets

Data = tuple[Any, Any]
Split = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

FOLDS, QUICK_FOLDS = 5, 2
QUICK_TABLES = ("tic-tac-toe", "wine")


def _balance_categorical(_: Settings) -> Data:
    X, y = datasets.load_balance()
    return X.astype(int).astype(str), y


def _kidney(settings: Settings) -> Data:
    X, y = fetch(datasets.fetch_kidney, settings)
    return X, y == "ckd"  # the positive class is the second in sorted order


def fetch(fetcher: Callable[..., Data], settings: Settings) -> Data:
    """Read a table from the data folder or download it; the quick form stays off the network."""
    try:
        return fetcher(data_home=settings.data, download_if_missing=not settings.quick)
    except datasets.DatasetNotFoundError as error:
        raise SkippedError(str(error)) from error


TABLES: dict[str, Callable[[Settings], Data]] = {
    "tic-tac-toe": lambda _: datasets.load_tic_tac_toe(),
    "chess": partial(fetch, datasets.fetch_chess),
    "monk2": lambda _: datasets.load_monks(2),
    "kidney": _kidney,
    "wine": lambda _: datasets.load_wine(),
    "adult": partial(fetch, datasets.fetch_adult),
    "balance (continuous)": lambda _: datasets.load_balance(),
    "balance (categorical)": _balance_categorical,
}
"""Loaders by name of the table; of two classes the positive one is the second in sorted order."""


def table_names(settings: Settings) -> tuple[str, ...]:
    """Tables that a run covers."""
    return QUICK_TABLES if settings.quick else tuple(TABLES)


def folds(X: Any, y: Any, settings: Settings) -> list[Split]:
    """Training and test rows of each fold: five, stratified, shuffled with seed 0; the quick form takes two of them."""
    found = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y))
    return found[:QUICK_FOLDS] if settings.quick else found


def seeds(settings: Settings, n: int) -> range:
    """Return the seeds of a run, from that of the command line on; the quick form has one."""
    return range(settings.seed, settings.seed + (1 if settings.quick else n))
