import copy
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nln import NLNClassifier, TrainingOptions, edit
from nln.model import SavedModel, load_model, model_from_dict, model_of
from nln.rules import Feature, LogicProgram, Schema, Target
from nln.rules.storage.reading import ModelFormatError
from tests.rules.kidney import PROGRAM, SICK
from tests.tools import model_file_validator

DATA = Path(__file__).parent / "rules" / "data"
FRAMES = {"pandas": pd.DataFrame, "polars": lambda data: pl.DataFrame(data, strict=False), "pyarrow": pa.table}


def make_table(rng, rows=120):
    colour = rng.choice(np.array(["red", "green", "blue", None], dtype=object), rows)
    x = rng.normal(size=rows)
    x[rng.random(rows) < 0.1] = np.nan
    return {"colour": colour, "same": ["s"] * rows, "x": x, "flag": rng.random(rows) < 0.5}


def fit(X, y):
    options = TrainingOptions(epochs=30)
    return NLNClassifier(n_rules=16, starts=1, training=options, random_state=0, n_jobs=1).fit(X, y)


def roundtrip(model, folder):
    model.save(folder / "model.json")
    return load_model(folder / "model.json")


@pytest.mark.filterwarnings("ignore:Columns without two different values")
@pytest.mark.parametrize("kind", ["text", "int8", "float64", "bool", "object", "classes", "labels"])
def test_a_loaded_model_predicts_as_the_fitted_one(kind, tmp_path):
    rng = np.random.default_rng(0)
    data = make_table(rng)
    truth = (data["colour"] == "red") | (np.nan_to_num(data["x"]) > 0.5)
    y = {
        "text": np.where(truth, "yes", "no"),
        "object": np.where(truth, "yes", "no").astype(object),
        "classes": truth.astype(int) + data["flag"],
        "labels": np.stack([truth, data["flag"]], axis=1).astype(int),
    }.get(kind, truth.astype(kind if kind in ("int8", "float64", "bool") else int))
    model = fit(pd.DataFrame(data), y)
    again = roundtrip(model, tmp_path)
    assert model.program_.n_rules
    assert again.program_ == model.program_
    assert again.classes_.dtype == model.classes_.dtype
    np.testing.assert_array_equal(again.classes_, model.classes_)
    assert again.schema_ == model.schema_
    assert again.n_features_in_ == model.n_features_in_ == 4
    np.testing.assert_array_equal(again.feature_names_in_, model.feature_names_in_)
    new = make_table(np.random.default_rng(1))
    new["colour"][0] = "never seen"
    for make in FRAMES.values():
        X = make(new)
        expected = model.predict(X)
        assert again.predict(X).dtype == expected.dtype
        np.testing.assert_array_equal(again.predict(X), expected)
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(again.rule_memberships(X), model.rule_memberships(X))
        assert len(again.explain(X)) == 120
    np.testing.assert_array_equal(again.feature_importances_, model.feature_importances_)


@pytest.mark.filterwarnings("ignore:Columns without two different values")
def test_a_loaded_model_keeps_the_dial(tmp_path):
    data = make_table(np.random.default_rng(0))
    model = fit(pd.DataFrame(data), (data["colour"] == "red") ^ (data["flag"]))
    again = roundtrip(model, tmp_path)
    assert len(model.path_) > 1 and again.path_ == model.path_
    fewest = min(point.n_rules for point in model.path_)
    assert again.at(n_rules=fewest) == model.at(n_rules=fewest)
    assert json.loads((tmp_path / "model.json").read_text())["path"][0]["price"] == model.path_[0].price
    model_file_validator().validate(again.to_dict())
    with pytest.raises(ValueError, match="There is no path"):
        model_of(model.program_).at(n_rules=3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"price": "high"}, r"path\[0\].price: must be"),
        ({"rules": [{}]}, r"path\[0\].rules\[0\]"),
        ({"members": 0}, r"path\[0\].*members must be at least 1"),
        ({"more": 1}, r"path\[0\].*more"),
    ],
)
def test_a_wrong_stage_is_refused_with_its_place(change, message):
    document = model_of(PROGRAM).to_dict()
    stage = {"price": 1.0, "validation_loss": 0.1, **{name: document["program"][name] for name in ("outputs", "rules")}}
    assert model_from_dict({**document, "path": [stage]}).path_[0].program.rules == PROGRAM.rules
    with pytest.raises(ModelFormatError, match=message):
        model_from_dict({**document, "path": [{**stage, **change}]})


