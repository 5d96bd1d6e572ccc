import datetime
import pickle
from dataclasses import replace

import numpy as np
import pytest

from nln.rules import Boundary, Coverage, Feature, Interval, IntervalCondition, Schema, Target, ValueCondition
from nln.rules.rule import readable_probability
from nln.rules.schema import sort_values


def test_values_become_plain_python_values():
    feature = Feature("f", "categorical", (np.int64(1), np.str_("a"), np.float64(2.5)))
    assert [type(value) for value in feature.values] == [int, str, float]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Feature(3, "continuous"), TypeError, "name is a string"),
        (lambda: Feature("f", "nominal"), ValueError, "'f' has kind 'nominal'"),
        (lambda: Feature("f", "continuous", (1,)), ValueError, "cannot list values"),
        (lambda: Feature("f", "categorical", (1, True)), ValueError, "lists a value twice"),
        (lambda: Feature("f", "categorical", (float("nan"),)), ValueError, "must be finite"),
        (lambda: Feature("f", "categorical", (None,)), TypeError, "of type NoneType"),
        (lambda: Feature("f", "ordinal", (datetime.date(2020, 1, 1),)), TypeError, "of type date"),
        (lambda: Target(None, "binary", (0, 1)), TypeError, "name is a string"),
        (lambda: Target("y", "regression", (0, 1)), ValueError, "has kind 'regression'"),
        (lambda: Target("y", "binary", (0, 1, 2)), ValueError, "A binary target has 2 labels, not 3"),
        (lambda: Target("y", "multilabel", ()), ValueError, "has at least 1 label, not 0"),
        (lambda: Target("y", "multiclass", ("a", "a")), ValueError, "lists a label twice"),
        (lambda: Schema((Feature("f", "continuous"),) * 2, Target("y", "binary", (0, 1))), ValueError, "twice: 'f'"),
        (lambda: Boundary(float("inf")), ValueError, "must be a finite number"),
        (lambda: Boundary(1, -1), ValueError, "width must be"),
        (lambda: Interval(Boundary(2), Boundary(2)), ValueError, "must lie below"),
        (lambda: IntervalCondition("x", (Interval(), Interval())), ValueError, "disjoint and ascending"),
        (lambda: IntervalCondition("x", (), 2), ValueError, r"must lie in \[0, 1\], not 2"),
        (lambda: ValueCondition("x", ("a", "a")), ValueError, "lists a value twice"),
        (lambda: ValueCondition("x", (), missing=float("nan")), ValueError, r"must lie in \[0, 1\]"),
        (lambda: Coverage(rows=1, of_rows=2, hits=2, of_hits=2), ValueError, "cannot cover"),
    ],
)
def test_what_makes_no_sense_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_unknown_features_are_named_with_the_known_ones():
    with pytest.raises(KeyError, match="no feature 'g'; known features: 'f'"):
        Schema((Feature("f", "continuous"),), Target("y", "binary", (0, 1)))["g"]


def test_conditions_know_whether_they_are_crisp():
    assert ValueCondition("f", ("a",), missing=1).is_crisp
    assert not ValueCondition("f", ("a",), missing=0.5).is_crisp
    assert IntervalCondition("x", (Interval(Boundary(1), Boundary(2)),)).is_crisp
    assert not IntervalCondition("x", (Interval(Boundary(1), Boundary(2, 0.1)),)).is_crisp


@pytest.mark.parametrize(
    ("kind", "period", "message"),
    [
        ("periodic", None, "needs its period"),
        ("periodic", 0, "above 0, not 0"),
        ("periodic", -24, "above 0"),
        ("periodic", float("inf"), "finite"),
        ("continuous", 24, "has no period"),
    ],
)
def test_a_period_belongs_to_a_periodic_feature(kind, period, message):
    with pytest.raises(ValueError, match=message):
        Feature("hour", kind, period=period)
    with pytest.raises(TypeError, match="must be a number, not 'day'"):
        Feature("hour", "periodic", period="day")


def test_sorted_truth_values():
    assert sort_values([True, False]) == (False, True)


def test_features_are_found_by_name_after_copying_and_pickling():
    schema = Schema((Feature("f", "continuous"), Feature("g", "continuous")), Target("y", "binary", (0, 1)))
    narrower = replace(schema, features=schema.features[1:])
    assert (tuple(narrower.by_name), narrower.names) == (("g",), ("g",))
    again = pickle.loads(pickle.dumps(schema))
    assert again == schema
    assert hash(again) == hash(schema)
    assert again["g"] == schema.features[1]


def test_several_classes_have_no_default_thresholds():
    labels = ("a", "b", "c")
    assert Target("y", "multiclass", labels).default_thresholds == ()
    assert Target("y", "multilabel", labels).default_thresholds == (0.5, 0.5, 0.5)
    assert Target("y", "binary", labels[:2]).default_thresholds == (0.5,)


def test_readable_probabilities_are_neither_certain_nor_impossible():
    assert [readable_probability(p) for p in (0.98765, 1.0, 0.0)] == [0.988, 0.999, 0.001]


def test_sorted_values_are_numbers_and_then_text_and_whole_floats_become_integers():
    found = sort_values(["b", 2.0, "a", 0.5])
    assert found == (0.5, 2, "a", "b")
    assert [type(value) for value in found[:2]] == [float, int]
