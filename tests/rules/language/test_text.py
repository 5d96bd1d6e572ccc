import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.rules import (
    Boundary,
    Coverage,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    Schema,
    Target,
    ValueCondition,
    condition_text,
)
from nln.rules.language.errors import RuleSyntaxError
from nln.rules.language.text import closing_text, condition_texts, rule_line, rule_text
from nln.rules.language.words import cell_text, counted, is_percent, is_word, number, percent, rounded, spelled
from tests.rules.strategies import programs

X = Feature("x", "continuous")
SIZE = Feature("size", "ordinal", ("small", "medium", "large"))
COLOUR = Feature("colour", "categorical", ("red", "green", "blue"))


@given(programs())
def test_text_reads_back_to_the_same_program(program):
    text = str(program)
    again = LogicProgram.parse(text, schema=program.schema)
    assert again == program
    assert str(again) == text


def test_a_binary_program_reads_like_this():
    schema = Schema(
        (
            Feature("albumin", "categorical", (0, 1, 2)),
            Feature("hemoglobin", "continuous"),
            Feature("volume", "continuous"),
        ),
        Target("class", "binary", ("notckd", "ckd")),
    )
    conditions = (
        ValueCondition("albumin", (0,), negated=True),
        IntervalCondition("hemoglobin", (Interval(high=Boundary(14.9, 0.3)),)),
        IntervalCondition("volume", (Interval(high=Boundary(48.3)),), missing=0.62),
    )
    rule = Rule(conditions, "ckd", 0.98, Coverage(rows=231, of_rows=400, hits=190, of_hits=250))
    assert str(LogicProgram(schema, (rule,), (0.02,), (0.5,))) == (
        "IF   albumin != 0\n"
        " AND hemoglobin < 14.9 ± 0.3\n"
        " AND volume < 48.3 or missing (0.62)\n"
        "THEN class = ckd            (231 rows, 82 % ckd; 190 of 250 ckd in 400 rows; weight 0.98)\n"
        "\n"
        "OTHERWISE class = notckd    (P(class = ckd) = 0.02; class = ckd from 0.5)"
    )


def test_a_multiclass_program_reads_like_this():
    schema = Schema((X,), Target("class", "multiclass", (1, 2, 3)))
    rule = Rule((), 2, 0.25, Coverage(10, 10, 4, 4))
    assert str(LogicProgram(schema, (rule,), (0.02, 0.3, 0.0), ())) == (
        "IF   always\n"
        "THEN class = 2    (10 rows, 40 % class = 2; 4 of 4 class = 2 in 10 rows; weight 0.25)\n"
        "\n"
        "OTHERWISE (P(class = 1) = 0.02, P(class = 2) = 0.3, P(class = 3) = 0)"
    )


def test_thresholds_of_several_classes_read_like_this():
    schema = Schema((X,), Target("class", "multiclass", (1, 2)))
    program = LogicProgram(schema, (), (0.02, 0.3), (0.1, 0.5))
    assert str(program) == (
        "OTHERWISE (P(class = 1) = 0.02, class = 1 from 0.1; P(class = 2) = 0.3, class = 2 from 0.5)"
    )
    assert LogicProgram.parse(str(program), schema=schema) == program


def test_a_multilabel_program_reads_like_this():
    schema = Schema((X,), Target("", "multilabel", ("beach", "sea side")))
    rule = Rule((IntervalCondition("x", (Interval(low=Boundary(3.0)),)),), "beach", 0.9, Coverage(3, 8, 2, 4))
    assert str(LogicProgram(schema, (rule,), (0.05, 0.1), (0.4, 0.5))) == (
        "IF   x >= 3\n"
        "THEN beach    (3 rows, 67 % beach; 2 of 4 beach in 8 rows; weight 0.9)\n"
        "\n"
        'OTHERWISE (P(beach) = 0.05, beach from 0.4; P("sea side") = 0.1, "sea side" from 0.5)'
    )


def test_a_long_label_is_written_once_in_a_rule():
    label = "Adelie Penguin (Pygoscelis adeliae)"
    schema = Schema((X,), Target("species", "binary", ("other", label)))
    program = LogicProgram(schema, (Rule((), label, 0.25, Coverage(10, 12, 4, 5)),), (0.1,), (0.5,))
    assert str(program).split("\n")[1].endswith("(10 rows, 40 % correct; 4 of 5 in 12 rows; weight 0.25)")
    assert LogicProgram.parse(str(program), schema=schema) == program


def test_a_label_may_be_called_correct():
    schema = Schema((X,), Target("correct", "binary", ("wrong", "correct")))
    program = LogicProgram(schema, (Rule((), "correct", 0.25, Coverage(10, 12, 4, 5)),), (0.1,), (0.5,))
    assert "40 % correct; 4 of 5 correct in 12 rows" in str(program)
    assert LogicProgram.parse(str(program), schema=schema) == program


