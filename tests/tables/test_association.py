"""How closely columns go with the target, and columns that alone decide nearly everything."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from nln import NLNClassifier, datasets
from nln.tables.association import associations, cramers_v, find_suspects, left_out_hits, suspect_notes
from nln.tables.encoding import make_encoding
from nln.tables.frames import read_table
from nln.tables.infer import infer_features
from nln.tables.target import read_target

RNG = np.random.default_rng(3)
ROWS = 400
DEATH = RNG.random(ROWS) < 0.2


def encoded(X, y):
    table = read_table(X)
    target, outputs, _ = read_target(y)
    features, columns = infer_features(table)
    encoding = make_encoding(features, columns, np.ones(table.n_rows))
    return encoding, encoding.codes(columns, table.n_rows), outputs, target


def suspects(X, y):
    return {suspect.column: suspect for suspect in find_suspects(*encoded(X, y))}


def test_association_is_0_without_and_1_with_a_function(frame):
    X = {
        "copy": np.where(DEATH, "dead", "alive"),
        "noise": RNG.normal(size=ROWS),
        "many": [f"value {i}" for i in RNG.integers(0, 150, ROWS)],
        "part": DEATH * RNG.normal(1, 1, ROWS),
    }
    encoding, codes, outputs, target = encoded(frame(X), DEATH)
    found = associations(encoding, codes, outputs, target.kind)
    assert found["copy"] == pytest.approx(1, abs=0.02)
    assert found["noise"] < 0.1 and found["many"] < 0.25, "columns of many values get nothing for being many"
    assert 0.5 < found["part"] <= 1


def test_cramers_v_of_a_table_worked_out_by_hand():
    counts = np.array([[30.0, 10.0], [10.0, 30.0]])
    chi2 = 80 * (30 * 30 - 10 * 10) ** 2 / 40**4
    corrected = chi2 / 80 - 1 / 79
    assert cramers_v(counts) == pytest.approx(np.sqrt(corrected / (1 - 1 / 79)))
    assert cramers_v(np.array([[7.0, 3.0]])) == 0.0


def test_a_row_does_not_vote_on_itself():
    assert left_out_hits(np.array([[5.0, 0.0], [0.0, 4.0]])).tolist() == [5, 4]
    assert left_out_hits(np.eye(6)[:, :2]).tolist() == [0, 0]
    assert left_out_hits(np.array([[9.0, 1.0], [1.0, 9.0]])).tolist() == [9, 9]


@pytest.mark.parametrize(
    "leak",
    [
        np.where(DEATH, RNG.integers(1, 70, ROWS), np.nan),  # the chapter in which somebody dies
        np.where(DEATH, RNG.normal(900, 200, ROWS), RNG.normal(3000, 200, ROWS)),
        np.where(DEATH, "morgue", RNG.choice(["home", "ward"], ROWS)),
        np.where(DEATH, RNG.uniform(15, 40, ROWS), 45.0),  # few rows beside one heavy value
        DEATH ^ (RNG.random(ROWS) < 0.01),
    ],
)
def test_a_column_that_knows_the_answer_is_suspect(leak):
    X = pd.DataFrame({"age": RNG.integers(20, 80, ROWS), "leak": leak})
    found = suspects(X, DEATH)
    assert list(found) == ["leak"] and found["leak"].right >= 0.97


def test_strong_columns_of_honest_tables_are_not_suspect():
    for X, y in (
        load_iris(return_X_y=True, as_frame=True),
        load_breast_cancer(return_X_y=True, as_frame=True),
        datasets.load_wine(),
        datasets.load_tic_tac_toe(),
    ):
        assert suspects(X, y) == {}


def test_a_rare_class_and_names_are_no_reason_to_suspect():
    rare = RNG.random(ROWS) < 0.02
    X = pd.DataFrame({"name": [f"N{i}" for i in range(ROWS)], "same": RNG.random(ROWS) < 0.01})
    assert suspects(X, rare) == {}


def test_the_only_column_and_small_tables_are_not_suspect():
    X = pd.DataFrame({"leak": DEATH, "age": RNG.integers(20, 80, ROWS)})
    assert suspects(X[["leak"]], DEATH) == {}
    assert suspects(X[:40], DEATH[:40]) == {}


def test_of_several_labels_the_one_is_named_that_a_column_knows():
    X = pd.DataFrame({"leak": DEATH, "age": RNG.integers(20, 80, ROWS)})
    y = pd.DataFrame({"death": DEATH.astype(int), "pain": (RNG.random(ROWS) < 0.5).astype(int)})
    assert suspects(X, y)["leak"].target == "death"


def test_the_first_suspects_are_asked_about_one_by_one():
    X = pd.DataFrame({f"leak {i}": DEATH for i in range(5)})
    notes = suspect_notes(find_suspects(*encoded(X, DEATH)))
    assert len(notes) == 4
    assert notes[0].startswith("'leak 0' alone predicts class in 100 % of the rows: does it know the answer?")
    assert notes[-1] == "The same question about 'leak 3', 'leak 4'."


def test_learning_asks_and_remembers():
    X = pd.DataFrame({"chapter": np.where(DEATH, RNG.integers(1, 70, ROWS), np.nan), "age": RNG.normal(40, 9, ROWS)})
    y = pd.Series(np.where(DEATH, "dead", "alive"), name="death")
    with pytest.warns(UserWarning, match="'chapter' alone predicts death in 100 % of the rows: does it know"):
        model = NLNClassifier(random_state=0, starts=2).fit(X, y)
    assert model.made_.notes[0].startswith("'chapter' alone predicts death")
    assert NLNClassifier(random_state=0, starts=2).fit(*load_iris(return_X_y=True, as_frame=True)).made_.notes == ()
