import numpy as np
import pytest

from nln import NLNClassifier
from nln.compose import transfer
from nln.datasets import load_tic_tac_toe
from tests.compose.examples import parse, table

PROGRAM = parse("IF x < 3 THEN class = yes IF x >= 8 THEN class = yes IF colour = red AND x < 6 THEN class = yes (0.8)")


def kinds(X):
    return ["low" if x < 3 else "high" if x >= 8 else "middle" for x in X["x"]]


def test_rules_find_their_class(frame):
    X, _ = table()
    found = transfer(PROGRAM, frame(X), kinds(X))
    assert {(rule.label, rule.size) for rule in found.rules} == {("low", 1), ("high", 1)}
    assert found.n_rules == 2
    assert found.biases[found.schema.target.labels.index("middle")] == 0.3


@pytest.mark.parametrize("method", ["coverage", "error"])
@pytest.mark.parametrize("bias", [0.3, None])
def test_decisions_follow_the_new_target(method, bias):
    X, _ = table()
    assert transfer(PROGRAM, X, kinds(X), method=method, bias=bias).predict(X).tolist() == kinds(X)


@pytest.mark.parametrize("fallback", ["low", "high", "middle"])
def test_the_fallback_class_has_no_rules(fallback):
    X, _ = table()
    found = transfer(PROGRAM, X, kinds(X), fallback=fallback, bias=None)
    assert not found.rules_for(fallback)


def test_transfer_to_the_same_target_keeps_decisions():
    X, y = load_tic_tac_toe()
    program = NLNClassifier(random_state=0).fit(X, y).program_
    found = transfer(program, X, y)
    assert (found.predict(X) == program.predict(X)).all()
    assert found.n_rules <= program.n_rules


def test_transfer_to_labels():
    X, _ = table()
    Y = {"low": [int(x < 3) for x in X["x"]], "high": [int(x >= 8) for x in X["x"]]}
    import pandas as pd

    found = transfer(PROGRAM, X, pd.DataFrame(Y))
    np.testing.assert_array_equal(found.predict(X), np.array([Y["low"], Y["high"]]).T)


def test_inputs_stay_as_they_are_and_the_result_is_the_same_again():
    X, _ = table()
    before = PROGRAM.to_dict()
    assert transfer(PROGRAM, X, kinds(X)) == transfer(PROGRAM, X, kinds(X))
    assert PROGRAM.to_dict() == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fallback": "none"}, "no class 'none' to fall back on; known: 'high', 'low', 'middle'"),
        ({"bias": 1.5}, "bias must be"),
        ({"price": -1}, "price"),
        ({"method": "x"}, "method"),
    ],
)
def test_bad_arguments_are_refused(options, message):
    X, _ = table()
    with pytest.raises(ValueError, match=message):
        transfer(PROGRAM, X, kinds(X), **options)


def test_of_two_classes_the_second_cannot_be_the_fallback():
    X, y = table()
    with pytest.raises(ValueError, match="falls back on 'no'"):
        transfer(PROGRAM, X, y, fallback="yes")
