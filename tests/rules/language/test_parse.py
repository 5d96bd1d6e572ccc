import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.rules import (
    Boundary,
    Coverage,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    RuleSyntaxError,
    Schema,
    Target,
    ValueCondition,
)
from tests.rules.strategies import programs

SCHEMA = Schema(
    (
        Feature("x", "continuous"),
        Feature("colour", "categorical", ("red", "blue", "light green", "1", 2)),
        Feature("size", "ordinal", ("small", "medium", "large")),
        Feature("smoker", "binary", (False, True)),
    ),
    Target("class", "binary", ("no", "yes")),
)
CLASSES = Schema(SCHEMA.features, Target("class", "multiclass", ("a", "b", "c")))
LABELS = Schema(SCHEMA.features, Target("", "multilabel", ("beach", "sea", "p")))


def parse(text, schema=SCHEMA):
    return LogicProgram.parse(text, schema=schema)


def one_condition(text):
    (rule,) = parse(f"IF {text} THEN class = yes").rules
    (condition,) = rule.conditions
    return condition


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ('colour="light green"', ValueCondition("colour", ("light green",))),
        ('colour NOT IN {2,"1"} OR MISSING (.5)', ValueCondition("colour", ("1", 2)[::-1], True, 0.5)),
        ("colour missing", ValueCondition("colour", (), missing=1.0)),
        ("colour missing (0)", ValueCondition("colour", ())),
        ("colour not missing", ValueCondition("colour", (), negated=True)),
        ("smoker != TRUE", ValueCondition("smoker", (True,), negated=True)),
        ("smoker = 1", ValueCondition("smoker", (True,))),
        ("x<-3", IntervalCondition("x", (Interval(high=Boundary(-3)),))),
        ('"x" >= 1e3 +/- 2', IntervalCondition("x", (Interval(low=Boundary(1000, 2)),))),
        ("1+-0.5<=x<2±1", IntervalCondition("x", (Interval(Boundary(1, 0.5), Boundary(2, 1)),))),
        ("1 <= x", IntervalCondition("x", (Interval(low=Boundary(1)),))),
        ("x missing (0.2) or x < 1", IntervalCondition("x", (Interval(high=Boundary(1)),), 0.2)),
        ("size < large", IntervalCondition("size", (Interval(high=Boundary(2)),))),
        ("medium <= size < large", IntervalCondition("size", (Interval(Boundary(1), Boundary(2)),))),
        ("size not missing or missing (0.5)", IntervalCondition("size", (Interval(),), 0.5)),
    ],
)
def test_conditions_are_read(text, condition):
    assert one_condition(text) == condition


def test_what_is_left_out_has_a_default():
    program = parse("if x<3 then class=yes")
    assert program.rules == (Rule((IntervalCondition("x", (Interval(high=Boundary(3)),)),), "yes", 1.0),)
    assert (program.biases, program.thresholds) == ((0.0,), (0.5,))
    assert parse("OTHERWISE class = no").rules == ()
    assert parse("OTHERWISE (P(class = b) = 0.25)", CLASSES).biases == (0.0, 0.25, 0.0)
    assert parse("OTHERWISE", LABELS).thresholds == (0.5, 0.5, 0.5)


def test_layout_and_comments_do_not_matter():
    program = parse(
        """
        # rules of the house
        IF x < 3   # a # b
        THEN class = yes (0.5; covers 1 of 2 class = yes,
             3 of 4 rows)  otherwise class = no (p (class = yes) = 0.25, class = yes from 0.75) # end"""
    )
    assert program.rules[0].coverage == Coverage(3, 4, 1, 2)
    assert (program.biases, program.thresholds) == ((0.25,), (0.75,))


