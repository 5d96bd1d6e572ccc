"""A table made ready for learning: rows by fold, slots and boundaries that the descent may use, rules to begin with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nln.learning.descent.boundaries import Boundaries, feature_boundaries
from nln.learning.descent.layout import Integers, SlotLayout, fuzzy_layout, slot_layout
from nln.learning.draft import DescentRows, Draft, descent_rows
from nln.learning.options import MIN_FOLDS, ROWS_PER_START, LanguageOptions, LearningSettings
from nln.learning.prior import Prior
from nln.learning.selection.path import plain_loss, width_floors
from nln.network.layout import NetworkInput, TrainingRows, make_input
from nln.network.options import SMALL_TABLE
from nln.tables.encoding import EncodedRows, Encoding


@dataclass(frozen=True)
class LearningTask:
    """What all phases of learning share."""

    encoding: Encoding
    rows: DescentRows  # all distinct rows
    pieces: DescentRows  # the same, with rows that were seen several times cut into pieces that folds can share
    folds: Integers  # (pieces,) start s leaves out fold s
    network_inputs: NetworkInput
    network_rows: TrainingRows  # the pieces as the networks take them
    layouts: dict[int, SlotLayout]  # by floor under the widths of fuzzy boundaries; 0 is crisp
    boundaries: Boundaries
    initial: Draft | None  # rules to begin with
    plain_loss: float  # mean squared error without rules

    @property
    def is_small(self) -> bool:
        """Whether the table is so small that networks may teach and every stage gets all rows."""
        return self.rows.n_rows <= SMALL_TABLE


def prepare_task(
    encoding: Encoding, rows: EncodedRows, settings: LearningSettings, prior: Prior, rng: np.random.Generator
) -> LearningTask:
    """Cut the rows into folds, and lay out all that networks and descent work on."""
    n_folds = max(settings.starts_for(rows.n_rows), MIN_FOLDS)
    parents, pieces = rows.split(n_folds)
    initial, boundaries = prior.draft(encoding, feature_boundaries(encoding, settings.language))
    training, whole = settings.training, descent_rows(rows)
    network_inputs = make_input(encoding, rows, training.intervals_for(rows.n_rows), training.bins)
    return LearningTask(
        encoding=encoding,
        rows=whole,
        pieces=whole if pieces is rows else descent_rows(pieces),
        folds=stratified_folds(pieces.targets, n_folds, rng, parents),
        network_inputs=network_inputs,
        network_rows=network_inputs.rows(pieces),
        layouts=_layouts(encoding, settings.language, boundaries, prior),
        boundaries=boundaries,
        initial=initial,
        plain_loss=plain_loss(rows),
    )


def _layouts(
    encoding: Encoding, language: LanguageOptions, boundaries: Boundaries, prior: Prior
) -> dict[int, SlotLayout]:
    """The slots for each floor under the widths that is tried.

    Constraints and fixed rules are kept on crisp tables only; boundaries become fuzzy afterwards.
    """
    layout = slot_layout(encoding, language, prior.limits(encoding))
    if layout.limits is not None or prior.fixed:
        return {0: layout}
    floors = width_floors(boundaries)
    return {floor: fuzzy_layout(layout, boundaries, floor) if floor else layout for floor in floors}


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
