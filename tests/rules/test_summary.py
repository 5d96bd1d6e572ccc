import sys

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings

from nln.rules import LogicProgram
from tests.rules.kidney import PROGRAM, SCHEMA
from tests.rules.strategies import programs

COLUMNS = ["rule", "label", "conditions", "rows", "precision", "coverage", "lift", "size", "starts", "weight"]


def test_a_record_says_all_of_a_rule():
    first, second, third = PROGRAM.to_records()
    assert list(first) == COLUMNS
    assert first["label"] == "ckd"
    assert first["conditions"] == "albumin != 0 AND hemoglobin < 12.9 ± 0.3"
    assert (first["rule"], first["size"], first["weight"], first["rows"]) == (1, 2, 0.97, 231)
    assert first["coverage"] == pytest.approx(190 / 250)
    assert first["precision"] == pytest.approx(190 / 231)
    assert first["lift"] == pytest.approx(190 / 231 / (250 / 400))
    assert (second["precision"], second["lift"]) == (1.0, 1.6)
    assert [third[name] for name in ("coverage", "rows", "precision", "lift")] == [None] * 4


@pytest.mark.parametrize(
    ("backend", "kind"), [(None, pd.DataFrame), ("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_a_frame_has_one_row_a_rule(backend, kind):
    frame = PROGRAM.to_frame(backend)
    assert isinstance(frame, kind)
    assert list(frame.columns) == COLUMNS
    assert list(frame["rule"]) == [1, 2, 3]
    assert list(frame["precision"])[1] == 1.0
    empty = LogicProgram(SCHEMA, (), (0.0,), (0.5,)).to_frame(backend)
    assert (list(empty.columns), len(empty)) == (COLUMNS, 0)


@settings(deadline=None, max_examples=50)
@given(programs())
def test_every_program_has_records_a_frame_and_a_summary(program):
    assert len(program.to_records()) == len(program.to_frame("pandas")) == program.n_rules
    assert len(program.summary().split("\n")) == max(program.n_rules, 1)


def test_without_pandas_the_frame_is_of_polars_and_without_both_an_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(PROGRAM.to_frame(), pl.DataFrame)
    with pytest.raises(ImportError, match="pip install pandas"):
        PROGRAM.to_frame("pandas")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match=r"needs pandas or polars.*to_records"):
        PROGRAM.to_frame()
    with pytest.raises(ValueError, match="backend must be"):
        PROGRAM.to_frame("dask")


def test_a_summary_has_one_line_a_rule():
    assert PROGRAM.summary() == (
        "rule 1  class = ckd  231 rows  82 %   albumin != 0 AND hemoglobin < 12.9 ± 0.3 (weight 0.97)\n"
        "rule 2  class = ckd  100 rows  100 %  serum_creatinine >= 1.3 or missing (0.25) (weight 0.9)\n"
        "rule 3  class = ckd  ? rows           appetite = poor AND albumin in {2, 3} AND hemoglobin < 11 (weight 1)"
    )
    assert LogicProgram(SCHEMA, (), (0.0,), (0.5,)).summary() == ""
