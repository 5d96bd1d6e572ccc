import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

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
)
from tests.rules import oracle
from tests.rules.strategies import programs_and_rows

FEATURES = (
    Feature("x", "continuous"),
    Feature("colour", "categorical", ("red", "blue")),
    Feature("size", "ordinal", ("small", "medium", "large")),
)
BINARY = Schema(FEATURES, Target("class", "binary", ("no", "yes")))
CLASSES = Schema(FEATURES, Target("class", "multiclass", (1, 2, 3)))
LABELS = Schema(FEATURES, Target("", "multilabel", ("beach", "sea")))
LOW = IntervalCondition("x", (Interval(high=Boundary(3.0)),))
RED = ValueCondition("colour", ("red",))


@settings(deadline=None, max_examples=100)
@given(programs_and_rows())
def test_decisions_follow_from_the_probabilities(case):
    program, rows = case
    expected = np.array([oracle.outputs(program, row) for row in rows])
    shown, decided = program.predict_proba(rows), program.predict(rows)
    target = program.schema.target
    if target.kind == "binary":
        np.testing.assert_allclose(shown, np.hstack([1 - expected, expected]), atol=1e-12)
        assert set(decided.tolist()) <= set(target.labels)
    elif target.kind == "multiclass":
        np.testing.assert_allclose(shown.sum(axis=1), 1)
        measured = expected / np.array(program.thresholds or 1.0)
        places = [target.labels.index(label) for label in decided.tolist()]
        taken = np.take_along_axis(measured, np.array(places, int)[:, None], axis=1)[:, 0]
        np.testing.assert_allclose(taken, measured.max(axis=1), rtol=1e-9, atol=1e-9)
    else:
        np.testing.assert_allclose(shown, expected, atol=1e-12)
        assert decided.shape == expected.shape
        assert set(np.unique(decided)) <= {0, 1}


@pytest.mark.parametrize("labels", [(0, "a"), (9_007_199_254_740_993, 0.5), ("no", "\x00"), (1, 2.5)])
def test_decided_labels_are_those_of_the_schema(labels):
    program = LogicProgram(Schema(FEATURES, Target("class", "multiclass", labels)), (), (0.0, 0.5), ())
    assert program.predict([{}]).tolist() == [labels[1]]
    program = LogicProgram(Schema(FEATURES, Target("class", "multiclass", labels)), (), (0.5, 0.0), ())
    assert program.predict([{}]).tolist() == [labels[0]]


def test_a_binary_program_decides_from_its_threshold_on():
    program = LogicProgram(BINARY, (Rule((LOW,), "yes", 0.5),), (0.0,), (0.5,))
    np.testing.assert_array_equal(program.predict({"x": [2, 4, None]}), ["yes", "no", "no"])
    np.testing.assert_array_equal(program.predict_proba({"x": [2, 4]}), [[0.5, 0.5], [1, 0]])


