from __future__ import annotations

import numpy as np

from nln.report.pagedata import program_data, rows_data
from nln.rules import Feature, LogicProgram, Schema, Target

CLASS = Target("class", "binary", ("no", "yes"))


def test_values_go_by_their_index():
    schema = Schema((Feature("size", "ordinal", ("S", "M", "L")),), CLASS)
    program = LogicProgram.parse("IF size >= M THEN class = yes (0.9)", schema=schema)
    assert program_data(program)["rules"][0]["conditions"] == [
        {"feature": 0, "missing": 0.0, "text": "size >= M", "values": [1, 2], "negated": False}
    ]


def test_missing_numbers_are_null():
    schema = Schema((Feature("x", "continuous"),), CLASS)
    found = rows_data({"x": np.array([1.0, np.nan])}, np.array([[True], [False]]), np.arange(2), schema)
    assert found == {"positions": [0, 1], "columns": [[1, None]], "truth": [1, 0], "of": 2}
