"""Codes of one byte and of two are learned from alike, to the last bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nln import NLNClassifier, TrainingOptions
from nln.native.binding import CODES, INTEGERS, kernel
from nln.tables import encoding


def fitted(X, y, **options):
    return NLNClassifier(random_state=0, starts=2, training=TrainingOptions(epochs=10), **options).fit(X, y)


@pytest.mark.parametrize("options", [{}, {"preset": "paper"}])
def test_both_widths_give_the_same_model(options, monkeypatch):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300).round(2), "k": rng.choice(list("abcde"), 300), "z": rng.random(300)})
    X.loc[rng.random(300) < 0.1, "x"] = np.nan
    y = np.where((X["x"] > 0) & X["k"].isin(["a", "b"]), 2, (X["z"] > 0.5).astype(int))
    narrow = fitted(X, y, **options)
    monkeypatch.setattr(encoding.Slots, "code_type", np.dtype(np.uint16))
    monkeypatch.setattr(encoding, "MAX_SLOTS", encoding.BYTE_SLOTS)  # the order of the rows comes from as many draws
    wide = fitted(X, y, **options)
    assert str(wide.program_) == str(narrow.program_) and "IF" in str(wide.program_)
    np.testing.assert_array_equal(wide.predict_proba(X), narrow.predict_proba(X))


def test_a_set_of_hundreds_of_codes_is_learned():
    rng = np.random.default_rng(0)
    good, code, x = rng.random(400) < 0.5, rng.integers(0, 400, 4000), rng.normal(size=4000)
    X = pd.DataFrame({"code": [f"c{c:03d}" for c in code], "x": x})
    y = good[code] & (x > -0.5)
    model = NLNClassifier(random_state=0).fit(X[:3200], y[:3200])
    assert (model.predict(X[3200:]) == y[3200:]).mean() > 0.95
    unseen = pd.DataFrame({"code": ["never seen"], "x": [1.0]})
    assert model.predict_proba(unseen).shape == (1, 2)


def test_codes_of_another_type_are_refused():
    nothing = kernel("covered_sums", CODES, INTEGERS)
    with pytest.raises(TypeError, match="uint8 or uint16, got int64"):
        nothing(np.zeros(3, np.int64), np.zeros(3, np.int64))
