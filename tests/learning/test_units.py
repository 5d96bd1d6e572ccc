"""Columns that the user says are comparable: nothing else is added, subtracted or compared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nln import Constraints, LanguageOptions, NLNClassifier
from nln.learning.units import are_comparable
from nln.rules import Feature, LogicProgram, Schema, Target
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.same import Same

UNITS = {"left_weight": 0, "right_weight": 0, "left_distance": 1, "right_distance": 1}


def product(*names):
    found = Arithmetic.column(names[0])
    for name in names[1:]:
        found = found.join("*", Arithmetic.column(name))
    return found


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (("left_weight",), ("right_weight",), True),
        (("left_weight",), ("left_distance",), False),
        (("left_weight", "left_distance"), ("right_distance", "right_weight"), True),
        (("left_weight", "left_weight"), ("right_distance", "right_weight"), False),
        (("age", "left_weight"), ("age", "right_weight"), True),
        (("age",), ("left_weight",), False),
    ],
)
def test_products_are_alike_if_their_factors_are(one, other, alike):
    difference = product(*one).join("-", product(*other))
    assert are_comparable(difference, UNITS) is alike
    assert are_comparable(product(*one).join("*", product(*other)), UNITS)


def test_values_are_compared_within_a_group():
    assert are_comparable(Same(("left_weight", "right_weight")), UNITS)
    assert not are_comparable(Same(("left_weight", "left_distance")), UNITS)
    assert not are_comparable(Same(("a", "b")), UNITS)


def test_only_comparable_columns_are_compared():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.uniform(0, 1, 500).round(2) for name in ("now", "before", "other")})
    y = ((X.now > X.before) ^ (rng.random(500) < 0.03)).astype(int)
    language = LanguageOptions(arithmetic=2)
    for groups, found in (([["now", "before"]], {"before - now"}), ([["now", "other"]], set())):
        constraints = Constraints(comparable=groups)
        program = NLNClassifier(random_state=0, language=language, constraints=constraints).fit(X, y).program_
        sums = {f.name for f in program.schema.features if f.derived is not None and " - " in f.name}
        assert sums == found
        assert constraints.violations(program) == ()


def test_spreads_do_not_matter_where_the_user_says_what_is_comparable():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"limit": rng.uniform(45, 55, 500).round(1), "value": rng.uniform(0, 100, 500).round(1)})
    y = ((X.value > X.limit) ^ (rng.random(500) < 0.02)).astype(int)
    constraints = Constraints(comparable=[["limit", "value"]])
    model = NLNClassifier(random_state=0, language=LanguageOptions(arithmetic=True), constraints=constraints).fit(X, y)
    assert model.program_.features_used == ("limit - value",)


def test_a_program_that_takes_other_columns_together_is_named():
    features = tuple(Feature(name, "continuous") for name in ("age", "creatinine", "before"))
    schema = Schema(features, Target("risk", "binary", ("no", "yes")))
    program = LogicProgram.parse("IF age > creatinine THEN risk = yes", schema=schema)
    (said,) = Constraints(comparable=[["creatinine", "before"]]).violations(program)
    assert said == "Rule 1 asks about 'age - creatinine', which takes columns together that are not comparable."
    assert Constraints().violations(program) == ()


@pytest.mark.parametrize(
    ("groups", "error", "said"),
    [
        ("age", TypeError, "comparable must be a list of lists"),
        (["age"], TypeError, "comparable must be a list of column names, not 'age'"),
        ([["age"]], ValueError, "a group has at least two columns"),
        ([["a", "b"], ["b", "c"]], ValueError, "'b' in two groups"),
    ],
)
def test_groups_that_make_no_sense_are_refused(groups, error, said):
    with pytest.raises(error, match=said):
        Constraints(comparable=groups)
