"""Counts from rows to rules, and the literals that they are made of."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nln import LanguageOptions, NLNClassifier
from nln.datasets import load_monks
from nln.learning.derived.kernels.counting import count_gains
from nln.learning.derived.literals import Literal, crisp_literal
from nln.rules.schema import Feature
from nln.tables.encoding import make_encoding

COUNTING = LanguageOptions(counts=True)


@pytest.fixture(scope="module")
def criteria():
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame(
        {
            "temp": rng.normal(37.5, 1, n).round(1),
            "pulse": rng.integers(50, 130, n),
            "breaths": rng.integers(10, 32, n),
            "wbc": rng.normal(10, 3, n).round(1),
        }
    )
    held = (X.temp > 38).astype(int) + (X.pulse > 90) + (X.breaths > 20) + (X.wbc > 12)
    return X, held.to_numpy(), rng.random(n) < 0.05


def test_two_of_four_noisy_criteria_are_one_count(criteria):
    X, held, flipped = criteria
    model = NLNClassifier(random_state=0, language=COUNTING).fit(X, ((held >= 2) ^ flipped).astype(int))
    (rule,) = model.program_.rules
    assert str(model.program_).startswith("IF   at least 2 of {breaths")
    (name,) = model.program_.features_used
    assert {member.feature for member in model.program_.schema[name].derived.members} == set(X.columns)
    assert (model.predict(X) == (held >= 2)).mean() > 0.98
    assert rule.starts is not None and rule.starts[0] >= 4


def test_monk2_is_one_count():
    X, y = load_monks(2)
    model = NLNClassifier(random_state=0, language=COUNTING).fit(X, y)
    assert model.program_.n_rules == 1
    assert str(model.program_).startswith("IF   exactly 2 of {")
    assert model.score(X, y) == 1.0


def test_a_table_that_needs_no_count_keeps_its_program(criteria):
    X, _, flipped = criteria
    y = (((X.temp > 38) & (X.pulse > 90)).to_numpy() ^ flipped).astype(int)
    plain, counting = (NLNClassifier(random_state=0, language=one).fit(X, y) for one in (LanguageOptions(), COUNTING))
    assert counting.program_ == plain.program_


def test_a_missing_value_satisfies_neither_a_literal_nor_its_complement():
    column = np.array([1.0, 2.0, 3.0, np.nan])
    (slots,) = make_encoding((Feature("x", "continuous"),), {"x": column}, np.ones(4)).slots
    literal = crisp_literal(0, slots, np.array([1.0, 0.0, 0.0, 1.0]))
    assert literal == Literal(0, bytes([1, 0, 0, 0]))
    assert literal.complement(slots) == Literal(0, bytes([0, 1, 1, 0]))
    assert literal.complement(slots).complement(slots) == literal
    assert literal.size(slots) == 1


def test_all_and_any_are_no_counts():
    held = np.array([[a >> b & 1 for a in range(8)] for b in range(3)], np.uint8)
    base, total = held[:2].sum(axis=0).astype(np.uint8), held.sum(axis=0)
    for region, is_count in ((total == 3, False), (total >= 1, False), (total >= 2, True), (total == 2, True)):
        hits = np.where(region, 1.0, -1.0)
        gains, is_true = count_gains(base, held[2:], np.ones(8), hits, np.inf, 0.01, np.zeros(1), 3)
        assert gains[0] > 0
        assert is_true[0] == is_count


@pytest.mark.parametrize("limit", [2, 0.5, "many"])
def test_a_limit_is_a_truth_value_or_an_integer(limit):
    with pytest.raises(ValueError, match="counts must be True, False, None or an integer of at least 3"):
        LanguageOptions(counts=limit)