def test_the_first_of_equally_probable_classes_wins():
    program = LogicProgram(CLASSES, (Rule((LOW,), 2), Rule((LOW,), 3)), (0.0, 0.0, 0.0), ())
    np.testing.assert_array_equal(program.predict({"x": [2, 4]}), [2, 1])
    np.testing.assert_allclose(program.predict_proba({"x": [2, 4]}), [[0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])


def test_labels_are_decided_one_by_one():
    program = LogicProgram(LABELS, (Rule((LOW,), "beach", 0.75), Rule((RED,), "sea", 0.5)), (0.0, 0.5), (0.5, 0.75))
    np.testing.assert_array_equal(program.predict({"x": [2, 4], "colour": ["red", "blue"]}), [[1, 1], [0, 0]])


def test_labels_of_different_types_keep_them():
    schema = Schema(FEATURES, Target("class", "binary", (0, "yes")))
    program = LogicProgram(schema, (Rule((LOW,), "yes"),), (0.0,), (0.5,))
    assert program.predict({"x": [2, 4]}).tolist() == ["yes", 0]


def test_a_program_reads_only_the_features_it_uses():
    program = LogicProgram(BINARY, (Rule((RED, LOW), "yes"),), (0.0,), (0.5,))
    assert program.features_used == ("x", "colour")
    assert program.predict([{"x": 1, "colour": "red"}]).tolist() == ["yes"]


def test_a_program_without_rules_still_counts_rows():
    program = LogicProgram(BINARY, (), (0.25,), (0.5,))
    assert program.predict(pd.DataFrame({"z": [1, 2]})).tolist() == ["no", "no"]
    assert program.predict_proba(np.zeros((3, 3))).shape == (3, 2)
    assert (program.n_rules, program.size, program.features_used) == (0, 0.0, ())


def test_size_is_the_mean_of_the_rules_sizes():
    program = LogicProgram(BINARY, (Rule((RED, LOW), "yes"), Rule((LOW,), "yes"), Rule((), "yes")), (0.0,), (0.5,))
    assert [rule.size for rule in program.rules] == [2, 1, 0]
    assert program.size == 1.0


def test_rules_are_found_by_label():
    program = LogicProgram(CLASSES, (Rule((LOW,), 2), Rule((RED,), 3)), (0.0, 0.0, 0.0), ())
    assert program.rules_for(3) == program.rules[1:]
    assert program.rules_for(1) == ()
    with pytest.raises(ValueError, match="no label 4"):
        program.rules_for(4)


def test_coverage_counts_rows_and_hits():
    program = LogicProgram(BINARY, (Rule((LOW,), "yes"),), (0.0,), (0.5,))
    covered = program.with_coverage({"x": [1, 2, 3, None]}, ["yes", "no", "yes", "yes"])
    assert covered.rules[0].coverage == Coverage(rows=2, of_rows=4, hits=1, of_hits=3)
    assert program.rules[0].coverage is None
    classes = LogicProgram(CLASSES, (Rule((LOW,), 2),), (0.0, 0.0, 0.0), ())
    assert classes.with_coverage({"x": [1, 5]}, pd.Series([2, 2])).rules[0].coverage == Coverage(1, 2, 1, 2)
    labels = LogicProgram(LABELS, (Rule((LOW,), "sea"),), (0.0, 0.0), (0.5, 0.5))
    assert labels.with_coverage({"x": [1, 5]}, [[0, 1], [1, 0]]).rules[0].coverage == Coverage(1, 2, 1, 1)


def test_memberships_say_how_far_rows_satisfy_rules():
    fuzzy = IntervalCondition("x", (Interval(low=Boundary(2.0, 1.0)),))
    program = LogicProgram(BINARY, (Rule((LOW,), "yes"), Rule((fuzzy,), "yes", 0.5)), (0.0,), (0.5,))
    assert program.rule_memberships({"x": [2, 3, None]}) == pytest.approx(np.array([[1, 0.5], [0, 0.9], [0, 0]]))
    without = LogicProgram(BINARY, (), (0.0,), (0.5,))
    assert without.rule_memberships({"x": [1, 2]}).shape == (2, 0)


def test_coverage_needs_labels_that_are_known_and_as_many_as_rows():
    program = LogicProgram(BINARY, (Rule((LOW,), "yes"),), (0.0,), (0.5,))
    with pytest.raises(ValueError, match="y holds 'maybe' at row 1"):
        program.with_coverage({"x": [1, 2]}, ["yes", "maybe"])
    with pytest.raises(ValueError, match="1 entries, but the table has 2 rows"):
        program.with_coverage({"x": [1, 2]}, ["yes"])
    labels = LogicProgram(LABELS, (), (0.0, 0.0), (0.5, 0.5))
    with pytest.raises(ValueError, match=r"shape \(1, 2\), a column for each label, not \(1, 3\)"):
        labels.with_coverage([{"x": 1}], [[1, 0, 1]])


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (BINARY, "<LogicProgram: 2 rules of mean size 1.00 for class = yes>"),
        (CLASSES, "<LogicProgram: 2 rules of mean size 1.00 for class of 3 classes>"),
        (LABELS, "<LogicProgram: 2 rules of mean size 1.00 for 2 labels>"),
    ],
)
def test_the_short_form_says_what_is_decided(schema, text):
    outputs = schema.target.outputs
    rules = (Rule((LOW,), outputs[0]), Rule((RED,), outputs[-1]))
    assert repr(LogicProgram(schema, rules, (0.0,) * len(outputs), schema.target.default_thresholds)) == text


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Rule((LOW,), "no"), "Rule 2 concludes 'no'; rules may conclude 'yes'"),
        (Rule((LOW,), "yes", 1.5), "Rule 2 has the weight 1.5"),
        (Rule((LOW,), "yes", float("nan")), "Rule 2 has the weight nan"),
        (Rule((LOW, LOW), "yes"), "Rule 2 has 2 conditions on 'x'"),
        (Rule((ValueCondition("z", ()),), "yes"), "Rule 2 asks about 'z'"),
        (Rule((ValueCondition("x", ()),), "yes"), "Rule 2: the continuous feature 'x' takes intervals"),
        (Rule((ValueCondition("size", ("small",)),), "yes"), "Rule 2: the ordinal feature 'size' takes intervals"),
        (Rule((IntervalCondition("colour", ()),), "yes"), "Rule 2: the categorical feature 'colour' takes a set"),
        (Rule((ValueCondition("colour", ("green",)),), "yes"), "'colour' has no value 'green'"),
        (
            Rule((IntervalCondition("size", (Interval(Boundary(3)),)),), "yes"),
            "takes ranks 1 to 2 as boundaries, not 3.0",
        ),
        (Rule((IntervalCondition("size", (Interval(Boundary(1.5)),)),), "yes"), "takes ranks 1 to 2"),
        (Rule((IntervalCondition("size", (Interval(Boundary(1, 1)),)),), "yes"), "takes crisp boundaries"),
    ],
)
def test_rules_are_checked_against_the_schema(rule, message):
    with pytest.raises(ValueError, match=message):
        LogicProgram(BINARY, (Rule((LOW,), "yes"), rule), (0.0,), (0.5,))


