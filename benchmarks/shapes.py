"""Tables of every shape: long, wide, with coded columns, many classes or labels, small; most of them generated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from benchmarks.data import adult, fetch
from benchmarks.generate import mixed_table
from benchmarks.settings import Settings
from benchmarks.tables import TABLES
from nln import datasets

Data = tuple[pd.DataFrame, Any]

HELD_OUT = 4
"""One row in so many is for testing."""


def coded_table(n_rows: int, n_values: int, seed: int) -> Data:
    """Draw a table with a column of codes, about half of which stand for the label where another column allows it.

    A second rule asks about two of the other columns. One label in ten is wrong.
    """
    rng = np.random.default_rng(seed)
    good, code = rng.random(n_values) < 0.5, rng.integers(0, n_values, n_rows)
    x, k = rng.normal(size=(n_rows, 5)), rng.choice(list("abc"), n_rows)
    holds = (good[code] & (x[:, 0] > -0.8)) | ((x[:, 1] > 1.0) & (k == "a"))
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(5)]).assign(k=k, code=[f"c{c:04d}" for c in code])
    return frame, np.where(rng.random(n_rows) < 0.1, ~holds, holds).astype(np.int64)


def clusters_table(n_rows: int, n_columns: int, n_classes: int, clusters: int, seed: int) -> Data:
    """Draw classes as clusters in a space of numbers, a fifth of the columns being noise."""
    X, y = make_classification(
        n_rows,
        n_columns,
        n_informative=n_columns * 4 // 5,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=clusters,
        class_sep=1.6,
        random_state=seed,
    )
    return pd.DataFrame(X.round(4), columns=[f"x{j}" for j in range(n_columns)]), y


def labels_table(n_rows: int, n_columns: int, n_labels: int, seed: int) -> Data:
    """Draw labels that each hold where two of the columns are high; three in a hundred are wrong."""
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(n_rows, n_columns)).round(3), np.zeros((n_rows, n_labels), np.int64)
    for k in range(n_labels):
        a, b = rng.choice(n_columns, 2, replace=False)
        Y[:, k] = (X[:, a] > rng.normal(0, 0.5)) & (X[:, b] > rng.normal(0, 0.5))
    wrong = rng.random(Y.shape) < 0.03
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(n_columns)]), np.where(wrong, 1 - Y, Y)


def genes_table(n_rows: int, n_columns: int, seed: int) -> Data:
    """Draw many columns of numbers, five of which make a rule of two and one of three conditions."""
    rng = np.random.default_rng(seed)
    X, (a, b, c, d, e) = rng.normal(size=(n_rows, n_columns)).round(3), rng.choice(n_columns, 5, replace=False)
    holds = ((X[:, a] > 0.2) & (X[:, b] > -0.2)) | ((X[:, c] > 0.0) & (X[:, d] > -0.3) & (X[:, e] > -0.3))
    wrong = rng.random(n_rows) < 0.03
    return pd.DataFrame(X, columns=[f"g{j}" for j in range(n_columns)]), np.where(wrong, ~holds, holds).astype(np.int64)


def _drawn(draw: Callable[..., Data], train: int, *sizes: int) -> Callable[[Settings], Data]:
    """Make a table whose training rows are so many; the quick form has a few hundred."""

    def make(settings: Settings) -> Data:
        return draw(400 if settings.quick else train * HELD_OUT // (HELD_OUT - 1), *sizes, seed=settings.seed)

    return make


def _mixed(n_rows: int, n_columns: int, seed: int) -> Data:
    return mixed_table(n_rows, seed, n_columns)


def _kdd(settings: Settings) -> Data:
    X, y = fetch(datasets.fetch_nsl_kdd, settings)
    return X, y


SHAPES: dict[str, Callable[[Settings], Data]] = {
    "1,000,000 x 40": _drawn(_mixed, 1_000_000, 40),
    "300,000 x 40": _drawn(_mixed, 300_000, 40),
    "adult": adult,
    "NSL-KDD": _kdd,
    "3,000 x 40": _drawn(_mixed, 3_000, 40),
    "10,000 x 40": _drawn(_mixed, 10_000, 40),
    "10,000 x 300": _drawn(_mixed, 10_000, 300),
    "10,000 x 1,000": _drawn(_mixed, 10_000, 1_000),
    "200 x 20,000": _drawn(genes_table, 200, 20_000),
    "26 classes, 20,000 x 16": _drawn(partial(clusters_table, clusters=2), 20_000, 16, 26),
    "100 classes, 5,000 x 50": _drawn(partial(clusters_table, clusters=1), 5_000, 50, 100),
    "50 labels, 2,000 x 30": _drawn(labels_table, 2_000, 30, 50),
    "a column of 250 codes, 7,500 rows": _drawn(coded_table, 7_500, 250),
    "a column of 1,000 codes, 7,500 rows": _drawn(coded_table, 7_500, 1_000),
    "kidney": TABLES["kidney"],
    "wine": TABLES["wine"],
    "tic-tac-toe": TABLES["tic-tac-toe"],
}
"""The tables by name, the smallest last."""
