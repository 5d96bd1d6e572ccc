import re

import numpy as np
import pytest
from hypothesis import given, settings

from nln.rules import Feature, LogicProgram, Schema, Target, probabilities, read_columns
from tests.rules.strategies import programs, programs_and_rows

SCHEMA = Schema(
    (
        Feature("x", "continuous"),
        Feature("colour", "categorical", ("red", "blue", "green")),
        Feature("size", "ordinal", ("small", "medium", "large")),
    ),
    Target("y", "multiclass", ("a", "b")),
)


def simplified(text):
    rules = str(LogicProgram.parse(text, schema=SCHEMA).simplify()).split("\n\n")[:-1]
    return [" ".join(rule.split()) for rule in rules]


@settings(deadline=None, max_examples=200)
@given(programs_and_rows())
def test_the_meaning_is_unchanged_on_every_possible_row(case):
    program, rows = case
    columns = read_columns(rows, program.schema)
    expected = probabilities(program, columns)
    np.testing.assert_allclose(probabilities(program.simplify(), columns), expected, rtol=0, atol=1e-12)


@settings(deadline=None, max_examples=150)
@given(programs())
def test_simplifying_again_changes_nothing(program):
    once = program.simplify()
    assert str(once.simplify()) == str(once)
    assert once.n_rules <= program.n_rules


@settings(deadline=None, max_examples=50)
@given(programs())
def test_the_order_of_crisp_rules_does_not_matter(program):
    kept = tuple(rule for rule in program.rules if rule.coverage is None)
    forward = LogicProgram(program.schema, kept, program.biases, program.thresholds).simplify()
    backward = LogicProgram(program.schema, kept[::-1], program.biases, program.thresholds).simplify()
    assert forward.n_rules == backward.n_rules


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("IF x < 3 or 3 <= x < 5 THEN y = a", ["IF x < 5 THEN y = a (weight 1)"]),
        ("IF x < 3 or x >= 3 THEN y = a", ["IF x not missing THEN y = a (weight 1)"]),
        ("IF x < 3 or x >= 3 or missing THEN y = a", ["IF always THEN y = a (weight 1)"]),
        ("IF x < 3 ± 1 or 3 ± 1 <= x THEN y = a", ["IF x < 3 ± 1 or x >= 3 ± 1 THEN y = a (weight 1)"]),
        ("IF 1 ± 1 <= x < 3 or x >= 3 THEN y = a", ["IF 1 ± 1 <= x < 3 or x >= 3 THEN y = a (weight 1)"]),
        (
            "IF size < medium or size >= medium or missing THEN y = a",
            ["IF size not missing or missing THEN y = a (weight 1)"],
        ),
        ("IF colour not missing or missing AND x < 1 THEN y = a", ["IF x < 1 THEN y = a (weight 1)"]),
        ("IF colour in {blue, red} THEN y = a", ["IF colour in {red, blue} THEN y = a (weight 1)"]),
        ("IF colour in {red, blue, green} or missing THEN y = a", None),
        ("IF colour missing (0) THEN y = a", []),
        ("IF x missing (0) AND colour = red THEN y = a", []),
        ("IF x < 1 THEN y = a (0)", []),
        ("IF x < 1 THEN y = a (0.5) IF x < 1 THEN y = a (0.5)", ["IF x < 1 THEN y = a (weight 0.75)"]),
        ("IF x < 1 ± 1 THEN y = a (0.5) IF x < 1 ± 1 THEN y = a (0.5)", ["IF x < 1 ± 1 THEN y = a (weight 0.5)"] * 2),
        ("IF x < 1 THEN y = a IF x < 0 AND colour = red THEN y = a (0.5)", ["IF x < 1 THEN y = a (weight 1)"]),
        ("IF x < 1 THEN y = a IF x < 0 or missing (0.5) THEN y = a (0.5)", None),
        ("IF x < 1 THEN y = a IF x < 0 ± 0.1 THEN y = a (0.5)", None),
        ("IF x < 1 THEN y = a IF x < 0 THEN y = b (0.5)", None),
        ("IF colour != red THEN y = a IF colour = blue THEN y = a (0.5)", ["IF colour != red THEN y = a (weight 1)"]),
        ("IF colour in {blue, green} THEN y = a IF colour != red THEN y = a (0.5)", None),
        ("IF size >= medium THEN y = a IF size >= large THEN y = a (0.5)", ["IF size >= medium THEN y = a (weight 1)"]),
    ],
)
def test_the_canonical_form(text, expected):
    if expected is None:  # nothing may go: the meaning would change
        expected = ["IF" + rule for rule in (" ".join(text.split())).split("IF")[1:]]
        expected = [rule.strip() if rule.strip().endswith(")") else f"{rule.strip()} (1)" for rule in expected]
        expected = [re.sub(r"\((\S+)\)$", r"(weight \1)", rule) for rule in expected]
    assert simplified(text) == expected


def test_rules_are_ordered_by_output_hits_probability_and_text():
    text = """
        IF x < 1 THEN y = b (0.5) IF x < 2 THEN y = a (0.5) IF x < 1 THEN y = a (0.5)
        IF x < 3 THEN y = a (0.6) IF x < 4 THEN y = a (0.1; covers 5 of 9 a, 5 of 9 rows)
        IF x < 5 THEN y = a (0.2; covers 6 of 9 a, 6 of 9 rows)"""
    assert [rule.split(" THEN ")[0] + rule.split(" THEN ")[1][3:5] for rule in simplified(text)] == [
        "IF x < 5 a", "IF x < 4 a", "IF x < 3 a", "IF x < 1 a", "IF x < 2 a", "IF x < 1 b",
    ]  # fmt: skip


def test_conditions_follow_the_schema():
    assert simplified("IF colour = red AND x < 1 THEN y = a") == ["IF x < 1 AND colour = red THEN y = a (weight 1)"]