@pytest.mark.parametrize(
    ("schema", "biases", "thresholds", "message"),
    [
        (BINARY, (), (0.5,), "biases must hold 1 number, one for each output .*, not 0"),
        (BINARY, (1.5,), (0.5,), "biases must lie in"),
        (BINARY, (0.5,), (), "thresholds must hold 1 number, .*, not 0"),
        (BINARY, (0.5,), (float("nan"),), "thresholds must lie in"),
        (CLASSES, (0.0, 0.0, 0.0), (0.5,), "thresholds must hold 3 numbers, .*, or none, not 1"),
        (CLASSES, (0.0, 0.0, 0.0), (0.5, 0.0, 0.5), r"thresholds must lie in \[0.001, 1\], not 0.0"),
    ],
)
def test_numbers_are_checked(schema, biases, thresholds, message):
    with pytest.raises(ValueError, match=message):
        LogicProgram(schema, (), biases, thresholds)


def test_programs_are_immutable_values_of_plain_numbers():
    made = LogicProgram(BINARY, [Rule([LOW], "yes", np.float32(0.5))], np.array([0.0]), [np.float64(0.5)])
    assert made == LogicProgram(BINARY, (Rule((LOW,), "yes", 0.5),), (0.0,), (0.5,))
    assert type(made.biases[0]) is type(made.rules[0].weight) is float
    assert hash(made) == hash(LogicProgram(BINARY, (Rule((LOW,), "yes", 0.5),), (0.0,), (0.5,)))
    with pytest.raises(AttributeError):
        made.rules = ()