def test_columns_match_by_position_where_there_are_no_names(tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=120), np.ones(120), rng.normal(size=120)])
    with pytest.warns(UserWarning, match="tell nothing"):
        model = fit(X, X[:, 2] > 0.3)
    again = roundtrip(model, tmp_path)
    assert not hasattr(again, "feature_names_in_")
    for table in (X, X.tolist(), pd.DataFrame(X)):
        np.testing.assert_array_equal(again.predict(table), model.predict(table))
    assert [one.decision for one in again.explain(X)] == model.predict(X).tolist()
    named = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.warns(UserWarning, match="fitted without feature names"):
        np.testing.assert_array_equal(again.predict(named), model.predict(X))
    with pytest.raises(ValueError, match="X has 2 features, but SavedModel is expecting 3"):
        again.predict(X[:, :2])


def stored(version=1):
    return load_model(DATA / f"model-v{version}.json")


@pytest.mark.parametrize("version", [1, 2])
def test_a_stored_model_of_every_version_predicts_as_it_did(version):
    expected = json.loads((DATA / "program-v1.predictions.json").read_text(encoding="utf-8"))
    model = stored(version)
    assert model.predict(expected["rows"]).tolist() == expected["decisions"]
    np.testing.assert_allclose(model.predict_proba(expected["rows"]), expected["probabilities"], rtol=1e-12)
    assert model.names == ("patient", *PROGRAM.schema.names)
    assert model.explain(SICK) == PROGRAM.explain(SICK)


def test_a_named_model_takes_arrays_by_position_with_a_warning():
    array = np.array([["p1", *SICK.values()]], dtype=object)
    with pytest.warns(UserWarning, match="fitted with feature names"):
        assert stored().predict(array).tolist() == ["ckd"]
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        stored().predict(np.zeros(2))


def test_only_columns_that_rules_ask_about_are_needed():
    assert stored().predict(pd.DataFrame([SICK])).tolist() == ["ckd"]
    with pytest.raises(ValueError, match=r"(?s)should match those .* during fit.*now missing:\n- appetite\n"):
        stored().predict(pd.DataFrame([SICK]).drop(columns="appetite"))


def test_a_model_without_rules_still_counts_rows():
    program = LogicProgram(PROGRAM.schema, (), (0.25,), (0.5,))
    model = SavedModel(program, np.array(["notckd", "ckd"]), PROGRAM.schema.names, named=False)
    assert model.predict(np.zeros((3, 4))).tolist() == ["notckd"] * 3


def test_loading_and_predicting_import_numpy_alone():
    code = (
        "import sys; from nln.model import load_model; "
        f"model = load_model({str(DATA / 'model-v1.json')!r}); row = {SICK!r}; "
        "print(model.predict([row])[0]); str(model.explain(row)); "
        "heavy = {'nln.native', 'sklearn', 'scipy', 'lark', 'narwhals', 'pandas'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("ckd", "")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "nln-program"}, "has the unknown key 'columns'"),
        ({"version": 7}, "version: 7 is newer"),
        ({"columns": "abc"}, "columns: must be an array"),
        ({"columns": ["albumin"]}, "columns: The table lacks the column 'hemoglobin' of the program"),
        ({"columns": ["a", "a"]}, "columns: names a column twice"),
        ({"named": 1}, "named: must be true or false"),
        ({"class_type": "complex128"}, "class_type: must be one of 'bool'"),
        ({"class_type": "int64"}, "class_type: 'int64' does not fit the labels"),
        ({"program": None}, "program: must be an object"),
        ({"program": {"format": "nln-program", "version": 9}}, "program.version: 9 is newer"),
        ({"extra": 1}, "has the unknown key 'extra'"),
        ({"importances": [1]}, "importances: must have one entry per column, 5, not 1"),
        ({"importances": [1, 0, 0, 0, -1]}, "importances[4]: must lie in [0, 1]"),
        ({"made": []}, "made: must be an object"),
        ({"made": {"day": "2026-03-01"}}, "made: has the unknown key 'day'"),
        ({"made": {"date": "1 March"}}, "made.date: '1 March' is not a date like 2026-03-01"),
        ({"made": {"rows": -1}}, "made.rows: must be a whole number"),
        ({"made": {"versions": {"nln": 1}}}, "made.versions.nln: must be text"),
        ({"made": {"scores": {"new rows": {"f1": "high"}}}}, "made.scores.new rows.f1: must be a number"),
    ],
)
def test_a_wrong_model_is_refused_with_the_place(changes, message):
    document = {**stored().to_dict(), **changes}
    with pytest.raises(ModelFormatError) as caught:
        model_from_dict(document)
    assert message in str(caught.value)


