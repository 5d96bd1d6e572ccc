"""A table made ready for learning: rows by fold, slots and boundaries that the descent may use, rules to begin with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nln.learning.descent.boundaries import Boundaries, feature_boundaries
from nln.learning.descent.layout import Integers, fuzzy_layout, slot_layout
from nln.learning.draft import DescentRows, Draft, descent_rows
from nln.learning.options import MIN_FOLDS, ROWS_PER_START, LanguageOptions, LearningSettings
from nln.learning.prior import Prior
from nln.learning.selection.path import plain_loss, width_floors
from nln.learning.selection.telling import MOST_COLUMNS, telling_columns
from nln.learning.view import Layouts, View
from nln.network.layout import NetworkInput, TrainingRows, make_input
from nln.network.options import SMALL_TABLE
from nln.tables.encoding import EncodedRows, Encoding, Pieces


@dataclass(frozen=True)
class LearningTask:
    """What all phases of learning share."""

    encoding: Encoding
    rows: DescentRows  # all distinct rows
    pieces: DescentRows  # the same, with rows that were seen several times cut into pieces that folds can share
    folds: Integers  # (pieces,) start s leaves out fold s
    groups: Integers | None  # (pieces,) that folds do not tear apart
    network_inputs: NetworkInput
    network_rows: TrainingRows  # the pieces as the networks take them
    layouts: Layouts
    boundaries: Boundaries
    initial: Draft | None  # rules to begin with
    plain_loss: float  # mean squared error without rules
    views: tuple[View, ...]  # what each start sees

    def counted(self, rows: EncodedRows) -> DescentRows:
        """All distinct rows, weighed by how often they were seen."""
        return self.rows._replace(weights=rows.counts.astype(np.float64))

    @property
    def is_small(self) -> bool:
        """Whether the table is so small that networks may teach and every stage gets all rows."""
        return self.rows.n_rows <= SMALL_TABLE


def prepare_task(
    encoding: Encoding,
    rows: EncodedRows,
    settings: LearningSettings,
    prior: Prior,
    rng: np.random.Generator,
    *,
    narrow: bool = True,
) -> LearningTask:
    """Cut the rows into folds, choose columns if there are many, and lay out all that networks and descent work on."""
    starts = settings.starts_for(*rows.targets.shape)
    n_folds = folds_for(starts, rows)
    pieces = rows.split(n_folds)
    folds = make_folds(pieces, n_folds, rng)
    columns = [np.arange(len(encoding.slots))] * starts
    if narrow and len(encoding.slots) > MOST_COLUMNS:
        chosen = choose_columns(encoding, descent_rows(pieces.rows), folds, starts, prior, rng)
        kept = np.unique(np.concatenate(chosen))
        encoding, rows, columns = encoding.take(kept), rows.narrowed(kept), [np.searchsorted(kept, c) for c in chosen]
        pieces = rows.split(n_folds)
    initial, boundaries = prior.draft(encoding, feature_boundaries(encoding, settings.language))
    training, whole = settings.training, descent_rows(rows)
    network_inputs = make_input(encoding, rows, training.intervals_for(rows.n_rows), training.bins)
    layouts = _layouts(encoding, settings.language, boundaries, prior)
    view = View(encoding, np.arange(len(encoding.slots)), encoding, layouts, boundaries)
    return LearningTask(
        encoding=encoding,
        rows=whole,
        pieces=whole if pieces.rows is rows else descent_rows(pieces.rows),
        folds=folds,
        groups=pieces.groups,
        network_inputs=network_inputs,
        network_rows=network_inputs.rows(pieces.rows),
        layouts=layouts,
        boundaries=boundaries,
        initial=initial,
        plain_loss=plain_loss(rows),
        views=tuple(_see(view, seen, settings.language, prior) for seen in columns),
    )


def _see(view: View, columns: Integers, language: LanguageOptions, prior: Prior) -> View:
    """See some of the columns of a table."""
    if len(columns) == len(view.columns):
        return view
    encoding, place = view.encoding.take(columns), {int(j): i for i, j in enumerate(columns)}
    boundaries = {place[j]: offered for j, offered in view.boundaries.items() if j in place}
    return View(view.whole, columns, encoding, _layouts(encoding, language, boundaries, prior), boundaries)


def choose_columns(
    encoding: Encoding, rows: DescentRows, folds: Integers, starts: int, prior: Prior, rng: np.random.Generator
) -> list[Integers]:
    """Columns that each start looks at, chosen without the fold that it leaves out."""
    asked = prior.asked()
    always = [j for j, slots in enumerate(encoding.slots) if slots.feature.name in asked]
    seen = (rows.take(sample_rows(np.flatnonzero(folds != start), rng)) for start in range(starts))
    return [telling_columns(own, encoding, rng, always) for own in seen]


def _layouts(encoding: Encoding, language: LanguageOptions, boundaries: Boundaries, prior: Prior) -> Layouts:
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


def folds_for(starts: int, rows: EncodedRows) -> int:
    """Number of folds for so many starts; each leaves out one, and groups stay whole."""
    n_folds = max(starts, MIN_FOLDS)
    if rows.visits is None:
        return n_folds
    n_groups, needed = len(np.unique(rows.visits.groups)), max(starts, 2)
    if n_groups < needed:
        raise ValueError(
            f"There {'is 1 group' if n_groups == 1 else f'are {n_groups} groups'} among the rows that count, but each "
            f"of {starts} starts leaves out groups of its own, so at least {needed} are needed. Give finer groups"
            + (f", or starts={n_groups}." if n_groups > 1 else ".")
        )
    return min(n_folds, n_groups)


def make_folds(pieces: Pieces, n_folds: int, rng: np.random.Generator) -> Integers:
    """Fold of each piece of the rows; a group is never torn apart."""
    if pieces.groups is None:
        return stratified_folds(pieces.rows.targets, n_folds, rng, pieces.parents)
    turn, place = np.divmod(_deal_groups(pieces.rows.targets, pieces.groups, rng), n_folds)
    return np.where(turn % 2, n_folds - 1 - place, place)  # there and back: the first fold must not become the largest


def left_out_share(pieces: Pieces, share: float, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Choose a share of the pieces at random, the same share of every combination of targets, or of the groups."""
    if pieces.groups is None:  # as many folds as rows: the place in the order of the targets
        rank = stratified_folds(pieces.rows.targets, len(pieces.parents), rng)
    else:
        rank = _deal_groups(pieces.rows.targets, pieces.groups, rng)
    chosen = np.floor((rank + 1) * share) > np.floor(rank * share)
    return np.asarray(chosen if chosen.any() or pieces.groups is None else rank == rank.max())


def _deal_groups(targets: npt.NDArray[np.floating], groups: Integers, rng: np.random.Generator) -> Integers:
    """Place of each row's group in the order in which groups are dealt out.

    They come by the rarest combination of targets among their rows, and those with most such rows first, so that rare
    labels are spread evenly.
    """
    _, kinds, counts = np.unique(targets, axis=0, return_inverse=True, return_counts=True)
    rarity = np.argsort(np.argsort(counts, kind="stable"))[kinds.ravel()]
    _, groups = np.unique(groups, return_inverse=True)
    n_groups = int(groups.max(initial=-1)) + 1
    rarest = np.full(n_groups, len(counts))
    np.minimum.at(rarest, groups, rarity)
    size = np.bincount(groups, rarity == rarest[groups], minlength=n_groups)
    places = np.empty(n_groups, np.int64)
    places[np.lexsort([rng.permutation(n_groups), -size, rarest])] = np.arange(n_groups)
    return places[groups]


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
