import numpy as np
import pytest

from nln import NLNClassifier, TrainingOptions, load_model
from nln.made import Made

X, Y = [[i % 7, i % 3] for i in range(60)], [int(i % 7 > 3) for i in range(60)]


def quick(**parameters):
    return NLNClassifier(n_rules=8, starts=1, training=TrainingOptions(epochs=5), n_jobs=1, **parameters)


def test_a_model_file_says_how_it_was_made_and_can_be_made_again_to_the_last_byte(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86399")
    for name in ("a.json", "b.json"):
        quick(random_state=3).fit(X, Y).save(tmp_path / name, table="weeks.csv")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    made = load_model(tmp_path / "a.json").made_
    assert (made.date, made.table, made.rows, made.seed) == ("1970-01-01", "weeks.csv", 60, 3)
    assert made.versions["numpy"] == np.__version__


def test_the_seed_of_a_model_fitted_without_one_gives_the_same_program_again():
    model = quick().fit(X, Y)
    again = quick(random_state=model.made_.seed).fit(X, Y)
    assert again.program_ == model.program_
    assert model.made_.seed < 2**32


def test_rows_without_weight_are_not_counted():
    assert quick(random_state=0).fit(X, Y, sample_weight=[0, 1] * 30).made_.rows == 30


@pytest.mark.parametrize("made", [Made(), Made(rows=3, notes=("a", "b"), scores={"new rows": {"f1": 0.5}})])
def test_what_is_not_known_is_left_out(made):
    assert set(made.to_dict()) == ({"rows", "notes", "scores"} if made.rows else set())
