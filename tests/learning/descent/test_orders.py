from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from nln import NLNClassifier
from nln.learning.descent.orders import find_orders
from nln.rules import Feature, LogicProgram
from nln.tables.encoding import make_encoding

GRADES = ("0", "1", "2", "3", "4", "5")


def graded(seed, n=600):
    """Grades above 0 mean illness, but for three rows with the worst grade."""
    rng = np.random.default_rng(seed)
    grade = rng.choice(5, n, p=[0.5, 0.15, 0.15, 0.1, 0.1])
    ill = (grade > 0) ^ (rng.random(n) < 0.02)
    grade[:3], ill[:3] = 5, False
    X = pd.DataFrame({"grade": np.array(GRADES)[grade], "noise": rng.choice(["a", "b", "c"], n)})
    return X, np.where(ill, "yes", "no")


def without_gaps(program: LogicProgram) -> bool:
    """Whether each condition on the grade goes on to one end of the order."""
    for rule in program.rules:
        for condition in rule.conditions:
            if condition.feature == "grade":
                inside = [(value in condition.values) != condition.negated for value in GRADES]
                if sum(one != other for one, other in pairwise(inside)) > 1:
                    return False
    return True


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("price", "is_dropped"), [(2.0, True), (0.7, False)])
def test_an_exception_must_be_worth_a_literal_more_than_it_lists(seed, price, is_dropped):
    """Leaving out the worst grade saves not quite three rows: more than one literal at 2.0, but less than two."""
    program = NLNClassifier(price=price, random_state=0).fit(*graded(seed)).program_
    assert program.rules
    assert without_gaps(program) is is_dropped


def test_a_true_exception_in_the_middle_stays():
    rng = np.random.default_rng(0)
    grade = rng.integers(0, 6, 600)
    X = pd.DataFrame({"grade": np.array(GRADES)[grade]})
    program = NLNClassifier(random_state=0).fit(X, np.where(np.isin(grade, [1, 2, 4]), "yes", "no")).program_
    assert program.predict({"grade": list(GRADES)}).tolist() == ["no", "yes", "yes", "no", "yes", "no"]


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (("10", "2", "1"), [2, 1, 0]),
        ((3, 1, 2), [1, 2, 0]),
        (("high", "low", "medium"), [1, 2, 0]),
        (("grade II", "grade I", "grade III"), [1, 0, 2]),
        (("red", "green", "blue"), None),
        (("1", "2"), None),
    ],
)
def test_orders_are_found_in_values(values, order):
    column = {"f": np.arange(len(values)).astype(np.int32)}
    found = find_orders(make_encoding((Feature("f", "categorical", values),), column, np.ones(len(values))))
    assert {j: slots.tolist() for j, slots in found.items()} == ({} if order is None else {0: order})
