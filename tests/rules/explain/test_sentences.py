from dataclasses import replace

import pytest
from hypothesis import given, settings

from nln.rules import Coverage, Feature, LogicProgram, Rule, Schema, Target
from tests.rules.kidney import PROGRAM, SICK
from tests.rules.strategies import programs_and_rows

TUMOUR = Target("tumour", "binary", ("benign", "malignant"))
FEATURES = (
    Feature("x", "continuous"),
    Feature("colour", "categorical", ("blue", "red")),
    Feature("rain", "probability"),
)


def explained(text, row, target=TUMOUR):
    row = {"x": 1.0, "colour": "red", "rain": 0.0} | row
    return str(LogicProgram.parse(text, schema=Schema(FEATURES, target)).explain(row))


def first_line(text, target=TUMOUR):
    return explained(text, {}, target).splitlines()[0]


def test_a_decision_is_told_with_the_rows_behind_it():
    text = """IF x >= 7 AND colour = red THEN tumour = malignant (124 rows, 98 % malignant;
        121 of 241 malignant in 699 rows; weight 0.75) OTHERWISE (tumour = malignant from 0.49)"""
    assert explained(text, {"x": 9}) == (
        "Decided malignant: probability 75 %, and malignant is decided from 49 %.\n"
        "Because x >= 7 (here 9) and colour = red: of the 124 rows where this held, 98 % were malignant."
    )
    assert explained(text, {"x": 1}) == (
        "Decided benign: malignant has a probability of 0 %, and is decided from 49 %.\n"
        "No rule for malignant holds; without any rule its probability is 0 %."
    )


def test_fuzzy_rules_say_how_far_they_hold():
    assert str(PROGRAM.explain(SICK | {"hemoglobin": 12.8, "albumin": 4})) == (
        "Decided ckd: probability 66 %, and ckd is decided from 50 %.\n"
        "Because albumin != 0 (here 4, never seen) and hemoglobin < 12.9 ± 0.3 (here 12.8, holds to 68 %): "
        "of the 231 rows where this held to at least 50 %, 82 % were ckd."
    )
    partly = {"albumin": 0, "hemoglobin": 12.8, "serum_creatinine": None, "appetite": "poor"}
    assert str(PROGRAM.explain(partly)) == (
        "Decided notckd: ckd has a probability of 24 %, and is decided from 50 %.\n"
        "No rule for ckd holds to at least 50 %; without any rule its probability is 2 %, "
        "and rules that hold in part raise it."
    )
    text = """IF x < 3 ± 1 AND rain = 1 THEN tumour = malignant (9 rows, 100 % malignant; 9 of 9 malignant in 20 rows;
        weight 0.8) IF x < 0 THEN tumour = malignant OTHERWISE (tumour = malignant from 0.3)"""
    assert explained(text, {"x": 2.7, "rain": 0.7}) == (
        "Decided malignant: probability 37 %, and malignant is decided from 30 %.\n"
        "No rule for malignant holds to at least 50 %; without any rule its probability is 0 %, "
        "and rules that hold in part raise it.\n"
        "In part because x < 3 ± 1 (here 2.7, holds to 66 %) and rain = 1 (here 0.7, holds to 70 %) "
        "(together to 46 %): of the 9 rows where this held to at least 50 %, all were malignant."
    )
    assert "rain = 1 (here 0.75, holds to 75 %)" in explained("IF rain = 1 THEN tumour = malignant", {"rain": 0.75})


def test_rules_that_held_without_deciding_are_told_too():
    text = """IF x < 3 or missing THEN tumour = malignant (69 rows, 49 % malignant; 34 of 159 malignant in 600 rows;
        weight 0.3) IF colour != blue THEN tumour = malignant (weight 0.1)
        IF x missing THEN tumour = malignant (weight 0.01)"""
    assert explained(text, {"x": None}) == (
        "Decided benign: malignant has a probability of 38 %, and is decided from 50 %.\n"
        "Although x < 3 or missing (here missing): of the 69 rows where this held, 49 % were malignant.\n"
        "And although colour != blue (here red).\n"
        "And although x missing."
    )


def test_only_the_first_rules_are_told_and_the_others_are_counted():
    rules = " ".join(f"IF x < {i} THEN tumour = malignant (weight 0.{i})" for i in range(3, 8))
    assert explained(rules, {}).splitlines()[1:] == [
        "Because x < 7 (here 1).",
        "Also because x < 6 (here 1).",
        "Also because x < 5 (here 1).",
        "2 more rules for malignant hold.",
    ]


