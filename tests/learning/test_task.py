import numpy as np

from nln.learning.task import stratified_folds, stratified_share


def test_folds_hold_equal_shares_of_every_combination_of_targets():
    targets = np.array([[0, 0], [0, 1], [1, 0]] * 20, float)
    folds = stratified_folds(targets, 5, np.random.default_rng(0))
    for fold in range(5):
        kinds, counts = np.unique(targets[folds == fold], axis=0, return_counts=True)
        assert len(kinds) == 3
        assert (counts == 4).all()


def test_share_is_taken_from_every_combination_of_targets():
    targets = np.array([[0.0]] * 10 + [[1.0]] * 20)
    chosen = stratified_share(targets, 0.2, np.random.default_rng(0))
    assert (int(chosen[:10].sum()), int(chosen[10:].sum())) == (2, 4)
