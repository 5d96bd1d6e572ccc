import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.learning.task import folds_for, left_out_share, make_folds, stratified_folds
from nln.tables.encoding import merge_rows


def pieces_of(targets, groups=None, codes=None):
    codes = np.arange(len(targets)) if codes is None else codes
    groups = None if groups is None else np.asarray(groups, np.int64)
    outputs = np.asarray(targets, float)[:, None]
    return merge_rows(codes[:, None].astype(np.uint8), outputs, np.ones(len(targets)), groups)


def test_folds_hold_equal_shares_of_every_combination_of_targets():
    targets = np.array([[0, 0], [0, 1], [1, 0]] * 20, float)
    folds = stratified_folds(targets, 5, np.random.default_rng(0))
    for fold in range(5):
        kinds, counts = np.unique(targets[folds == fold], axis=0, return_counts=True)
        assert len(kinds) == 3
        assert (counts == 4).all()


def test_share_is_taken_from_every_combination_of_targets():
    pieces = pieces_of([0] * 10 + [1] * 20).split(1)
    chosen = left_out_share(pieces, 0.2, np.random.default_rng(0))
    hits = pieces.rows.targets[:, 0] == 1
    assert (int(chosen[~hits].sum()), int(chosen[hits].sum())) == (2, 4)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1), st.integers(0, 3)), min_size=12), st.integers(2, 5))
def test_groups_are_never_torn_apart(rows, n_folds):
    groups, targets, codes = np.array(rows).T
    for left_out in (
        make_folds(pieces_of(targets, groups, codes).split(n_folds), n_folds, np.random.default_rng(0)),
        left_out_share(pieces_of(targets, groups, codes).split(1), 0.3, np.random.default_rng(0)),
    ):
        own = pieces_of(targets, groups, codes).split(1).groups
        assert all(len(np.unique(left_out[own == g])) == 1 for g in np.unique(groups))


def test_a_rare_label_is_spread_over_the_folds_though_groups_stay_whole():
    groups = np.repeat(np.arange(60), 4)
    targets = (np.arange(240) % 4 == 0) & (groups % 6 == 0)  # one visit of every sixth patient
    pieces = pieces_of(targets, groups).split(5)
    folds = make_folds(pieces, 5, np.random.default_rng(0))
    assert np.bincount(folds).tolist() == [48] * 5
    assert np.bincount(folds[pieces.rows.targets[:, 0] == 1]).tolist() == [2] * 5


@pytest.mark.parametrize(("starts", "folds"), [(1, 3), (3, 3)])
def test_few_groups_are_few_folds(starts, folds):
    assert folds_for(starts, pieces_of([0, 1, 0], [0, 1, 2])) == folds


def test_too_few_groups_for_the_starts_are_refused():
    with pytest.raises(ValueError, match=r"are 3 groups .* each of 5 starts .* at least 5 .* or starts=3\."):
        folds_for(5, pieces_of([0, 1, 0], [0, 1, 2]))
    with pytest.raises(ValueError, match=r"is 1 group .* at least 2 are needed\. Give finer groups\.$"):
        folds_for(1, pieces_of([0, 1, 0], [0, 0, 0]))
