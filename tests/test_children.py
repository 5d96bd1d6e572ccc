"""`NLNClassifier.fit(..., tables=...)`: rules that count rows of child tables are found, and only true ones."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

from benchmarks.made_relations import Made, keyed, near_misses, patients, trains
from nln import Child, Constraints, NLNClassifier, load_model
from nln.rules import LogicProgram

SEEDS = range(5)
EXPECTED = {
    "trains": "IF some cars (length = short AND roof != open)",
    "exists": "IF some visits (dept = ER AND creatinine >= 1.3)",
    "no": "IF no visits (dept = heart AND urgent = yes)",
    "at least 2": "IF at least 2 visits (pressure >= 135 AND urgent = yes)",
    "bare": "IF at least 5 visits",
}


def make(kind: str, seed: int, n: int = 600) -> Made:
    made = trains(n, seed) if kind == "trains" else patients(n, kind, seed)
    return (
        made
        if kind in ("two tables", "either", "nothing", "trains")
        else made._replace(tables={"visits": made.tables["visits"]})
    )


def learn(made: Made, seed: int = 0, **parameters: Any) -> NLNClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return NLNClassifier(random_state=seed, **parameters).fit(made.X, made.y, tables=keyed(made))


def texts(program: LogicProgram) -> list[str]:
    """The rules as sentences without their conclusions."""
    found = str(program).split("\n\n")[:-1]
    return [" ".join(rule.partition("\nTHEN")[0].split()) for rule in found]


@pytest.mark.parametrize("kind", EXPECTED)
def test_the_truth_is_found_behind_noise(kind: str) -> None:
    for seed in SEEDS:
        model = learn(make(kind, seed), seed)
        assert texts(model.program_) == [EXPECTED[kind]], (seed, str(model.program_))
        new = make(kind, seed + 100)
        assert (model.predict(new.X, tables=new.tables) == new.truth).all()


def test_conditions_on_two_tables_meet_in_one_rule() -> None:
    (rule,) = texts(learn(make("two tables", 1, 1000), 1).program_)
    assert "at least 2 visits (dept in {ER, heart} AND creatinine >= 1.1" in rule
    assert 'no drugs (class = "ACE inhibitor")' in rule


def test_two_rules_are_found_one_after_the_other() -> None:
    found = sorted(texts(learn(make("either", 0, 800)).program_))
    assert found == [
        "IF some drugs (class = insulin AND dose >= 30)",
        "IF some visits (dept = ER AND creatinine >= 1.4)",
    ]


@pytest.mark.parametrize("seed", range(3))
def test_children_that_tell_nothing_are_not_asked_about(seed: int) -> None:
    assert not any("visits" in rule or "drugs" in rule for rule in texts(learn(make("nothing", seed), seed).program_))
    (rule,) = texts(learn(make("flat", seed), seed).program_)
    assert rule.startswith("IF age >= ")
    assert rule.endswith(" AND sex = f")


def test_a_conjunction_is_found_of_which_no_pair_tells_anything() -> None:
    for seed in (0, 1):
        model, new = learn(near_misses(400, seed), seed), near_misses(400, seed + 100)
        (rule,) = texts(model.program_)
        assert rule.count("=") == 3, rule
        assert all(symptom in rule for symptom in ("fever", "cough", "rash")), rule
        assert (model.predict(new.X, tables=new.tables) == new.truth).all()
    two = learn(near_misses(400, 1), 1, n_jobs=2)
    assert str(two.program_) == str(model.program_)


def test_conditions_on_the_row_stand_beside_those_on_children() -> None:
    (rule,) = texts(learn(make("no and age", 1), 1).program_)
    assert rule == "IF age >= 60 AND no visits (dept = heart AND urgent = yes)"


def test_neither_order_nor_threads_change_the_program() -> None:
    made = make("exists", 0, 300)
    rng = np.random.default_rng(0)
    rows = rng.permutation(len(made.X))
    visits = made.tables["visits"]
    moved = Made(
        made.X.iloc[rows], {"visits": visits.iloc[rng.permutation(len(visits))]}, made.y[rows], made.truth[rows]
    )
    one = learn(made, n_jobs=1)
    assert (
        str(one.program_)
        == str(learn(moved, n_jobs=2).program_)
        == str(clone(one).fit(made.X, made.y, tables={"visits": Child(visits, key="patient_id")}).program_)
    )


def test_polars_tables_give_the_same_program() -> None:
    made = make("no", 0, 300)
    visits = pl.DataFrame(made.tables["visits"].to_dict("list"), nan_to_null=True)
    X = pl.DataFrame(made.X.to_dict("list"))
    other = NLNClassifier(random_state=0).fit(X, made.y, tables={"visits": Child(visits, key="patient_id")})
    assert str(other.program_) == str(learn(made).program_)


def test_a_saved_model_decides_and_explains_alike(tmp_path: Any) -> None:
    made = make("exists", 0, 300)
    model = learn(made)
    model.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert str(loaded.program_) == str(model.program_)
    assert (loaded.predict_proba(made.X, tables=made.tables) == model.predict_proba(made.X, tables=made.tables)).all()
    row = int(np.flatnonzero(made.truth)[0])
    said = str(loaded.explain(made.X.iloc[[row]], tables=made.tables)[0])
    assert "dept = ER, creatinine = " in said
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[0] == pytest.approx(1)  # the key stands for the children


def test_children_without_rows_are_told_and_not_used() -> None:
    made = make("exists", 0, 300)
    visits = pd.concat([made.tables["visits"], made.tables["visits"].assign(patient_id=7)])
    with pytest.warns(UserWarning, match=r"rows of 'visits' belong to no row of X, since their keys in 'patient_id'"):
        model = NLNClassifier(random_state=0).fit(made.X, made.y, tables={"visits": Child(visits, key="patient_id")})
    assert str(model.program_) == str(learn(made).program_)


def test_keys_of_other_names_and_missing_keys_are_taken() -> None:
    made = make("exists", 0, 300)
    X = made.X.rename(columns={"patient_id": "id"}).astype({"id": float})
    X.loc[3, "id"] = np.nan
    model = NLNClassifier(random_state=0).fit(
        X,
        made.y,
        tables={"visits": Child(made.tables["visits"][lambda v: v.patient_id != 1003], "patient_id", parent_key="id")},
    )
    assert texts(model.program_) == [EXPECTED["exists"]]
    assert model.program_.columns_used == ("id",)


def test_an_order_lets_rules_ask_for_the_last_rows() -> None:
    rng = np.random.default_rng(0)
    n, each = 400, 6
    visits = pd.DataFrame(
        {
            "patient": np.repeat(np.arange(n), each),
            "day": rng.permutation(n * each),
            "fever": rng.choice(["no", "yes"], n * each),
            "dept": rng.choice(["ER", "eye", "lab"], n * each),
        }
    )
    last = visits.sort_values("day").groupby("patient").tail(2)
    y = ((last.fever == "yes") & (last.dept == "ER")).groupby(last.patient).any().reindex(range(n)).to_numpy()
    X = pd.DataFrame({"patient": np.arange(n), "x": rng.normal(size=n)})
    model = NLNClassifier(random_state=0).fit(
        X, np.where(rng.random(n) < 0.05, ~y, y), tables={"visits": Child(visits, key="patient", order="day")}
    )
    assert texts(model.program_) == ["IF some visits (from_last <= 2 AND fever = yes AND dept = ER)"]
    assert (model.predict(X, tables={"visits": visits}) == y).all()


def dated(seed: int, n: int = 500) -> tuple[pd.DataFrame, pd.DataFrame, np.ndarray]:
    """Visits before and after a date of each patient; an ER visit in the 30 days before it decides."""
    rng = np.random.default_rng(seed)
    index = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")
    owner = np.repeat(np.arange(n), rng.poisson(6, n))
    days = rng.integers(-200, 201, len(owner))  # before the date, if positive
    visits = pd.DataFrame({"patient": owner, "dept": rng.choice(["ER", "eye", "lab"], len(owner))})
    visits["day"] = index[owner] - pd.to_timedelta(days, "D")
    hit = (visits.dept == "ER") & (days >= 0) & (days <= 30)
    truth = hit.groupby(visits.patient).any().reindex(range(n), fill_value=False).to_numpy()
    X = pd.DataFrame({"patient": np.arange(n), "index": index, "age": rng.integers(20, 90, n)})
    return X, visits, truth


@pytest.mark.parametrize("seed", range(3))
def test_days_before_a_date_are_found(seed: int) -> None:
    X, visits, truth = dated(seed)
    y = truth ^ (np.random.default_rng(seed).random(len(X)) < 0.05)
    child = Child(visits, key="patient", order="day", before="index")
    model = NLNClassifier(random_state=seed).fit(X, y, tables={"visits": child})
    (rule,) = texts(model.program_)
    assert re.fullmatch(r"IF some visits \(days_before <= (29|30|31) AND dept = ER\)", rule)
    X, visits, truth = dated(seed + 100)
    assert (model.predict(X, tables={"visits": visits}) == truth).mean() >= 0.98


def test_what_comes_later_is_never_seen() -> None:
    """Visits after the date tell the class, and are left out: the model is that of the others alone."""
    X, visits, _ = dated(0, 300)
    when = X["index"].to_numpy()[visits.patient]
    later = (visits.day > when) & (visits.dept == "ER")
    y = later.groupby(visits.patient).any().reindex(range(len(X)), fill_value=False).to_numpy()
    tables = {"visits": Child(visits, key="patient", order="day", before="index")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that no rule was found
        model = NLNClassifier(random_state=0).fit(X, y, tables=tables)
    known = visits[visits.day <= when]
    assert (model.predict_proba(X, tables=tables) == model.predict_proba(X, tables={"visits": known})).all()
    again = NLNClassifier(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        again.fit(X, y, tables={"visits": Child(known, key="patient", order="day", before="index")})
    assert str(again.program_) == str(model.program_)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"visits": Child(pd.DataFrame({"a": [1]}), key="b")}, "table 'visits' has no column 'b'"),
        ({"visits": Child(pd.DataFrame({"b": [1], "c": [1]}), key="b")}, "X has no column 'b'"),
        ({"visits": Child(pd.DataFrame({"x": [9]}), key="x")}, "No row of 'visits' belongs to a row of X"),
        ({"visits": Child(pd.DataFrame({"x": ["9"]}), key="x")}, "are text, but those of the rows"),
        ({"visits": Child(pd.DataFrame({"x": [1]}), key="x", before="y")}, "give order=, its own dates"),
        ({"visits": Child(pd.DataFrame({"x": [1], "t": [1]}), key="x", order="t", before="z")}, "X has no column 'z'"),
    ],
)
def test_wrong_tables_are_refused_by_name(tables: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NLNClassifier().fit(pd.DataFrame({"x": [1, 2, 3, 4], "y": [1, 2, 1, 2]}), [0, 1, 0, 1], tables=tables)


def test_what_cannot_be_combined_is_refused() -> None:
    X, y = pd.DataFrame({"x": [1, 2, 3, 4]}), [0, 1, 0, 1]
    tables = {"visits": Child(pd.DataFrame({"x": [1, 2], "z": [2, 3]}), key="x")}
    with pytest.raises(ValueError, match=r"tables= cannot be combined with Constraints\(required=...\)"):
        NLNClassifier(constraints=Constraints(required=["x"])).fit(X, y, tables=tables)
    with pytest.raises(ValueError, match=r"tables= cannot be combined with initial_program="):
        NLNClassifier(initial_program="IF x < 3 THEN class = 1").fit(X, y, tables=tables)
    with pytest.raises(ValueError, match="tables= needs discretization"):
        NLNClassifier(preset="paper").fit(X, y, tables=tables)
    with pytest.raises(TypeError, match=r"Child\(table, key=...\)"):
        NLNClassifier().fit(X, y, tables={"visits": X})