@pytest.mark.parametrize(
    ("coverage", "words", "numbers"),
    [
        (Coverage(5, 9, 5, 6), "of the 5 rows where this held, all were malignant", "all had class = 1"),
        (Coverage(5, 9, 0, 3), "of the 5 rows where this held, none was malignant", "none had class = 1"),
        (
            Coverage(250, 900, 249, 300),
            "of the 250 rows where this held, 99.6 % were malignant",
            "99.6 % had class = 1",
        ),
        (Coverage(1, 9, 1, 3), "the one row where this held was malignant", "had class = 1"),
        (Coverage(1, 9, 0, 3), "the one row where this held was not malignant", "did not have class = 1"),
        (Coverage(0, 9, 0, 3), "this held in none of 9 rows", "this held in none of 9 rows"),
    ],
)
def test_all_none_and_one_are_words(coverage, words, numbers):
    program = LogicProgram(Schema(FEATURES, TUMOUR), (Rule((), "malignant", 0.9, coverage),), (0.0,), (0.5,))
    assert str(program.explain({})).endswith(f"\nBecause of a rule that always holds: {words}.")
    schema = Schema(FEATURES, Target("class", "binary", (0, 1)))
    numbered = str(replace(program, schema=schema, rules=(Rule((), 1, 0.9, coverage),)).explain({}))
    assert numbered.startswith("Decided class = 1: probability 90 %, and class = 1 is decided from 50 %.")
    assert numbered.endswith(f"{numbers}.")


def test_several_classes_are_told_with_the_next_one():
    fruit = Target("fruit", "multiclass", ("apple", "cherry", "melon"))
    rules = "IF x < 3 THEN fruit = apple (weight 0.6) IF x < 5 THEN fruit = cherry (weight 0.3)"
    assert explained(rules, {}, fruit) == (
        "Decided apple: probability 67 %. The next class is cherry with 33 %.\nBecause x < 3 (here 1)."
    )
    nearly = rules.replace("0.3", "0.599") + " OTHERWISE (P(fruit = melon) = 0.1)"
    assert first_line(nearly, fruit) == "Decided apple: probability 46.2 %. The next class is cherry with 46 %."
    assert first_line(rules.replace("0.3", "0.6"), fruit) == (
        "Decided apple: probability 50 %. The next class is cherry with 50 %; of equals the first is decided."
    )
    limits = " OTHERWISE (fruit = apple from 0.5, fruit = cherry from 0.1, fruit = melon from 0.5)"
    assert first_line(rules + limits, fruit) == (
        "Decided cherry: probability 33 %. In proportion to its threshold of 10 % no class has more."
    )
    bias = " OTHERWISE (P(fruit = melon) = 0.2)"
    assert explained(rules + bias, {"x": 9}, fruit).endswith("\nThere is no rule for melon.")


def test_several_labels_are_told_one_by_one():
    target = Target("", "multilabel", ("beach", "sea", "sand", "sun", "wind", "hail", "two words"))
    rules = (
        "IF x < 3 THEN beach (3 rows, 67 % beach; 2 of 2 beach in 9 rows; weight 0.75) IF x < 5 THEN sea (weight 0.4)"
    )
    assert explained(rules, {}, target) == (
        "Decided beach: probability 75 %, and beach is decided from 50 %.\n"
        "Because x < 3 (here 1): of the 3 rows where this held, 67 % had beach.\n"
        "Not decided: sea (probability 40 %, decided from 50 %), sand (probability 0 %, decided from 50 %), "
        "sun (probability 0 %, decided from 50 %), wind (probability 0 %, decided from 50 %), "
        "hail (probability 0 %, decided from 50 %), 1 other label."
    )
    assert explained(rules, {"x": 9}, target).startswith("No label is decided.\nNot decided: beach (probability 0 %,")


@pytest.mark.parametrize(
    ("weight", "threshold", "said"),
    [
        (0.4899, 0.49, "Decided benign: malignant has a probability of 48.99 %, and is decided from 49 %."),
        (0.999999, 0.07, "Decided malignant: probability above 99.99 %, and malignant is decided from 7 %."),
        (0.00001, 0.07, "Decided benign: malignant has a probability of below 0.01 %, and is decided from 7 %."),
        (0.07, 0.07, "Decided malignant: probability 7 %, and malignant is decided from 7 %."),
        (0.29, 0.2875, "Decided malignant: probability 29 %, and malignant is decided from 28.75 %."),
    ],
)
def test_a_probability_never_reads_like_its_threshold_unless_it_reaches_it(weight, threshold, said):
    text = f"IF x < 3 THEN tumour = malignant (weight {weight}) OTHERWISE (tumour = malignant from {threshold})"
    assert first_line(text) == said


@settings(deadline=None, max_examples=100)
@given(programs_and_rows())
def test_every_decision_can_be_told(case):
    program, rows = case
    for explanation in program.explain(rows):
        lines = str(explanation).split("\n")
        assert lines[0].startswith(("Decided ", "No label is decided."))
        assert all(line.endswith(".") for line in lines)