@pytest.mark.parametrize("labels", [[0, 300], [0.5, 1], [0, 10**30]])
def test_a_class_type_must_hold_the_labels(labels):
    document = copy.deepcopy(stored().to_dict())
    document["class_type"] = "int8"
    document["program"]["target"]["labels"] = labels
    document["program"]["outputs"][0]["label"] = labels[1]
    for rule in document["program"]["rules"]:
        rule["label"] = labels[1]
    with pytest.raises(ModelFormatError, match="class_type: 'int8' does not hold the labels"):
        model_from_dict(document)


def test_errors_inside_the_program_name_the_whole_path():
    document = copy.deepcopy(stored().to_dict())
    document["program"]["rules"][0]["weight"] = 2
    with pytest.raises(ModelFormatError, match=r"^program\.rules\[0\]\.weight: must lie in"):
        model_from_dict(document)


def test_a_model_writes_itself_back(tmp_path):
    stored(3).save(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == (DATA / "model-v3.json").read_bytes()
    stored(2).save(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_bytes() == (DATA / "model-v3.json").read_bytes()
    assert stored(1).program_ == stored(2).program_ == stored(3).program_


@pytest.mark.parametrize(("labels", "kind"), [(("no", "yes"), "str"), ((0, 1), "int64"), ((False, True), "bool")])
def test_a_program_alone_makes_a_model(tmp_path, labels, kind):
    schema = Schema((Feature("x", "continuous"),), Target("class", "binary", labels))
    program = LogicProgram(schema, (), (0.7,), (0.5,))
    model_of(program).save(tmp_path / "model.json")
    model = load_model(tmp_path / "model.json")
    assert (model.program_, model.names, model.to_dict()["class_type"]) == (program, ("x",), kind)
    assert model.predict({"x": [1.0]}).tolist() == [labels[1]]


def test_a_program_file_is_loaded_as_a_model(tmp_path):
    PROGRAM.save(tmp_path / "rules.json")
    model = load_model(tmp_path / "rules.json")
    assert model.program_ == PROGRAM
    assert model.predict(SICK).tolist() == ["ckd"]
    assert not hasattr(model, "feature_importances_")
    with pytest.raises(ModelFormatError, match="This is no nln-model: its 'format' is 'csv'"):
        model_from_dict({"format": "csv"})


def test_other_rules_for_the_same_table_keep_what_the_model_knows_of_it(tmp_path):
    model = stored(2)
    edited = edit(model.program_, author="Ada", time="2026-01-02T03:04:05Z").drop(2, reason="leaks").program
    model.with_program(edited).save(tmp_path / "edited.json")
    again = load_model(tmp_path / "edited.json")
    assert again.program_ == edited and again.program_.history == edited.history
    assert (again.names, again.classes_.dtype) == (model.names, model.classes_.dtype)
    assert model.made_.scores and again.made_ == replace(model.made_, scores={})  # scores are those of other rules
    assert model.program_ != edited


def test_rules_for_another_table_are_refused():
    model, schema = stored(), PROGRAM.schema
    other = LogicProgram(replace(schema, target=Target("class", "binary", ("a", "b"))), (), (0.5,), (0.5,))
    with pytest.raises(ValueError, match="The program decides 'a', 'b', but the model"):
        model.with_program(other)
    wider = LogicProgram(replace(schema, features=(*schema.features, Feature("z", "continuous"))), (), (0.5,), (0.5,))
    with pytest.raises(ValueError, match="lacks the column 'z'"):
        model.with_program(wider)


def test_a_saved_model_finds_counterfactuals():
    found = stored().counterfactuals(SICK, limit=2)
    assert found == PROGRAM.counterfactuals(SICK, limit=2)
    assert found