@pytest.mark.parametrize(
    ("numbers", "weight", "coverage", "starts"),
    [
        ("(weight 0.5)", 0.5, None, None),
        ("(124 rows, 98 % yes; 121 of 241 yes in 699 rows; weight 0.183)", 0.183, Coverage(124, 699, 121, 241), None),
        ("(124 ROWS,97.6% class = yes;121 of 241 yes IN 699 rows;WEIGHT .2)", 0.2, Coverage(124, 699, 121, 241), None),
        ("(124 rows; 121 of 241 yes in 699 rows; weight 0.2)", 0.2, Coverage(124, 699, 121, 241), None),
        ("(0 rows; 0 of 0 yes in 1 row; in 1 of 5 starts; weight 1)", 1.0, Coverage(0, 1, 0, 0), (1, 5)),
        ("(1 row, 100 % yes; 1 of 2 yes in 3 rows; in 0 of 1 start; weight 1)", 1.0, Coverage(1, 3, 1, 2), (0, 1)),
        ("(in 2 of 5 starts; weight 0)", 0.0, None, (2, 5)),
        # As earlier versions wrote them.
        ("(0.5)", 0.5, None, None),
        ("(0.98; covers 190 of 250 yes, 231 of 400 rows)", 0.98, Coverage(231, 400, 190, 250), None),
    ],
)
def test_the_numbers_of_a_rule_are_read(numbers, weight, coverage, starts):
    (rule,) = parse(f"IF always THEN class = yes {numbers}").rules
    assert (rule.weight, rule.coverage, rule.starts) == (weight, coverage, starts)


def test_words_of_the_numbers_stay_names():
    names = ("weight", "rows", "row", "starts", "of", "covers", "from")
    features = tuple(Feature(name, "continuous") for name in names)
    schema = Schema(features, Target("starts", "multiclass", ("weight", "rows", "row")))
    text = f"""IF {" AND ".join(f"{name} < 1" for name in names)}
        THEN starts = weight (2 rows, 50 % weight; 1 of 1 weight in 9 rows; in 1 of 4 starts; weight 0.5)
        IF always THEN starts = rows (2 rows, 50 % rows; 1 of 1 rows in 9 rows; weight 0.5)
        IF always THEN starts = row (2 rows, 50 % starts = row; 1 of 1 row in 9 rows; weight 0.5)"""
    program = parse(text, schema)
    assert [rule.label for rule in program.rules] == ["weight", "rows", "row"]
    assert [condition.feature for condition in program.rules[0].conditions] == list(names)
    assert parse(str(program), schema) == program


@pytest.mark.parametrize("percent", ["97", "98.6", "99", "100", "0", "-98", "9800", "97.57"])
def test_a_percentage_that_contradicts_the_counts_is_an_error_at_its_line(percent):
    numbers = f"(124 rows, {percent} % yes; 121 of 241 yes in 699 rows; weight 0.2)"
    with pytest.raises(RuleSyntaxError, match=r"% contradicts the counts: 121 of 124 rows") as caught:
        parse(f"IF x < 3\nTHEN class = yes {numbers}")
    assert (caught.value.line, caught.value.column) == (2, 29)


def test_a_percentage_of_no_rows_is_an_error():
    with pytest.raises(RuleSyntaxError, match="contradicts"):
        parse("IF always THEN class = yes (0 rows, 0 % yes; 0 of 0 yes in 1 row; weight 1)")


def test_a_label_may_be_called_p():
    program = parse("IF always THEN p (0.5; covers 1 of 1 p, 1 of 1 rows) OTHERWISE (P(p) = 0.1, p from 0.2)", LABELS)
    assert program.biases == (0.0, 0.0, 0.1)
    assert program.thresholds == (0.5, 0.5, 0.2)


