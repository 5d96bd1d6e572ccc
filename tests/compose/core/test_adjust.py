"""Biases fitted to rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.compose import adjust, merge, transfer
from nln.rules import Feature, LogicProgram, Schema, Target

SCHEMA = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
FUZZY = LogicProgram.parse("IF x >= 1 ± 0.7 THEN class = yes (0.9)", schema=SCHEMA)


@given(st.lists(st.floats(0.5, 3), min_size=2, max_size=40), st.sampled_from(["coverage", "error"]))
@settings(max_examples=200, deadline=None)
@pytest.mark.parametrize("only", ["yes", "no"])
def test_a_fuzzy_rule_that_covers_only_one_class_has_a_probability(only, numbers, method):
    """Sums of memberships over the positive rows and over all rows are the same sums, but for rounding."""
    X = {"x": [*numbers, -1e9]}
    y = [*[only] * len(numbers), "no" if only == "yes" else "yes"]
    for program in (
        adjust(FUZZY, X, y, method=method),
        merge([FUZZY, FUZZY], X=X, y=y).program,
        transfer(FUZZY, X, y),
    ):
        assert all(0.0 <= p <= 1.0 for p in (*program.biases, *(rule.weight for rule in program.rules)))


def test_the_bias_of_a_rule_is_the_share_of_its_label_among_what_it_covers():
    crisp = LogicProgram.parse("IF x < 3 THEN class = yes", schema=SCHEMA)
    adjusted = adjust(crisp, {"x": np.arange(6)}, ["yes", "yes", "no", "no", "no", "yes"])
    assert adjusted.rules[0].weight == pytest.approx(2 / 3, abs=1e-3)
    # The rule leaves 1/3 of three rows and all of three others unexplained: (2/3 + 1) / (1 + 3).
    assert adjusted.biases[0] == pytest.approx((2 / 3 + 1) / 4, abs=1e-3)
