"""Conditions that calculate and count: their texts, what they mean, and what is wrong with others."""

from __future__ import annotations

import math
import random
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nln.rules import (
    Arithmetic,
    Boundary,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    RuleSyntaxError,
    Schema,
    Target,
    condition_text,
    define_features,
)
from nln.rules.derived.make import ask
from nln.rules.derived.regions import mirrored, oriented, shown
from nln.rules.language.words import number
from nln.rules.storage.programs import shared_schema

CLASS = Target("class", "binary", ("no", "yes"))
NUMBERS = (
    "left_weight", "left_distance", "right_weight", "right_distance", "weight", "height", "systolic", "diastolic",
    "temp", "pulse", "breaths", "wbc", "capital-gain", "capital-loss", "od280/od315_of_diluted_wines", "two words",
)  # fmt: skip
SCHEMA = Schema(
    (
        *(Feature(name, "continuous") for name in NUMBERS),
        Feature("visits", "continuous", whole=True),
        *(Feature(name, "categorical", ("p", "q")) for name in ("a1", "a2")),
        Feature("other", "categorical", ("p", "z")),
        Feature("size", "ordinal", ("small", "medium", "large")),
        Feature("is", "continuous"),
    ),
    CLASS,
)


def parse(condition: str, schema: Schema = SCHEMA) -> LogicProgram:
    return LogicProgram.parse(f"IF {condition} THEN class = yes", schema=schema)


def written(condition: str, schema: Schema = SCHEMA) -> str:
    program = parse(condition, schema)
    return condition_text(program.rules[0].conditions[0], program.schema[program.rules[0].conditions[0].feature])


TEXTS = {
    "left_weight * left_distance > right_weight * right_distance": (
        "left_distance * left_weight > right_distance * right_weight"
    ),
    "right_weight * right_distance < left_weight * left_distance": (
        "left_distance * left_weight > right_distance * right_weight"
    ),
    "left_weight * left_distance = right_weight * right_distance": (
        "left_distance * left_weight = right_distance * right_weight"
    ),
    "left_weight != right_weight": "left_weight != right_weight",
    "weight / height / height >= 30": "weight / height / height >= 30",
    "weight / (height * height) >= 30": "weight / height / height >= 30",
    "30 <= weight / height / height": "weight / height / height >= 30",
    "systolic - diastolic < 40 ± 5": "systolic - diastolic < 40 ± 5",
    "diastolic - systolic > -40 +- 5": "systolic - diastolic < 40 ± 5",
    "40 <= systolic - diastolic < 60": "40 <= systolic - diastolic < 60",
    "60 > systolic - diastolic >= 40": "40 <= systolic - diastolic < 60",
    "-60 < diastolic - systolic <= -40": "40 <= systolic - diastolic < 60",
    "systolic - diastolic = 40": "systolic - diastolic = 40",
    "systolic - diastolic != 40 or missing": "systolic - diastolic != 40 or missing",
    "diastolic - systolic missing (0.5)": "diastolic - systolic missing (0.5)",
    "systolic - diastolic < 40 or systolic - diastolic > 60": (
        "systolic - diastolic < 40 or systolic - diastolic > 60"
    ),
    "at least 2 of {temp > 38; pulse > 90; breaths > 20; wbc > 12}": (
        "at least 2 of {breaths > 20; pulse > 90; temp > 38; wbc > 12}"
    ),
    "exactly 2 of {temp > 38; pulse > 90; wbc > 12}": "exactly 2 of {pulse > 90; temp > 38; wbc > 12}",
    "2 to 2 of {temp > 38; pulse > 90; wbc > 12}": "exactly 2 of {pulse > 90; temp > 38; wbc > 12}",
    "at most 1 of {temp > 38; pulse > 90; wbc > 12}": "at most 1 of {pulse > 90; temp > 38; wbc > 12}",
    "1 to 2 of {temp > 38; pulse > 90; wbc > 12}": "1 to 2 of {pulse > 90; temp > 38; wbc > 12}",
    "0 to 2 of {temp > 38; pulse > 90; wbc > 12}": "at most 2 of {pulse > 90; temp > 38; wbc > 12}",
    "at least 1 of {size >= medium; a1 = p; visits <= 3; a1 is a2}": (
        "at least 1 of {a1 = p; a1 is a2; size >= medium; visits <= 3}"
    ),
    "a1 is a2": "a1 is a2",
    "a2 is a1 or missing (0.5)": "a1 is a2 or missing (0.5)",
    "a2 is not a1": "a1 is not a2",
    "temp > 38": "temp > 38",
    "38 < temp <= 40": "38 < temp <= 40",
    "visits > 3": "visits >= 4",
    "size > small": "size >= medium",
    "size <= medium": "size < large",
    '"two words" * capital-gain > 3': 'capital-gain * "two words" > 3',
    # Names hold hyphens and slashes; an operator stands between spaces.
    "capital-gain - capital-loss > 0": "capital-gain > capital-loss",
    "od280/od315_of_diluted_wines < 3": "od280/od315_of_diluted_wines < 3",
    "is < 3": "is < 3",
    "(temp + pulse) / wbc < 3": "(pulse + temp) / wbc < 3",
    "temp / wbc + pulse / wbc < 3": "(pulse + temp) / wbc < 3",
    "temp * pulse / pulse < 3": "temp < 3",
    "temp / (wbc / pulse) < 3": "pulse * temp / wbc < 3",
}


