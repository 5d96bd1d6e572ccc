from __future__ import annotations

import numpy as np

from nln.plots.data import rule_names, scored
from tests.plots.programs import binary, multiclass


def test_scores_of_a_label_are_its_probabilities_with_its_truth():
    case = multiclass()
    items = scored(case.program, case.columns, case.y)
    np.testing.assert_array_equal(
        np.column_stack([item.probability for item in items]), case.program.predict_proba(case.columns)
    )
    assert [item.truth.sum() for item in items] == [3, 3, 2]
    assert [item.threshold for item in items] == [None] * 3


def test_a_rule_is_named_by_its_conditions_and_its_number():
    assert rule_names(binary().program)[1] == "on = false AND size >= m   rule 2"
    assert rule_names(multiclass().program)[0] == "x < 3 → a   rule 1"