def test_a_program_without_rules_is_its_last_line():
    program = LogicProgram(Schema((X,), Target("y", "binary", (False, True))), (), (0.5,), (0.4,))
    assert str(program) == "OTHERWISE y = false    (P(y = true) = 0.5; y = true from 0.4)"


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (ValueCondition("colour", ("red",)), "colour = red"),
        (ValueCondition("colour", ("red",), negated=True), "colour != red"),
        (ValueCondition("colour", ("red", "blue")), "colour in {red, blue}"),
        (ValueCondition("colour", ("red", "blue"), True, 1.0), "colour not in {red, blue} or missing"),
        (ValueCondition("colour", (), missing=0.5), "colour missing (0.5)"),
        (ValueCondition("colour", (), missing=1.0), "colour missing"),
        (ValueCondition("colour", ()), "colour missing (0)"),
        (ValueCondition("colour", (), negated=True), "colour not missing"),
        (IntervalCondition("x", (Interval(),)), "x not missing"),
        (IntervalCondition("x", (Interval(),), 0.5), "x not missing or missing (0.5)"),
        (IntervalCondition("x", (), 1.0), "x missing"),
        (IntervalCondition("x", (Interval(Boundary(10, 0.5), Boundary(15, 0.3)),)), "10 ± 0.5 <= x < 15 ± 0.3"),
        (
            IntervalCondition("x", (Interval(high=Boundary(3)), Interval(Boundary(5), Boundary(8))), 0.1),
            "x < 3 or 5 <= x < 8 or missing (0.1)",
        ),
        (IntervalCondition("size", (Interval(low=Boundary(1)),)), "size >= medium"),
        (IntervalCondition("size", (Interval(Boundary(1), Boundary(2)),)), "medium <= size < large"),
    ],
)
def test_conditions_read_like_this(condition, text):
    feature = {f.name: f for f in (X, SIZE, COLOUR)}[condition.feature]
    assert condition_text(condition, feature) == text


def test_long_lists_go_on_under_their_first_entry():
    names = tuple(f"value-number-{i}" for i in range(9))
    schema = Schema((Feature("f", "categorical", names),), Target("y", "multiclass", names))
    program = LogicProgram(schema, (Rule((ValueCondition("f", names),), names[0]),), (0.125,) * 9, ())
    lines = str(program).split("\n")
    assert max(map(len, lines)) <= 100
    assert lines[1].startswith(" " * len("IF   f in {") + "value-number-")
    assert lines[-1].startswith(" " * len("OTHERWISE (") + "P(y = value-number-")
    assert LogicProgram.parse(str(program), schema=schema) == program


def test_spelling_keeps_types_apart():
    given_values = ["red", "a b", "1", 1, 1.5, True, "true", "NOT", "", 'say "no"', "-x", "été", "tab\t", "p", "ıf"]
    assert [spelled(value) for value in given_values] == [
        "red", '"a b"', '"1"', "1", "1.5", "true", '"true"', '"NOT"', '""', '"say \\"no\\""', '"-x"', "été",
        '"tab\\t"', "p", '"ıf"',
    ]  # fmt: skip


@pytest.mark.parametrize("value", [0.1, 1e300, 5e-324, -0.0, 123456789.123456789, 1e16, 2**60])
def test_numbers_read_back(value):
    assert float(number(value)) == value


def test_words_are_text_without_quotes():
    assert [is_word(value) for value in ("red", "light red", 1)] == [True, False, False]


def test_one_thing_is_not_many():
    assert (counted(1, "row"), counted(2, "row")) == ("1 row", "2 rows")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (121 / 124, "98 %"),
        (0.125, "13 %"),
        (249 / 250, "99.6 %"),
        (0.9996, "99.96 %"),
        (1 / 250, "0.4 %"),
        (1e-6, "0.0001 %"),
        (0.995, "99.5 %"),
    ],
)
def test_percentages_are_whole_unless_that_would_read_none_or_all(share, text):
    assert percent(share) == text


