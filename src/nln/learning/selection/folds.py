"""Which rows a start sees and which it leaves out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nln.learning.descent.layout import Integers
from nln.learning.options import ROWS_PER_START


def sample_rows(rows: Integers, rng: np.random.Generator) -> Integers:
    """All rows, or as many of them as a start descends on."""
    return rows if len(rows) <= ROWS_PER_START else np.sort(rng.choice(rows, ROWS_PER_START, replace=False))


def stratified_folds(
    targets: npt.NDArray[np.floating], n_folds: int, rng: np.random.Generator, parents: Integers | None = None
) -> Integers:
    """Fold of each row; every combination of targets, (rows, outputs), is spread evenly over the folds.

    Pieces of the same row, its parent, are spread evenly as well.
    """
    parents = np.arange(len(targets)) if parents is None else parents
    places = np.argsort(rng.permutation(int(parents.max(initial=-1)) + 1))[parents]
    folds = np.empty(len(targets), np.int64)
    folds[np.lexsort([places, *targets.T])] = np.arange(len(targets)) % n_folds
    return folds


def stratified_share(
    targets: npt.NDArray[np.floating], share: float, rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """Choose a share of the rows at random, the same share of every combination of targets."""
    rank = stratified_folds(targets, len(targets), rng)  # as many folds as rows: the place in the order of the targets
    return np.asarray(np.floor((rank + 1) * share) > np.floor(rank * share))
