"""A made-up table with text, numbers, gaps and noise, and its cuts into parts."""

import numpy as np
import pandas as pd

from nln import NLNClassifier
from nln.large.engine import LocalEngine
from nln.large.fit import fit_parts
from nln.large.part import Part

SAMPLE = 2048
"""Rows of the samples, so that a small table counts as a large one."""


def made_table(n=6000, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n).astype(float),
            "income": rng.normal(50, 15, n).round(2),
            "colour": rng.choice(["red", "green", "blue"], n),
            "noise": rng.normal(size=n),
            "member": rng.random(n) < 0.5,
        }
    )
    X.loc[rng.random(n) < 0.05, "income"] = np.nan
    y = ((X.age > 60) & (X.colour == "red")) | ((X.income > 60) & X.member)
    y ^= rng.random(n) < 0.02
    return X, pd.Series(np.where(y, "yes", "no"), name="bought")


def cut(X, y, n_parts, weights=None):
    """Parts of a table, as they lie."""
    parts = np.array_split(np.arange(len(X)), n_parts)
    return [
        Part(X.iloc[rows], y.iloc[rows], None if weights is None else weights[rows], n) for n, rows in enumerate(parts)
    ]


def fit_on(parts, sample_rows=SAMPLE, **parameters):
    """Fit to parts in this process."""
    whole = [part for part in parts if part.n_rows]

    def collect():
        weights = None if whole[0].weights is None else np.concatenate([part.weights for part in whole])
        return Part(pd.concat([part.X for part in whole]), pd.concat([part.y for part in whole]), weights)

    model = NLNClassifier(**({"random_state": 0} | parameters))
    fit_parts(model, LocalEngine(lambda: parts, collect, n_jobs=2), named=True, sample_rows=sample_rows)
    return model
