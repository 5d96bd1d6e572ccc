"""A generated table like those of practice: mixed columns, skewed numbers, missing values, noisy rules behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

N_RULES = 8
MISSING_SHARE = 0.05
NOISE = 0.05
"""Share of the labels that are drawn by chance."""

Mask = npt.NDArray[np.bool_]


def mixed_table(n_rows: int, seed: int, n_columns: int = 40) -> tuple[pd.DataFrame, npt.NDArray[np.int64]]:
    """Draw a table and its target.

    Half of the columns are continuous, three in eight categorical, the rest binary. Continuous columns are normal,
    log-normal or zero in most rows, every fourth with missing values; categorical ones have 3 to 50 values of unequal
    frequency, every other one as text and the rest as pandas categories. The target follows eight rules of three or
    four conditions, then one label in twenty is drawn anew.

    Parameters
    ----------
    n_rows : int
        Rows.
    seed : int
        Seed. The rules and the columns' distributions depend on nothing else, so that sizes can be compared.
    n_columns : int
        Columns.
    """
    shape, rng = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    n_continuous, n_categorical = n_columns // 2, n_columns * 3 // 8
    columns: dict[str, Any] = {}
    conditions: list[Mask] = []
    for j in range(n_continuous):
        x = _numbers(j, n_rows, rng)
        cut, above = np.quantile(x[:10_000], shape.uniform(0.3, 0.7)), shape.random() < 0.5
        conditions.append(x > cut if above else x <= cut)
        columns[f"x{j}"] = np.where(rng.random(n_rows) < MISSING_SHARE, np.nan, x) if j % 4 == 0 else x
    for j, n_values in enumerate(np.linspace(3, 50, n_categorical).astype(int)):
        codes = np.minimum(rng.geometric(2.0 / n_values, n_rows) - 1, n_values - 1)
        conditions.append((shape.random(n_values) < 0.5)[codes])
        column = pd.Categorical.from_codes(codes, [f"v{i}" for i in range(n_values)])
        columns[f"c{j}"] = column if j % 2 else pd.Series(column).astype("str")
    for j in range(n_columns - n_continuous - n_categorical):
        bits = rng.integers(0, 2, n_rows)
        conditions.append(bits == 1)
        columns[f"b{j}"] = bits
    return pd.DataFrame(columns), _target(conditions, shape, rng)


def _numbers(j: int, n_rows: int, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    x = rng.normal(size=n_rows)
    if j % 3 == 1:
        return np.exp(x)
    if j % 3 == 2:
        return np.where(x > 0.3, np.round(100 * np.exp(x)), 0.0)
    return x


def _target(conditions: list[Mask], shape: np.random.Generator, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Label a row 1 if any rule holds, or by chance."""
    n_rows = len(conditions[0])
    holds = np.zeros(n_rows, bool)
    for i in range(N_RULES):
        chosen = shape.choice(len(conditions), 3 + i % 2, replace=False)
        holds |= np.logical_and.reduce([conditions[c] for c in chosen])
    noisy = rng.random(n_rows) < NOISE
    holds[noisy] = rng.random(int(noisy.sum())) < 0.5
    return holds.astype(np.int64)
