import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.rules import Feature, LogicProgram, Schema, Target, read_columns
from nln.rules.importance import feature_importances
from tests.rules.strategies import programs_and_rows

FEATURES = tuple(Feature(name, "continuous") for name in "abc")
SCHEMA = Schema(FEATURES, Target("class", "binary", ("no", "yes")))


def importances(text, X, y):
    program = LogicProgram.parse(text, schema=SCHEMA)
    truth = np.array(y, bool)[:, None]
    return feature_importances(program, read_columns(X, SCHEMA), truth, np.ones(len(truth)))


def exclusive_or(n=400):
    rng = np.random.default_rng(0)
    X = {name: rng.random(n) for name in "abc"}
    return X, (X["a"] < 0.5) != (X["b"] < 0.5)


XOR = "IF a < 0.5 AND b >= 0.5 THEN class = yes IF a >= 0.5 AND b < 0.5 THEN class = yes"


def test_both_features_of_an_exclusive_or_are_worth_about_the_same():
    found = importances(XOR, *exclusive_or())
    assert list(found) == ["a", "b"]
    assert found["a"] == pytest.approx(0.5, abs=0.05)
    assert sum(found.values()) == pytest.approx(1)


def test_the_rise_is_that_of_the_squared_error_with_mean_memberships():
    X = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0] * 4}
    found = importances("IF a < 0.5 AND b < 0.5 THEN class = yes IF b >= 0.5 THEN class = yes (0.5)", X, [1, 1, 0, 1])
    # Rows: P = 1, 0.5, 0, 0.5. Without a: 0.5, 0.5, 0.5, 0.5. Without b: 1 - 0.5 * 0.75, the same, 0.25, 0.25.
    whole = 0.25 + 0.25
    rises = np.array([4 * 0.25 - whole, 2 * 0.375**2 + 0.25**2 + 0.75**2 - whole])
    np.testing.assert_allclose([found["a"], found["b"]], rises / rises.sum())


def test_a_feature_whose_condition_does_harm_has_no_share():
    X, y = exclusive_or()
    found = importances(XOR + " IF c < 0.5 THEN class = yes (0.5)", X, y)
    assert found["c"] == 0


def test_without_rules_there_are_no_shares():
    assert importances("OTHERWISE class = no (P(class = yes) = 0.25)", *exclusive_or()) == {}


def test_weights_count_rows_as_if_they_were_repeated():
    program, (X, y) = LogicProgram.parse(XOR, schema=SCHEMA), exclusive_or(60)
    times = np.arange(60) % 3
    columns, truth = read_columns(X, SCHEMA), y[:, None]
    repeated = {name: np.repeat(column, times) for name, column in columns.items()}
    many = feature_importances(program, repeated, np.repeat(truth, times, axis=0), np.ones(times.sum()))
    found = feature_importances(program, columns, truth, times.astype(float))
    assert found == pytest.approx(many)


@settings(deadline=None, max_examples=50)
@given(programs_and_rows(), st.integers(0, 2**32 - 1))
def test_shares_sum_to_1_or_are_all_0_and_long_tables_are_cut_into_chunks(case, seed):
    program, rows = case
    if not rows:
        return
    truth = np.random.default_rng(seed).random((len(rows), len(program.schema.target.outputs))) < 0.5
    columns = read_columns(rows, program.schema)
    found = feature_importances(program, columns, truth, np.ones(len(rows)))
    assert tuple(found) == program.features_used
    assert all(share >= 0 for share in found.values())
    assert sum(found.values()) == pytest.approx(1) or not any(found.values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nln.rules.importance.CHUNK", 2)
        again = feature_importances(program, columns, truth, np.ones(len(rows)))
    if all(share > 1e-6 for share in found.values()):
        assert again == pytest.approx(found, abs=1e-6)