GOLDEN = {
    "": "Line 1, column 1: The text ends here. Expected IF or OTHERWISE.\n  \n  ^",
    "IF x < 3\n AND hieght < 2\nTHEN class = yes": (
        "Line 2, column 6: There is no feature hieght. Known: x, colour, size, smoker.\n   AND hieght < 2\n       ^"
    ),
    "IF colur = red THEN class = yes": (
        "Line 1, column 4: There is no feature colur. Did you mean colour?\n  IF colur = red THEN class = yes\n     ^"
    ),
    "IF colour = Red THEN class = yes": (
        "Line 1, column 13: colour has no value Red. Did you mean red?\n"
        "  IF colour = Red THEN class = yes\n"
        "              ^"
    ),
    "IF colour = 1 THEN class = yes": (
        'Line 1, column 13: colour has no value 1. Did you mean "1"?\n  IF colour = 1 THEN class = yes\n              ^'
    ),
    "IF x < 3 THEN class = yse": (
        "Line 1, column 23: There is no label yse. Did you mean yes?\n"
        "  IF x < 3 THEN class = yse\n"
        "                        ^"
    ),
    "IF x ~ 3 THEN class = yes": (
        "Line 1, column 6: The character '~' does not fit here. "
        "Expected `!=`, `<`, `<=`, `>`, `>=`, `=`, `in`, `is`, `missing`, `not`, `±` or an operator.\n"
        "  IF x ~ 3 THEN class = yes\n"
        "       ^"
    ),
    "IF x < 3 THEN": (
        "Line 1, column 14: The text ends here. Expected a name or value.\n  IF x < 3 THEN\n               ^"
    ),
    "IF x <\nTHEN class = yes": (
        "Line 2, column 1: `THEN` does not fit here. Expected a name or value.\n  THEN class = yes\n  ^"
    ),
    "IF x < 3 IF x < 4": (
        "Line 1, column 10: `IF` does not fit here. Expected "
        "AND, THEN, `<`, `<=`, `>`, `>=`, `or`, `±` or an operator.\n  IF x < 3 IF x < 4\n           ^"
    ),
}


@pytest.mark.parametrize("text", GOLDEN)
def test_errors_show_the_place_and_what_was_expected(text):
    with pytest.raises(RuleSyntaxError) as caught:
        parse(text)
    assert str(caught.value) == GOLDEN[text]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IF 3 < 4 THEN class = yes", "`3` is not the name of a feature"),
        ("IF 1 < x >= 3 THEN class = yes", "point the same way"),
        ("IF x < red THEN class = yes", "`red` is not a number"),
        ("IF x < 1e999 THEN class = yes", "too large"),
        ("IF x < 1 ± -1 THEN class = yes", "width must be"),
        ("IF x ± 1 < 3 THEN class = yes", "belongs to a boundary"),
        ("IF x = 3 THEN class = yes", "'x' takes `<` or `>=`"),
        ("IF 3 <= x < 2 THEN class = yes", "must lie below"),
        ("IF x < 3 or x < 2 THEN class = yes", "disjoint and ascending"),
        ("IF x < 3 or colour = red THEN class = yes", "Write two rules"),
        ("IF x < 3 AND x >= 1 THEN class = yes", "condition on 'x' already"),
        ("IF x < 10th THEN class = yes", "`10th` is neither a number nor a plain word"),
        ("IF colour < 3 THEN class = yes", "'colour' takes `=`, `!=`, `in"),
        ("IF colour = red or colour = blue THEN class = yes", "into one set"),
        ("IF colour = red or missing or missing THEN class = yes", "`missing` twice"),
        ("IF colour in {red, red} THEN class = yes", "lists a value twice"),
        ("IF colour = red or missing (2) THEN class = yes", r"must lie in \[0, 1\], not 2"),
        ('IF colour = "red THEN class = yes', "does not end on this line"),
        (r'IF colour = "\q" THEN class = yes', "wrong escape"),
        ("IF size < small THEN class = yes", "No value of size lies below"),
        ("IF size < large ± 1 THEN class = yes", "are crisp"),
        ("IF size < huge THEN class = yes", "size has no value huge"),
        ("IF always THEN yes", "write `class = ...`"),
        ("IF always THEN klass = yes", "write `class = ...`"),
        ("IF always THEN class = no", "Rules conclude yes"),
        ("IF always THEN class = yes (1.5)", r"must lie in \[0, 1\]"),
        ("IF always THEN class = yes (1; covers 3 of 2 yes, 3 of 4 rows)", "cannot cover"),
        ("IF always THEN class = yes (1; covers 1.5 of 2 yes, 3 of 4 rows)", "whole numbers"),
        ("IF always THEN class = yes (1; covers 1 of 2 no, 3 of 4 rows)", "rows of that label are counted"),
        ("IF always THEN class = yes (weight 1.5)", r"weight must lie in \[0, 1\]"),
        ("IF always THEN class = yes (3 rows, 50 % no; 1 of 2 yes in 4 rows; weight 1)", "rows of that label are"),
        ("IF always THEN class = yes (3 rows; 4 of 5 yes in 6 rows; weight 1)", "cannot cover"),
        ("IF always THEN class = yes (in 2 of 1 starts; weight 1)", "cannot be found in 2 of 1"),
        ("IF always THEN class = yes (3 rows; 1 of 2 yes in 4 rows)", "Expected `;`"),
        ("OTHERWISE class = yes", "What holds OTHERWISE is no"),
        ("OTHERWISE class = no (P(class = yes) = 0.1, P(class = yes) = 0.2)", "given twice"),
        ("OTHERWISE class = no IF always THEN class = yes", "the end of the text"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(RuleSyntaxError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("OTHERWISE class = a", "only if there are two"),
        ("OTHERWISE (class = a from 0)", "must be at least 0.001"),
    ],
)
def test_mistakes_about_classes_are_named(text, message):
    with pytest.raises(RuleSyntaxError, match=message):
        parse(text, CLASSES)


