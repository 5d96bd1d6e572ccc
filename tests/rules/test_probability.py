"""Features that rows give as probabilities."""

import numpy as np
import pytest

from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition, membership, read_columns
from nln.rules.condition import is_crisp

RAIN = Feature("rain", "probability")
SCHEMA = Schema((RAIN, Feature("x", "continuous")), Target("class", "binary", ("no", "yes")))


def parsed(text):
    return LogicProgram.parse(text, schema=SCHEMA)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (ValueCondition("rain", (1,)), [0, 0.25, 1, 0]),
        (ValueCondition("rain", (0,)), [1, 0.75, 0, 0]),
        (ValueCondition("rain", (1,), negated=True), [1, 0.75, 0, 0]),
        (ValueCondition("rain", (0, 1), missing=0.5), [1, 1, 1, 0.5]),
        (ValueCondition("rain", (), missing=0.5), [0, 0, 0, 0.5]),
        (ValueCondition("rain", (), negated=True), [1, 1, 1, 0]),
        (ValueCondition("rain", (1,), missing=0.5), [0, 0.25, 1, 0.5]),
    ],
)
def test_a_condition_holds_as_far_as_its_value_is_probable(condition, expected):
    np.testing.assert_array_equal(membership(condition, np.array([0.0, 0.25, 1.0, np.nan]), RAIN), expected)


def test_only_a_condition_on_one_value_is_uncertain():
    assert not is_crisp(ValueCondition("rain", (1,)), RAIN)
    assert is_crisp(ValueCondition("rain", (), negated=True), RAIN)
    assert not is_crisp(ValueCondition("rain", (), missing=0.5), RAIN)
    assert is_crisp(ValueCondition("rain", (0, 1)), RAIN)


def test_the_canonical_form_names_the_value_asked_for():
    asked = ("rain != 1", "rain in {0, 1} AND x < 1", "rain not in {0, 1}")
    text = " ".join(f"IF {conditions} THEN class = yes" for conditions in asked)
    simple = parsed(text).simplify()
    assert str(simple).split("\n\n")[:-1] == [
        "IF   rain = 0\nTHEN class = yes        (weight 1)",
        "IF   rain not missing\n AND x < 1\nTHEN class = yes        (weight 1)",
    ]


def test_equal_uncertain_rules_are_two_reasons():
    twice = parsed("IF rain = 1 THEN class = yes (0.5) IF rain = 1 THEN class = yes (0.5)").simplify()
    assert twice.n_rules == 2
    np.testing.assert_allclose(twice.predict_proba({"rain": [0.5], "x": [0]})[:, 1], 1 - 0.75**2)


def test_an_uncertain_rule_covers_no_other():
    text = "IF rain = 1 THEN class = yes IF rain = 1 AND x < 1 THEN class = yes (0.5)"
    assert parsed(text).simplify().n_rules == 2
    text = "IF rain not missing THEN class = yes IF rain = 1 AND x < 1 THEN class = yes (0.5)"
    assert parsed(text).simplify().n_rules == 1


def test_an_explanation_says_how_far_a_condition_holds():
    program = parsed("IF rain = 1 THEN class = yes (0.9)")
    assert program.explain({"rain": 0.3}).details() == (
        "P(class = yes) = 0.27, decided no (yes from 0.5).\n"
        "  No rule fired.\n"
        "  Nearest miss: rule 1 (weight 0.9; share 100 %): rain = 1 fails [rain = 0.3; holds to 0.3]."
    )


def test_a_probability_can_become_certain():
    program = parsed("IF rain = 1 THEN class = yes (0.9)")
    (found,) = program.counterfactuals({"rain": 0.3})
    assert str(found) == "class = yes if rain from 0.3 to 1"
    assert (found.changes[0].new, found.probabilities) == (1.0, (0.9,))
    (found,) = program.counterfactuals({"rain": 0.7})
    assert str(found) == "class = no if rain from 0.7 to 0"


@pytest.mark.parametrize("wrong", [1.5, -0.1, np.inf])
def test_what_is_no_probability_is_refused(wrong):
    with pytest.raises(
        ValueError, match=r"Column 'rain' is a probability, but has 1 value outside \[0, 1\] .* row 1\)"
    ):
        read_columns({"rain": [0.5, wrong], "x": [0, 0]}, SCHEMA)
    with pytest.raises(ValueError, match="Column 'rain' is a probability, but row 0 holds 'often'"):
        read_columns({"rain": ["often"], "x": [0]}, SCHEMA)


def test_its_values_are_0_and_1():
    assert RAIN.values == (0, 1)
    assert Feature("rain", "probability", (0, 1)) == RAIN
    with pytest.raises(ValueError, match="lists the values 0 and 1 or none"):
        Feature("rain", "probability", ("no", "yes"))
    with pytest.raises(ValueError, match="no value 2"):
        LogicProgram(SCHEMA, (Rule((ValueCondition("rain", (2,)),), "yes"),), (0.0,), (0.5,))
