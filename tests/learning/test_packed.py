"""Drafts that are kept small: what was packed comes back as it was, and shares nothing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.learning.draft import Draft
from nln.learning.packed import Drafts, pack, unpack


def drawn(seed, n_rules, n_slots, is_fuzzy):
    """Rules of runs of equal entries, some of them probabilities."""
    rng = np.random.default_rng(seed)
    tables = rng.choice([0.0, 1.0, 1.0, rng.random()], (n_rules, n_slots))
    tables[:, 1:] = np.where(rng.random((n_rules, n_slots - 1)) < 0.7, tables[:, :-1], tables[:, 1:])
    spans = rng.integers(-1, 4, (n_rules, 2, 2)) if is_fuzzy else None
    return Draft(tables, rng.random(n_rules), rng.integers(0, 2, n_rules), rng.random(2), min(n_rules, 1), spans)


@given(st.integers(0, 10_000), st.integers(0, 4), st.integers(2, 9), st.booleans())
def test_a_draft_comes_back_as_it_was_packed(seed, n_rules, n_slots, is_fuzzy):
    draft = drawn(seed, n_rules, n_slots, is_fuzzy)
    for found, given_ in zip(unpack(pack(draft)), draft, strict=True):
        np.testing.assert_array_equal(found, given_)


def test_drafts_share_nothing_with_what_they_were_packed_from_or_give():
    draft = drawn(0, 3, 8, True)
    before = draft.copy()
    drafts = Drafts([pack(draft)])
    draft.tables[:], draft.bias[:], draft.spans[:] = 0.5, 0.0, 7
    for _ in range(2):
        found = drafts[0]
        for part in ("tables", "bias", "output", "output_bias", "spans"):
            np.testing.assert_array_equal(getattr(found, part), getattr(before, part))
            getattr(found, part)[:] = 3


def test_drafts_are_a_sequence_that_is_changed_one_by_one():
    drafts = Drafts(pack(drawn(seed, seed, 4, False)) for seed in range(4))
    assert (len(drafts), drafts.n_rules, [d.n_rules for d in drafts[1:3]]) == (4, [0, 1, 2, 3], [1, 2])
    assert drafts.map(lambda draft: draft.take(np.arange(draft.n_rules) < 1)).n_rules == [0, 1, 1, 1]
    with pytest.raises(IndexError):
        drafts[4]


def test_crisp_rules_about_few_features_take_little_room():
    tables = np.ones((20, 1000))
    tables[:, 300:400] = 0.0
    packed = pack(Draft(tables, np.ones(20), np.zeros(20, np.int64), np.zeros(1)))
    assert len(packed.entries) == 41 < tables.size // 100
