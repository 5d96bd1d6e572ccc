from __future__ import annotations

import math

import numpy as np
import pytest

from nln.report.counts import BINS, describe_coverage, describe_errors, describe_feature, plain_number
from nln.rules import Feature, memberships, probabilities
from nln.scores import Outcomes, find_outcomes
from tests.report import programs


@pytest.mark.parametrize("make", [programs.binary, programs.multiclass, programs.multilabel])
def test_errors_are_counted_by_their_causes(make, frame):
    example = make()
    columns, truth, program = example.columns(frame), example.truth, example.program
    outcomes = find_outcomes(program, probabilities(program, columns, rows=120), truth)
    covered = memberships(program, columns, rows=120) >= 0.5
    found = describe_errors(program, covered, outcomes)
    labels = program.schema.target.labels
    for i, rule in enumerate(program.rules):
        k = labels.index(rule.label)
        caused = sum(covered[r, i] and outcomes.decided[r, k] and not outcomes.holds[r, k] for r in range(120))
        assert found["rules"][i] == caused
    assert sum(found["rules"]) > 0
    for output, label in zip(found["outputs"], program.schema.target.outputs, strict=True):
        k = labels.index(label)
        missed = [r for r in range(120) if outcomes.holds[r, k] and not outcomes.decided[r, k]]
        own = [i for i, rule in enumerate(program.rules) if rule.label == label]
        assert output["missed"] == len(missed) >= output["silent"]
        assert output["silent"] == sum(not covered[r, own].any() for r in missed)
    assert found["rows"] == (~outcomes.right).sum()
    assert describe_coverage(covered, outcomes)["none"] == (~covered.any(axis=1)).sum()


def test_a_distribution_counts_every_number_once():
    column = np.array([-1e308, 1e308, np.inf, -np.inf, np.nan, 0.0, 1.0])
    found = describe_feature(Feature("x", "continuous"), column, np.ones((7, 1), bool))
    assert sum(found["counts"]) == 6 and found["missing"] == 1 and len(found["counts"]) == BINS
    assert found["by_output"] == [found["counts"]]


NARROW = [[np.nan, np.nan], [3.0, 3.0], [np.inf, np.inf], [4.5e15, 4.5e15], [0.0, 5e-324], [1.7e308, 1.7e308]]


@pytest.mark.parametrize("column", NARROW)
def test_a_column_without_range_has_one(column):
    found = describe_feature(Feature("x", "continuous"), np.array(column), np.ones((2, 1), bool))
    assert found["low"] < found["high"]
    assert sum(found["counts"]) + found["missing"] == 2
    assert (found["typical"] is None) == (not np.isfinite(column).any())


def test_few_whole_numbers_have_a_bar_each():
    visits = Feature("visits", "continuous", whole=True)
    found = describe_feature(visits, np.array([0.0, 1.0, 1.0, 3.0, np.nan]), np.ones((5, 1), bool))
    assert (found["low"], found["high"], found["counts"]) == (-0.5, 3.5, [1, 2, 0, 1])
    many = describe_feature(visits, np.arange(1000.0), np.ones((1000, 1), bool))
    assert len(many["counts"]) == BINS and sum(many["counts"]) == 1000


def test_values_are_counted_in_all_rows_and_by_output():
    colour = Feature("colour", "categorical", ("blue", "red"))
    found = describe_feature(colour, np.array([1, 1, -1]), np.array([[True], [False], [True]]))
    assert (found["counts"], found["by_output"], found["missing"], found["typical"]) == ([0, 2], [[0, 1]], 1, 1)


def test_coverage_is_counted_by_label_and_by_pair_of_rules():
    covered = np.array([[True, True], [True, False], [False, False]])
    holds = np.array([[False, True], [False, True], [True, False]])
    assert describe_coverage(covered, Outcomes("binary", holds, holds, holds * 1.0)) == {
        "by_label": [[0, 2], [0, 1]],
        "overlap": [[2, 1], [1, 1]],
        "pairs": [[0, 1]],
        "none": 1,
    }


def test_numbers_are_short_and_finite():
    assert [plain_number(x) for x in (39.0, 0.5, math.nan)] == [39, 0.5, None]
    assert math.isfinite(plain_number(math.inf))