@given(st.integers(1, 10**7).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
def test_a_percentage_that_is_written_agrees_with_its_counts(counts):
    share = counts[0] / counts[1]
    assert is_percent(percent(share).removesuffix(" %"), share)
    assert (percent(share) == "0 %", percent(share) == "100 %") == (share == 0, share == 1)


def test_a_rule_that_few_starts_found_says_so():
    schema = Schema((), Target("class", "binary", ("no", "yes")))
    lines = [rule_text(Rule((), "yes", 0.5, starts=(found, 4)), schema).split("\n")[1] for found in (1, 2)]
    assert lines == ["THEN class = yes    (in 1 of 4 starts; weight 0.5)", "THEN class = yes    (weight 0.5)"]
    assert Rule((), "yes", starts=(1, 4)) == Rule((), "yes", starts=(4, 4))
    with pytest.raises(ValueError, match="cannot be found in 5 of 4 starts"):
        Rule((), "yes", starts=(5, 4))


def test_a_weight_is_still_read_by_its_earlier_name():
    with pytest.warns(DeprecationWarning, match="now called Rule.weight"):
        assert Rule((), "yes", 0.25).probability == 0.25


def test_a_rule_without_conditions_always_holds():
    schema = Schema((), Target("class", "binary", ("no", "yes")))
    assert condition_texts(Rule((), "yes"), schema) == ["always"]
    assert rule_line(Rule((), "yes", 0.125), schema) == "IF always THEN class = yes (weight 0.125)"


@given(programs())
def test_a_rule_on_one_line_reads_back_without_its_coverage(program):
    text = " ".join(rule_line(rule, program.schema) for rule in program.rules) or "OTHERWISE"
    again = LogicProgram.parse(text, schema=program.schema)
    assert again.rules == tuple(replace(rule, coverage=None) for rule in program.rules)
    assert again.thresholds == program.schema.target.default_thresholds


def test_cells_are_written_as_in_rules():
    assert [cell_text(cell) for cell in (9.4, "light red", None)] == ["9.4", '"light red"', "missing"]


def test_probabilities_are_rounded_but_never_to_certainty_or_across_the_threshold():
    assert [rounded(0.98123), rounded(0.99999), rounded(0.4999, 0.5), rounded(1.0)] == [
        "0.98",
        "0.99999",
        "0.4999",
        "1",
    ]


def test_the_closing_sentence_stands_on_one_line():
    program = LogicProgram(Schema((), Target("y", "binary", (0, 1))), (), (0.0,), (0.5,))
    assert closing_text(program) == "OTHERWISE y = 0    (P(y = 1) = 0; y = 1 from 0.5)"


WHOLE = Feature("visits", "continuous", whole=True)


@pytest.mark.parametrize(
    ("text", "numbers", "written"),
    [
        ("visits >= 10", [10, 11], "visits >= 10"),
        ("visits < 2", [0, 1, 1.5], "visits <= 1"),
        ("visits <= 1", [0, 1, 1.5], "visits <= 1"),
        ("3 <= visits < 4", [3, 3.5], "visits = 3"),
        ("visits = 3", [3, 3.5], "visits = 3"),
        ("visits != 3", [0, 1, 1.5, 2, 10, 11], "visits != 3"),
        ("visits in 1 to 3", [1, 1.5, 2, 3, 3.5], "visits in 1 to 3"),
        ("1 <= visits <= 3", [1, 1.5, 2, 3, 3.5], "visits in 1 to 3"),
        ("visits not in 1 to 3", [0, 10, 11], "visits <= 0 or visits >= 4"),
        ("visits in {1, 3}", [1, 1.5, 3, 3.5], "visits = 1 or visits = 3"),
        ("visits not in {1, 2}", [0, 3, 3.5, 10, 11], "visits <= 0 or visits >= 3"),
        ("visits < 2.5", [0, 1, 1.5, 2], "visits < 2.5"),
        ("1 <= visits < 2.5", [1, 1.5, 2], "1 <= visits < 2.5"),
        ("visits >= 3 ± 1", [3, 3.5, 10, 11], "visits >= 3 ± 1"),
        ("to in 1 to 3 or missing", [], "to in 1 to 3 or missing"),
    ],
)
def test_conditions_on_whole_numbers_read_like_this(text, numbers, written):
    schema = Schema((WHOLE, replace(WHOLE, name="to")), Target("class", "binary", ("no", "yes")))
    program = LogicProgram.parse(f"IF {text} THEN class = yes", schema=schema)
    assert condition_texts(program.rules[0], schema) == [written]
    assert LogicProgram.parse(str(program), schema=schema) == program
    rows = [0, 1, 1.5, 2, 3, 3.5, 10, 11] if text.startswith("visits") or "<= v" in text else []
    decided = [x for x in rows if program.predict({"visits": [x], "to": [0]})[0] == "yes"]
    assert decided == numbers


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("visits <= 2.5", "visits holds whole numbers, and 2.5 is none. Write `visits < 2.5`."),
        ("visits = 2.5", "visits holds whole numbers, and 2.5 is none"),
        ("visits <= 3 ± 1", "A number after `<=` is the last one inside and has no width"),
        ("visits in 3 to 1", "lower boundary 3.0 must lie below 2.0"),
        ("x in 1 to 3", "The continuous feature 'x' also has fractions and takes `<` or `>=`"),
        ("x = 3", "The continuous feature 'x' takes `<` or `>=`, not values."),
        ("colour in 1 to 3", "The categorical feature 'colour' takes `=`"),
    ],
)
def test_mistakes_about_whole_numbers_are_named(text, message):
    schema = Schema((WHOLE, X, COLOUR), Target("class", "binary", ("no", "yes")))
    with pytest.raises(RuleSyntaxError) as caught:
        LogicProgram.parse(f"IF {text} THEN class = yes", schema=schema)
    assert message in str(caught.value)


@pytest.mark.parametrize("place", [5e-324, math.nextafter(3, 4), 2.5, 3.0, 2.0**53 + 2])
def test_boundaries_beside_whole_numbers_read_back(place: float) -> None:
    schema = Schema((Feature("visits", "continuous", whole=True),), Target("class", "binary", ("no", "yes")))
    for ends in ((Boundary(place), None), (None, Boundary(place)), (Boundary(place), Boundary(place * 2 + 1))):
        rule = Rule((IntervalCondition("visits", (Interval(*ends),)),), "yes", 0.5)
        program = LogicProgram(schema, (rule,), (0.0,), (0.5,))
        assert LogicProgram.parse(str(program), schema=schema) == program
