"""Tables need not hold what is calculated: the reader asks for the columns behind it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nln import NLNClassifier, load_model
from nln.rules import Arithmetic, Feature, LogicProgram, Schema, Target, define_features, derived_feature, read_columns
from nln.rules.columns import read_inputs
from nln.rules.dates import DateReading

COLUMNS = (Feature("x", "continuous"), Feature("unused", "continuous"), Feature("y", "continuous"))
SCHEMA = Schema(COLUMNS, Target("class", "binary", ("no", "yes")))
PROGRAM = LogicProgram.parse("IF x > y THEN class = yes (weight 0.9)", schema=SCHEMA)


def test_only_the_columns_behind_are_read(any_frame):
    assert PROGRAM.features_used == ("x - y",)
    assert PROGRAM.columns_used == ("x", "y")
    assert PROGRAM.schema.columns == ("x", "unused", "y")
    table = any_frame({"y": [1.0, 2.0, None], "x": [2, 1, 1]})
    assert PROGRAM.predict(table).tolist() == ["yes", "no", "no"]
    assert PROGRAM.predict([{"x": 2, "y": 1}]).tolist() == ["yes"]
    assert PROGRAM.predict(np.array([[2.0, 0.0, 1.0], [1.0, 0.0, 2.0]])).tolist() == ["yes", "no"]


def test_a_column_behind_that_is_absent_is_named():
    with pytest.raises(ValueError, match="lacks columns that are needed: 'y'"):
        PROGRAM.predict({"x": [1.0]})


def test_a_column_with_the_name_of_a_calculation_is_not_taken_for_it():
    schema = define_features(SCHEMA, {"sum": "x + y"})
    program = LogicProgram.parse("IF sum > 5 THEN class = yes", schema=schema)
    assert program.predict({"x": [1.0], "y": [1.0], "sum": [100.0]}).tolist() == ["no"]


def test_a_calculation_that_may_be_absent_is_left_out():
    found = read_inputs({"x": [1.0]}, PROGRAM.schema, only=["x"], if_present=["x - y", "unused"])
    assert set(found.columns) == {"x"}
    found = read_inputs({"x": [1.0], "y": [3.0]}, PROGRAM.schema, only=["x"], if_present=["x - y"])
    assert found.columns["x - y"].tolist() == [-2.0]


def test_each_calculation_is_made_once_per_table(monkeypatch):
    calls = []
    evaluate = Arithmetic.evaluate
    monkeypatch.setattr(Arithmetic, "evaluate", lambda self, *args: calls.append(self.text) or evaluate(self, *args))
    text = "IF x > y THEN class = yes IF x - y < -3 THEN class = yes IF at least 1 of {x > y; y > 3} THEN class = yes"
    program = LogicProgram.parse(text, schema=SCHEMA)
    program.predict_proba({"x": np.zeros(40_000), "y": np.zeros(40_000)})
    assert calls == ["x - y"]


def test_what_is_read_from_dates_can_be_calculated_with():
    days = DateReading("visit", "days", since="2020-01-01")
    features = (Feature("visit days", "continuous", reading=days), Feature("x", "continuous"))
    schema = Schema(features, SCHEMA.target)
    program = LogicProgram.parse('IF "visit days" / x >= 2 THEN class = yes', schema=schema)
    assert program.columns_used == ("visit", "x")
    assert program.predict({"visit": ["2020-01-11", "2020-01-02"], "x": [5.0, 5.0]}).tolist() == ["yes", "no"]


def test_a_schema_checks_what_is_calculated_from_what():
    ratio = Arithmetic.column("x").join("/", Arithmetic.column("z"))
    with pytest.raises(ValueError, match="calculated from 'z', which the schema lacks"):
        SCHEMA.with_features([derived_feature(ratio)])
    with pytest.raises(ValueError, match="is ordinal, but 'x / z', which it is calculated by, is continuous"):
        Feature("ratio", "ordinal", (1, 2), derived=ratio)
    with pytest.raises(ValueError, match="calculated from others and holds no whole numbers"):
        Feature("ratio", "continuous", whole=True, derived=ratio)


def test_models_with_calculations_predict_when_they_are_loaded(tmp_path):
    table = pd.DataFrame({"x": np.arange(20.0), "unused": 0.0, "y": 10.0})
    truth = PROGRAM.predict(table)
    model = NLNClassifier.from_program(PROGRAM, table, truth)
    assert model.feature_importances_.tolist() == [0.5, 0.0, 0.5]
    model.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert loaded.program_ == model.program_
    assert (loaded.predict(table) == truth).all()
    assert read_columns(table, loaded.program_.schema)["x - y"].tolist() == (table["x"] - 10).tolist()
