"""Which rows a start sees and which it leaves out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from nln.learning.draft import Integers

ROWS_PER_START = 8192
"""Most rows on which a single start descends; the pooled descent sees all rows."""


def sample_rows(rows: Integers, rng: np.random.Generator) -> Integers:
    """All rows, or as many of them as a start descends on."""
    return rows if len(rows) <= ROWS_PER_START else np.sort(rng.choice(rows, ROWS_PER_START, replace=False))


def stratified_folds(
    targets: npt.NDArray[np.floating], n_folds: int, rng: np.random.Generator, parents: Integers | None = None
) -> Integers:
    """Fold of each row, every combination of targets spread evenly over the folds.

    Parameters
    ----------
    targets : ndarray, (rows, outputs)
        What is spread evenly.
    n_folds : int
        Number of folds.
    rng : Generator
        Order of the rows.
    parents : ndarray of int, (rows,), or None
        Rows of the same parent are spread evenly, too.

    Examples
    --------
    >>> import numpy as np
    >>> folds = stratified_folds(np.array([[0.0], [0.0], [1.0], [1.0]]), 2, np.random.default_rng(0))
    >>> np.bincount(folds).tolist()
    [2, 2]
    """
    parents = np.arange(len(targets)) if parents is None else parents
    places = np.argsort(rng.permutation(int(parents.max(initial=-1)) + 1))[parents]
    folds = np.empty(len(targets), np.int64)
    folds[np.lexsort([places, *targets.T])] = np.arange(len(targets)) % n_folds
    return folds
