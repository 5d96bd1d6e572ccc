"""A table made ready for learning: rows by fold, slots and boundaries that the descent may use, rules to begin with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nln.learning.descent.boundaries import FeatureBoundaries, feature_boundaries
from nln.learning.descent.layout import Integers, SlotLayout, fuzzy_layout, slot_layout
from nln.learning.draft import DescentRows, Draft, descent_rows
from nln.learning.options import MIN_FOLDS, LanguageOptions, LearningSettings
from nln.learning.prior import Prior
from nln.learning.selection.folds import stratified_folds
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
    boundaries: dict[int, FeatureBoundaries]  # by ordered feature
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
    training = settings.training
    network_inputs = make_input(encoding, rows, training.intervals_for(rows.n_rows), training.bins)
    return LearningTask(
        encoding=encoding,
        rows=descent_rows(rows),
        pieces=descent_rows(pieces),
        folds=stratified_folds(pieces.targets, n_folds, rng, parents),
        network_inputs=network_inputs,
        network_rows=network_inputs.rows(pieces),
        layouts=_layouts(encoding, settings.language, boundaries, prior),
        boundaries=boundaries,
        initial=initial,
        plain_loss=plain_loss(rows),
    )


def _layouts(
    encoding: Encoding, language: LanguageOptions, boundaries: dict[int, FeatureBoundaries], prior: Prior
) -> dict[int, SlotLayout]:
    """The slots for each floor under the widths that is tried.

    Constraints and fixed rules are kept on crisp tables only; boundaries become fuzzy afterwards.
    """
    layout = slot_layout(encoding, language, prior.limits(encoding))
    if layout.limits is not None or prior.fixed:
        return {0: layout}
    floors = width_floors(boundaries)
    return {floor: fuzzy_layout(layout, boundaries, floor) if floor else layout for floor in floors}
