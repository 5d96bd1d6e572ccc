from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.measure import Times
from benchmarks.speed_predict import _ratios, duckdb_query
from nln.rules import Feature, LogicProgram, Schema, Target
from tests import tools


def test_the_query_scores_a_frame_of_categories_and_gaps():
    tools.package("duckdb")
    schema = Schema(
        (Feature("x", "continuous"), Feature("colour", "categorical", ("red", "blue"))),
        Target("class", "binary", ("no", '"yes"')),
    )
    text = 'IF x < 2 AND colour != red or missing (0.5) THEN class = "\\"yes\\"" (0.9)'
    frame = pd.DataFrame({"x": [1, 1, None, 3], "colour": pd.Categorical(["blue", None, "blue", "blue"])})
    found = duckdb_query(LogicProgram.parse(text, schema=schema), frame)()
    np.testing.assert_allclose(np.sort(found), [0, 0, 0.45, 0.9])


def test_ratios_are_against_the_best_of_the_others_and_say_how_many_times_faster():
    times = {"nln": Times([2.0]), "program": Times([1.0]), "A": Times([4.0]), "B": Times([3.0])}
    assert _ratios(times, ("A", "B")) == pytest.approx({"nln": 1.5, "program": 3.0})
    assert _ratios(times, ()) == {}
