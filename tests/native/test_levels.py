"""Every level of processors computes the same to the last bit, and so does NumPy without its newest instructions."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from nln.native.building import levels
from nln.native.loading import LEVEL

FITS = """if True:
    import hashlib
    import numpy as np
    from nln import NLNClassifier, TrainingOptions
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.where(np.nan_to_num(X[:, 0]) > 0, np.where(X[:, 1] > 0.5, 2, 1), 0)
    y = np.where(rng.random(200) < 0.1, rng.integers(0, 3, 200), y)
    for options in ({}, {"preset": "paper"}):
        model = NLNClassifier(random_state=0, starts=2, training=TrainingOptions(epochs=10), **options).fit(X, y)
        print(str(model.program_), hashlib.sha256(model.predict_proba(X).tobytes()).hexdigest())
"""
OLD = {
    "OPENBLAS_CORETYPE": "Prescott",
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX2 FMA3",
}
"""What makes NumPy and its linear algebra compute as on a processor of twenty years ago."""


def programs(**environment):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FITS],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(len(levels()) == 1, reason="one level on this architecture")
def test_all_levels_learn_the_same_programs():
    found = {level: programs(**{LEVEL: level}) for level in levels()}
    assert len(set(found.values())) == 1 and "IF" in found["baseline"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="instructions of other processors have other names")
def test_an_old_processor_learns_the_same_programs():
    assert programs(**{LEVEL: "baseline"}, **OLD) == programs()
