import warnings

import numpy as np
import pytest

from nln import NLNClassifier
from nln.learning import sizes

RNG = np.random.default_rng(0)


def test_a_table_that_the_memory_cannot_hold_is_refused_before_learning(monkeypatch):
    monkeypatch.setattr("nln.classifier._learn", lambda *_: pytest.fail("it learns"))
    monkeypatch.setattr(sizes, "available_bytes", lambda: 2 * 10**7)
    X, y = RNG.normal(size=(200, 20)), RNG.integers(0, 2, 200)
    with pytest.raises(ValueError, match=r"would take about .* GB of memory, and there are 0\.0: the 20 columns have"):
        NLNClassifier().fit(X, y)


def test_a_table_that_takes_long_is_announced(monkeypatch):
    monkeypatch.setattr("nln.classifier._learn", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    monkeypatch.setattr(sizes, "available_bytes", lambda: None)
    monkeypatch.setattr(sizes, "LONG_WORK", 1e6)
    tables = {
        "the 20 columns have": (RNG.normal(size=(200, 20)), RNG.integers(0, 2, 200)),
        "each of the 300 classes": (RNG.integers(0, 2, (900, 2)), np.arange(900) % 300),
    }
    for said, (X, y) in tables.items():
        with (
            pytest.warns(UserWarning, match=f"may take more than ten minutes: {said}"),
            pytest.raises(KeyboardInterrupt),
        ):
            NLNClassifier().fit(X, y)
    with warnings.catch_warnings(), pytest.raises(KeyboardInterrupt):
        warnings.simplefilter("error")
        NLNClassifier().fit(RNG.integers(0, 3, (60, 3)), RNG.integers(0, 2, 60))


def test_the_memory_is_that_of_the_machine_or_less():
    found = sizes.available_bytes()
    assert found is None or found > 2**28


def test_an_estimate_grows_with_everything_that_is_kept():
    base = sizes.needed_bytes(400_000, 128, 5, 2)
    assert 4e9 < base < 5e9  # what 200 rows of 2,000 different numbers were seen to take
    assert sizes.needed_bytes(400_000, 128, 5, 1) < base < sizes.needed_bytes(400_001, 128, 5, 2)