def test_a_label_among_several_stands_alone():
    with pytest.raises(RuleSyntaxError, match="without `=`"):
        parse("IF always THEN label = beach", LABELS)


def test_only_text_is_parsed():
    with pytest.raises(TypeError, match="is a string, not bytes"):
        parse(b"OTHERWISE")


def test_long_lines_are_cut_around_the_caret():
    with pytest.raises(RuleSyntaxError) as caught:
        parse("IF " + "x < 3 and " * 1000 + "THEN")
    assert max(map(len, str(caught.value).split("\n"))) < 200
    assert caught.value.line == 1


def test_deep_and_long_texts_do_not_overflow_the_stack():
    union = " or ".join(f"{2 * i} <= x < {2 * i + 1}" for i in range(3000))
    assert one_condition(union).size == 6000
    with pytest.raises(RuleSyntaxError):
        parse("(" * 100_000)
    with pytest.raises(RuleSyntaxError, match="too large"):
        parse("IF x < " + "9" * 10_000 + " THEN class = yes")


WORDS = (
    "IF AND THEN OTHERWISE always in not or missing covers of rows from weight starts true "
    "x colour size red class yes no é"
)
MARKS = 'P( ( ) { } , ; % = != < <= >= ± +- # " \\ "1" 1 -2.5 1e999 1x'
PIECES = st.sampled_from([*WORDS.split(), *MARKS.split(), "\n", "\x00"])


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(), st.binary().map(lambda b: b.decode("latin-1")), st.lists(PIECES).map(" ".join)))
def test_any_soup_is_a_program_or_our_error(text):
    for schema in (SCHEMA, CLASSES, LABELS):
        try:
            program = parse(text, schema)
        except RuleSyntaxError:
            continue
        assert parse(str(program), schema) == program


@settings(deadline=None, max_examples=100)
@given(programs(), st.data())
def test_a_damaged_program_is_a_program_or_our_error(program, data):
    text = str(program)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(start + 5, len(text))))
    damaged = text[:start] + data.draw(st.text(max_size=3)) + text[stop:]
    try:
        again = LogicProgram.parse(damaged, schema=program.schema)
    except RuleSyntaxError:
        return
    assert LogicProgram.parse(str(again), schema=program.schema) == again


def test_scoring_needs_neither_the_parser_library_nor_a_data_frame_library():
    code = "import nln.rules, sys; sys.exit(any(m in sys.modules for m in ('lark', 'pandas', 'narwhals')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
