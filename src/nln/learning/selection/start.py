"""One start of a learning: it trains a network and descends without one fold, on which it is scored.

A start that has begun stays as it is: its descents draw from a source of randomness that is given. So it may lie
anywhere, and be made again if it is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import Integers
from nln.learning.draft import DescentRows, Draft, pool_drafts, with_initial_rules
from nln.learning.options import LearningSettings
from nln.learning.packed import PackedDraft, pack, unpack
from nln.learning.selection.from_network import IMAGINED_WEIGHT, draft_network, with_imagined
from nln.learning.selection.path import StartPath, Trial, Variant, run_path
from nln.learning.selection.sow import sow
from nln.learning.task import LearningTask, sample_rows
from nln.learning.view import View
from nln.network.callbacks import Callback
from nln.network.initial import InitialRules
from nln.network.training import Network, train
from nln.tables.encoding import Encoding, Floats


@dataclass(frozen=True)
class Start:
    """A trained start, with all that its descents need."""

    encoding: Encoding  # of the whole table
    view: View  # what the start sees of it
    initial: Draft | None  # rules to begin with, about the whole table
    network: Network
    own: DescentRows  # rows to descend on
    left_out: DescentRows

    def limited(self, least_shares: Floats) -> Start:
        """The same, with the share of the rows that rules of each output must cover."""
        return replace(self, view=self.view.limited(least_shares))

    @cached_property
    def _draft(self) -> PackedDraft:
        """The network's rules and single conditions, after the initial rules."""
        drafted = self.view.narrow(draft_network(self.network, self.encoding, self.own))
        return pack(self._with_initial(pool_drafts([drafted, unpack(self._sown).learned()])))

    @cached_property
    def _sown(self) -> PackedDraft:
        """Single conditions, after the initial rules."""
        view = self.view
        return pack(self._with_initial(sow(view.layouts[0], view.rows(self.own), view.encoding)))

    def _with_initial(self, draft: Draft) -> Draft:
        return with_initial_rules(draft, None if self.initial is None else self.view.narrow(self.initial))

    def descend(
        self, rng: np.random.Generator, prices: Floats, variants: Sequence[Variant], trial: Trial | None = None
    ) -> list[StartPath]:
        """Follow the path of prices in each variant."""
        view, own, left_out, found = self.view, self.own, self.left_out, []
        for floor, taught, evidence, single in variants:
            seen = with_imagined(own, [self.network], rng) if taught else own
            paid = prices * (1.0 + IMAGINED_WEIGHT if taught else 1.0)
            begin = unpack(self._sown if single else self._draft)
            descent = Descent(view.layouts[floor]._replace(evidence=evidence), view.rows(seen), begin)
            path = run_path(descent, view.boundaries, view.rows(left_out), paid, rng, anew=single, trial=trial)
            drafts = path.drafts if view.is_whole else path.drafts.map(view.widen)
            found.append(replace(path, drafts=drafts, left_out=left_out))
        return found


class Trained(NamedTuple):
    """What a start has after its training; it is small enough to send."""

    network: Network
    own: Integers  # rows to descend on, by their numbers among the pieces
    left_out: Integers


def train_start(
    task: LearningTask,
    number: int,
    settings: LearningSettings,
    rng: np.random.Generator,
    callbacks: Sequence[Callback] = (),
) -> Trained:
    """Train the network of the start that leaves out the fold of this number, and draw the rows of its descents."""
    view, initial, is_left_out = task.views[number], task.initial, task.folds == number
    fit, left_out = np.flatnonzero(~is_left_out), np.flatnonzero(is_left_out)
    check = sample_rows(left_out, rng)
    check = check if settings.training.validation else check[:0]
    inputs, rows = task.network_inputs, task.network_rows
    if not view.is_whole:
        inputs = inputs.narrowed(view.columns)
        rows = rows._replace(codes=np.ascontiguousarray(rows.codes[:, view.columns]))
    data = inputs, rows, fit, check
    modules = None if initial is None else InitialRules(initial.tables, initial.bias, initial.output)
    network = train(*data, settings.n_rules, settings.training, rng, callbacks, number, modules)
    return Trained(network, sample_rows(fit, rng), sample_rows(left_out, rng))


def begin_start(task: LearningTask, number: int, trained: Trained) -> Start:
    """Give a trained start what its descents need of the table."""
    own, left_out = task.pieces.take(trained.own), task.pieces.take(trained.left_out)
    return Start(task.encoding, task.views[number], task.initial, trained.network, own, left_out)
