from itertools import product

import numpy as np
import pytest

from benchmarks.boolean import draws, without_redundant_rules
from benchmarks.compare_rules import learned_rules, recovery
from benchmarks.recovery import TRUTH, whole_space
from nln import NLNClassifier
from nln.datasets import BooleanNetwork, load_monks, load_tic_tac_toe

SPACE = np.array(list(product([False, True], repeat=3)))
A, B, C = SPACE.T


def columns(*rules):
    return np.column_stack(rules)


def test_a_rule_is_recovered_however_it_is_written():
    found = recovery(columns(A & B, C), ["y", "y"], columns(~(~A | ~B), C), ["y", "y"])
    assert found == {"recovered (%)": 100.0, "excess (%)": 0.0, "other (%)": 0.0}


def test_a_rule_for_another_label_is_not_recovered():
    found = recovery(columns(A, B), ["y", "z"], columns(A, B), ["z", "z"])
    assert found == {"recovered (%)": 50.0, "excess (%)": 0.0, "other (%)": 50.0}


def test_rules_too_many_are_counted():
    found = recovery(columns(A, B), ["y", "y"], columns(A, C, A & C), ["y", "y", "y"])
    assert found == pytest.approx({"recovered (%)": 50.0, "excess (%)": 50.0, "other (%)": 200 / 3})


def test_no_rules_recover_nothing():
    found = recovery(columns(A), ["y"], np.empty((8, 0), bool), [])
    assert found == {"recovered (%)": 0.0, "excess (%)": 0.0, "other (%)": 0.0}


@pytest.mark.parametrize(
    ("name", "load", "n_rules"), [("tic-tac-toe", load_tic_tac_toe, 8), ("monk2", lambda: load_monks(2), 15)]
)
def test_the_true_rules_give_the_class_of_every_row(name, load, n_rules):
    X, y = load()
    truth, label = TRUTH[name]
    holds = truth(X)
    assert holds.shape == (len(X), n_rules)
    assert (holds.any(axis=1) == (y == label).to_numpy()).all()
    assert len(whole_space(X)) == {"tic-tac-toe": 3**9, "monk2": 432}[name]


def test_rules_of_a_fitted_model_are_compared_on_the_whole_space():
    X, y = load_tic_tac_toe()
    model = NLNClassifier(random_state=0, starts=2).fit(X, y)
    truth, label = TRUTH["tic-tac-toe"]
    space = whole_space(X)
    holds, labels = learned_rules(model, space)
    assert holds.shape == (3**9, model.program_.n_rules)
    assert recovery(truth(space), [label] * 8, holds, labels)["recovered (%)"] == 100


@pytest.mark.parametrize("share", [8, 80])
def test_draws_split_the_states(share):
    found = draws(1024, share, [0, 0])
    assert len(found) == 5
    for train, test in found:
        assert sorted([*train, *test]) == list(range(1024))
        assert len(train) == round(1024 * share / 100)
    parts = [test for _, test in found] if share == 80 else [train for train, _ in found]
    assert len(set(np.concatenate(parts))) >= sum(map(len, parts)) - 5  # disjoint, but for rounding


def test_redundant_rules_go():
    network = BooleanNetwork.from_text("a :- b. a :- b, c. b :- a. c :- c. c :- not c, a, b. c :- a, b.")
    assert [str(rule) for rule in without_redundant_rules(network).rules] == [
        "a :- b.",
        "b :- a.",
        "c :- c.",
        "c :- a, b.",
    ]