@pytest.mark.parametrize("text", TEXTS)
def test_each_condition_has_one_text(text: str) -> None:
    assert written(text) == TEXTS[text]
    program = parse(text)
    assert LogicProgram.parse(str(program), schema=program.schema) == program
    assert LogicProgram.parse(str(program), schema=SCHEMA).rules == program.rules
    assert LogicProgram.from_dict(program.to_dict()) == replace(program, schema=shared_schema(program))


ERRORS = {
    "temp-pulse < 3": "There is no feature temp-pulse. Put spaces around operators: `temp - pulse`.",
    "temp - 3 < pulse": "Expressions join columns, not numbers.",
    "temp * pulse > wbc": "Terms of 1 and of 2 factors are added.",
    "temp - temp > 3": "The expression is always 0",
    "temp + temp > 3": "A product occurs twice in a sum.",
    "a1 * temp > 3": "Arithmetic takes columns of numbers, but 'a1' in 'a1' is categorical.",
    "temp < pulse < 3": "`temp` is not a number.",
    "temp < pulse ± 3": "A comparison of columns is crisp.",
    "a1 is other": "compares columns with different values",
    "a1 is a1": "always the same as itself",
    "a1 is temp": "'temp' in 'a1 is temp' is continuous",
    "at least 2 of {temp > 38}": "A count has at least 2 members, not 1.",
    "at least 2 of {temp > 38; temp < 3}": "A count asks about 'temp' twice.",
    "at least 2 of {temp > 38; pulse > 90 or missing}": "takes `or missing`",
    "at least 2 of {temp > 38; pulse > 90 ± 3}": "has a fuzzy boundary",
    "at least 4 of {temp > 38; pulse > 90}": "Of 2 members, 0 to 2 can hold",
    "3 to 1 of {temp > 38; pulse > 90; wbc > 3}": "Of 3 members, 0 to 3 can hold, the lower number first.",
    "at least 1 of {temp > 38; pulse > 90} or missing": "A count is never missing",
    "at least 1 of {temp > 38; pulse > 90} or temp > 3": "`or` joins parts about one feature",
    "temp > 38 AND at least 2 of {wbc > 3, pulse > 3}": "`,` does not fit here",
}


@pytest.mark.parametrize("text", ERRORS)
def test_mistakes_are_named_at_their_place(text: str) -> None:
    with pytest.raises(RuleSyntaxError) as caught:
        parse(text)
    assert ERRORS[text] in caught.value.problem
    line, caret = str(caught.value).splitlines()[-2:]
    assert caret.strip() == "^" and line.strip()


def test_a_column_with_the_name_of_a_calculation_is_an_error() -> None:
    schema = SCHEMA.with_features([Feature("pulse - temp", "continuous")])
    assert written('"pulse - temp" < 3', schema) == '"pulse - temp" < 3'
    with pytest.raises(RuleSyntaxError, match="The table has a column named 'pulse - temp'"):
        parse("pulse - temp < 3", schema)


