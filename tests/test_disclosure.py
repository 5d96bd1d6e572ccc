"""What model files, reports and cards tell of the table: of values, those of features that rules ask about."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from nln import NLNClassifier, audit, edit, load_model
from nln.report.card import model_card
from nln.rules import Feature, LogicProgram, RuleSyntaxError, Schema, Target
from tests.cli.commands import run_here

RNG = np.random.default_rng(0)
ROWS = 600


def people(rows=ROWS):
    """A table in which one column decides, and another holds the names of people, each in several rows."""
    age = RNG.integers(20, 80, rows)
    names = [f"Zenobia-{i}" for i in RNG.integers(0, 200, rows)]
    ward = RNG.choice(["east", "west"], rows)
    return pd.DataFrame({"age": age, "name": names, "ward": ward}), np.where(age > 50, "ill", "well")


@pytest.fixture(scope="module")
def fitted():
    X, y = people()
    return NLNClassifier(starts=1, random_state=0).fit(X, y), X, y


def texts(model, X, y, folder):
    model.save(folder / "model.json")
    model.program_.save(folder / "rules.json")
    model.report(X, y, folder / "page.html")
    model.report(X, y, folder / "rows.html", include_rows=True)
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} | {
        "card": model_card(load_model(folder / "model.json")),
        "export": model.program_.export("json"),
    }


def test_values_of_columns_that_no_rule_asks_about_are_in_no_file(fitted, tmp_path):
    model, X, y = fitted
    assert {name for point in model.path_ for name in point.program.features_used} == {"age"}
    assert "Zenobia-0" in model.schema_["name"].values  # in memory, rules about names may still be written
    for name, text in texts(model, X, y, tmp_path).items():
        assert "Zenobia" not in text and '"east"' not in text, name
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "the values that occur in the columns that rules ask about, and no row of the table" in page


def test_a_model_without_those_values_decides_the_same_and_knows_its_columns(fitted, tmp_path):
    model, X, y = fitted
    model.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    new = X.assign(name="nobody", ward="north")
    for table in (X, new, X[["age"]]):
        np.testing.assert_array_equal(loaded.predict_proba(table), model.predict_proba(table))
    assert loaded.at(n_rules=1) is not None
    assert loaded.schema_["name"].kind == "categorical" and loaded.feature_names_in_.tolist() == [*X.columns]
    groups = [audit(each, X, y, protected=["ward"]).to_dict()["groups"] for each in (model.program_, loaded.program_)]
    assert groups[0] == groups[1] and {group["group"] for group in groups[0]} >= {"east", "west"}


def test_a_rule_about_values_that_are_not_known_is_refused_with_the_reason(fitted, tmp_path):
    model, *_ = fitted
    rule = "IF ward = east THEN class = well"
    assert edit(model.program_).add(rule).program.features_used == ("age", "ward")
    model.save(tmp_path / "model.json")
    with pytest.raises(RuleSyntaxError, match="The values of ward are not known: model files leave out those"):
        LogicProgram.parse(rule, schema=load_model(tmp_path / "model.json").schema_)


def test_a_stage_of_the_dial_keeps_the_values_that_it_asks_about(tmp_path):
    X, _ = people()
    y = np.where((X["age"] > 50) & (X["ward"] == "east"), "ill", "well")
    y = np.where(RNG.random(ROWS) < 0.1, "well", y)
    model = NLNClassifier(starts=1, random_state=0).fit(X, y)
    asked = {name for point in model.path_ for name in point.program.features_used}
    assert "ward" in asked
    model.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert loaded.schema_["ward"].values == ("east", "west")
    for mine, kept in zip(model.path_, loaded.path_, strict=True):
        np.testing.assert_array_equal(mine.program.predict_proba(X), kept.program.predict_proba(X))


def test_of_very_many_values_those_too_rare_for_a_rule_are_not_kept():
    rows = 3000
    codes = np.where(RNG.random(rows) < 0.5, "common", [f"k{i % 600}" for i in range(rows)])
    X = pd.DataFrame({"code": codes, "x": RNG.normal(size=rows)})
    y = (codes == "common").astype(int)
    model = NLNClassifier(starts=1, random_state=0, feature_types={"code": "categorical"}).fit(X, y)
    assert model.program_.features_used == ("code",)
    assert len(model.schema_["code"].values) == 254 and "common" in model.schema_["code"].values
    assert model.score(X, y) == 1.0
    rare = sorted(set(codes) - set(model.schema_["code"].values))
    seen = model.predict_proba(pd.DataFrame({"code": rare}))
    new = model.predict_proba(pd.DataFrame({"code": ["never seen"] * len(rare)}))
    np.testing.assert_array_equal(seen, new)


def test_a_table_file_is_audited_by_a_column_that_no_rule_asks_about(tmp_path, capfd):
    X, y = people(200)
    X.assign(state=y).to_csv(tmp_path / "data.csv", index=False)
    run_here(capfd, "fit", "data.csv", "--target", "state", "-o", "model.json", "--quiet", folder=tmp_path)
    assert "Zenobia" not in (tmp_path / "model.json").read_text(encoding="utf-8")
    done = run_here(capfd, "audit", "model.json", "data.csv", "--group", "ward", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {group["group"] for group in json.loads(done.stdout)["groups"]} >= {"east", "west"}


def test_names_that_all_tables_share_are_kept():
    features = (
        Feature("a", "binary", (False, True)),
        Feature("b", "binary", (0, 1)),
        Feature("c", "binary", ("f", "m")),
    )
    program = LogicProgram(Schema(features, Target("y", "binary", (0, 1))), (), (0.5,), (0.5,))
    assert [f["values"] for f in program.to_dict()["features"]] == [[False, True], [0, 1], []]
