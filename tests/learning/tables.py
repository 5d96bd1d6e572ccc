"""Small tables for the tests of learning."""

from __future__ import annotations

import numpy as np

from nln.learning.descent.boundaries import FeatureBoundaries, feature_boundaries
from nln.learning.options import LanguageOptions
from nln.rules import Feature
from nln.tables.encoding import make_encoding, merge_rows


def table_of(seed: int, n: int = 80):
    """A table with two numbers, one of them with gaps, and a category."""
    rng = np.random.default_rng(seed)
    features = (Feature("x", "continuous"), Feature("c", "categorical", ("a", "b", "c")), Feature("z", "continuous"))
    columns = {
        "x": np.where(rng.random(n) < 0.15, np.nan, rng.integers(0, 12, n).astype(float)),
        "c": rng.integers(0, 3, n).astype(np.int32),
        "z": rng.normal(size=n),
    }
    y = ((columns["x"] > 5) | ((columns["c"] == 1) & (columns["z"] < 0))) ^ (rng.random(n) < 0.1)
    encoding = make_encoding(features, columns, np.ones(n))
    return encoding, merge_rows(encoding.codes(columns, n), y[:, None].astype(float), np.ones(n))


def boundaries_of(numbers, *, whole=False, **limits) -> FeatureBoundaries:
    """Boundaries that one column of numbers offers."""
    feature = Feature("x", "continuous", whole=whole)
    column = np.asarray(numbers, float)
    encoding = make_encoding((feature,), {"x": column}, np.ones(len(column)))
    return feature_boundaries(encoding, LanguageOptions(**limits))[0]