def test_named_calculations_are_written_by_their_names() -> None:
    schema = define_features(
        SCHEMA,
        {
            "bmi": "weight / height / height",
            "pressure": "systolic - diastolic",
            "sirs": "count of {temp > 38; pulse > 90; wbc > 12}",
            "equal": "a2 is a1",
            "load": "bmi * temp",
        },
    )
    for text in ("bmi >= 30", "pressure < 40", "sirs >= 2", "equal = true", "load > 3"):
        assert written(text, schema) == text
    assert schema["load"].derived.text == "temp * weight / height / height"
    # An expression that has a name is that feature, also with the other sign.
    assert written("weight / height / height >= 30", schema) == "bmi >= 30"
    assert written("diastolic - systolic > -40", schema) == "pressure < 40"
    assert written("at least 2 of {pulse > 90; temp > 38; wbc > 12}", schema) == "sirs >= 2"
    assert written("a1 is not a2", schema) == "equal = false"
    program = parse("bmi >= 30 AND pressure < 40", schema)
    assert program.size == 2
    assert program.columns_used == ("weight", "height", "systolic", "diastolic")
    rows = {"weight": [100.0, 70.0], "height": [1.7, 1.7], "systolic": [120.0, 120.0], "diastolic": [90.0, 60.0]}
    assert program.predict(rows).tolist() == ["yes", "no"]
    assert LogicProgram.from_dict(program.to_dict()).schema["pressure"] == schema["pressure"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("temp", "pulse * wbc", "has the name of a column"),
        ("x", "pulse", "A single column has a name already"),
        ("x", "pulse * nothing", "There is no feature nothing"),
        ("x", "pulse > 3", "does not fit here"),
        ("x", "a1 is other", "different values"),
        ("x", "count of {temp > 38}", "at least 2 members"),
    ],
)
def test_wrong_definitions_are_refused(name: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        define_features(SCHEMA, {name: text})


def test_sizes_count_what_calculations_mention() -> None:
    sizes = {
        "temp > 38": 1,
        "temp > pulse": 2,
        "left_weight * left_distance > right_weight * right_distance": 4,
        "40 <= systolic - diastolic < 60": 3,
        "a1 is a2": 2,
        "at least 2 of {temp > 38; pulse > 90; breaths > 20; wbc > 12}": 5,
        "exactly 1 of {temp - pulse > 38; a1 is a2; wbc > 12}": 7,
    }
    for text, size in sizes.items():
        assert parse(text).size == size, text


NAMES = ("a", "b", "c", "d")
PLAIN = Schema(tuple(Feature(name, "continuous") for name in NAMES), CLASS)


@st.composite
def spelled_expressions(draw, depth=2):
    """Two texts of one expression: the operands of sums and products in either order."""
    if depth == 0 or draw(st.integers(0, 2)) == 0:
        name = draw(st.sampled_from(NAMES))
        return name, name
    (a, a2), (b, b2) = draw(spelled_expressions(depth - 1)), draw(spelled_expressions(depth - 1))
    operator = draw(st.sampled_from("+-*/"))
    turned = draw(st.booleans()) and operator in "+*"
    second = f"({b2} {operator} {a2})" if turned else f"({a2} {operator} {b2})"
    return f"({a} {operator} {b})", second


signs = st.sampled_from(["<", "<=", ">", ">=", "=", "!="])
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


@given(spelled_expressions(), signs, st.integers(-20, 20).map(lambda n: n / 4))
def test_spellings_of_one_condition_have_one_text(pair, sign, place):
    one, other = pair
    assume(any(operator in one for operator in "+-*/"))
    try:
        first = parse(f"{one} {sign} {number(place)}", PLAIN)
    except RuleSyntaxError:
        with pytest.raises(RuleSyntaxError):
            parse(f"{other} {sign} {number(place)}", PLAIN)
        return
    assume(first.schema[first.rules[0].conditions[0].feature].derived is not None)
    second = parse(f"{other} {sign} {number(place)}", PLAIN)
    assert str(first) == str(second)
    assert first == second
    assert LogicProgram.parse(str(first), schema=PLAIN) == first


@given(spelled_expressions(1), spelled_expressions(1), signs)
def test_comparisons_read_from_either_side(left, right, sign):
    try:
        first = parse(f"{left[0]} {sign} {right[0]}", PLAIN)
    except RuleSyntaxError:
        assume(False)
    second = parse(f"{right[1]} {TURNED[sign]} {left[1]}", PLAIN)
    assert first == second
    assert str(first) == str(second)


boundaries = st.builds(Boundary, st.floats(-1e6, 1e6) | st.integers(-5, 5).map(float), st.sampled_from([0.0, 0.0, 0.5]))


@given(st.lists(boundaries, min_size=1, max_size=3, unique_by=lambda b: b.value), st.booleans())
def test_a_mirrored_region_holds_the_negative_numbers(ends, first):
    ends = sorted(ends, key=lambda end: end.value)
    pairs = list(zip([None, *ends], [*ends, None], strict=True))[first::2]
    intervals = tuple(Interval(*pair) for pair in pairs)
    assert mirrored(mirrored(intervals)) == intervals
    difference = Arithmetic.column("b").join("-", Arithmetic.column("a"))
    feature, condition = ask(difference, intervals)
    assert feature.name == "a - b"
    schema = PLAIN.with_features([feature])
    program = LogicProgram(schema, (Rule((condition,), "yes"),), (0.0,), (0.5,))
    assert LogicProgram.parse(str(program), schema=schema) == program
    shown, region = oriented(feature.derived, condition.intervals)
    named = Feature("named", "continuous", derived=shown)
    same = LogicProgram(
        schema.with_features([named]), (Rule((IntervalCondition("named", region),), "yes"),), (0.0,), (0.5,)
    )
    places = [e.value for e in ends]
    cells = [x for p in places for x in (p, math.nextafter(p, math.inf), math.nextafter(p, -math.inf), -p, p + 1)]
    rows = {"a": np.zeros(len(cells)), "b": np.array(cells)}
    np.testing.assert_allclose(program.predict_proba(rows), same.predict_proba(rows), atol=1e-12)


def test_old_texts_mean_what_they_meant():
    schema = Schema((Feature("x", "continuous"), Feature("a-b", "continuous"), Feature("a/b", "continuous")), CLASS)
    for text in ("a-b < 3", "a/b >= 3 ± 1", "1 <= a-b < 3 or missing (0.5)", "x < 0.30000000000000004"):
        program = parse(text, schema)
        assert program.schema == schema
        assert isinstance(program.rules[0].conditions[0], IntervalCondition)
    assert parse("x < 0.30000000000000004", schema).rules[0].conditions[0].boundaries[0].value == 0.30000000000000004


def test_the_canonical_form_moves_boundaries_to_results():
    program = parse("temp - pulse < 3.000000000001")
    moved = program.simplify()
    assert "pulse - temp > -3" in str(moved) or "temp - pulse <= 3" in str(moved)
    rng = random.Random(0)
    cells = [3.0, 3.0000000001, 2.9999999999, 3.000000000001] + [rng.uniform(-5, 5) for _ in range(50)]
    rows = {"temp": cells, "pulse": [0.0] * len(cells)}
    assert (program.predict(rows) == moved.predict(rows)).all()
    always = parse("at least 0 of {temp > 3; pulse > 3}").simplify()
    assert always.rules[0].conditions == ()
    never = replace(
        always,
        rules=parse("at least 3 of {temp > 3; pulse > 3}").rules,
        schema=parse("at least 3 of {temp > 3; pulse > 3}").schema,
    ).simplify()
    assert never.rules == ()


def test_a_boundary_at_the_end_of_the_floats_is_written_as_it_is():
    most = sys.float_info.max
    condition = IntervalCondition("x", (Interval(Boundary(-most), Boundary(most)),))
    assert shown(condition.intervals[0].low) == (-most, False)
    assert "inf" not in condition_text(condition, Feature("x", "continuous"))


def test_a_calculation_with_a_name_and_one_without_are_told_apart() -> None:
    plain = parse("weight - height >= 2")
    schema = define_features(SCHEMA, {"excess": "weight - height"}).with_features(plain.schema.features)
    (condition,) = plain.rules[0].conditions
    both = Rule((replace(condition, feature="excess"), condition), "yes", 0.5)
    program = LogicProgram(schema, (both,), (0.0,), (0.5,))
    assert "excess" in str(program)
    assert "weight - height >= 2" in str(program)
    assert LogicProgram.parse(str(program), schema=schema) == program
