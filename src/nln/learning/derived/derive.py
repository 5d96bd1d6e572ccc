"""The search of calculations, from what the starts found without any to the table that the pooled rules descend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nln.learning.derived.arithmetic import nominate
from nln.learning.derived.children import ChildNominations, with_moved_boundaries
from nln.learning.derived.contexts import RulesOnRows
from nln.learning.derived.counts import CountSearch
from nln.learning.derived.literals import conditions_of
from nln.learning.derived.pooling import fewest_calculations
from nln.learning.derived.rounds import Nominate, run_round
from nln.learning.derived.screen import SCREEN_ROWS, Screen
from nln.learning.derived.state import State, rows_of
from nln.learning.derived.table import TableRows, folds_of
from nln.learning.draft import Draft, descent_rows
from nln.learning.options import LearningSettings
from nln.learning.selection.path import NOISE, Choice, Variant
from nln.learning.task import LearningTask
from nln.learning.units import Units
from nln.rules.derived.kinds import Derived
from nln.rules.derived.make import count_of
from nln.tables.encoding import EncodedRows, Integers, merge_rows

MOST_ROUNDS = 4
"""Most rounds in which counts of children are searched for."""


@dataclass(frozen=True)
class Derivation:
    """A table with calculations, and what the starts found with them."""

    task: LearningTask
    rows: EncodedRows
    choice: Choice
    best: Draft  # the pooled rules at the chosen price
    found: Sequence[Sequence[Draft]]  # rules of each start by price, also those on calculations that were dropped


def derive(
    task: LearningTask,
    choice: Choice,
    table: TableRows,
    settings: LearningSettings,
    price_scale: float,
    units: Units | None = None,
) -> Derivation | None:
    """Search for calculations; None if none earns its place. `units` are the groups of comparable columns, if any."""
    language = settings.language
    table = table.ordered()
    state = State(
        table=table,
        folds=folds_of(table, task),
        encoding=task.encoding,
        layouts={floor: task.layouts[floor] for floor in sorted({0, choice.variant.floor})},
        boundaries=task.boundaries,
        derived=(),
        paths=choice.paths,
        prices=choice.prices,
        chosen=choice.price,
        floor=choice.variant.floor,
    )
    *rngs, rng = (np.random.default_rng(child) for child in settings.seed.spawn(len(choice.paths) + 1))
    if table.bags:
        state = _count_children(state, task.plain_loss, settings, rngs, rng)
    if language.most_mentions:
        sampled = _sample(table, rng)
        search = _Arithmetic(state, sampled, language.most_mentions, units)
        state = run_round(state, search.nominate, language, task.plain_loss, rngs, settings.n_jobs)
    if language.most_members:
        counting = _Counts(_sample(table, rng), language.most_members)
        state = run_round(state, counting.nominate, language, task.plain_loss, rngs, settings.n_jobs)
    if not state.derived:
        return None
    price = float(state.prices[state.chosen]) * price_scale
    allowed, best = fewest_calculations(state, price, rng)
    if finer := with_moved_boundaries(state, allowed, best, rng):
        state = state.extended(finer, language)
        allowed, best = fewest_calculations(state, price, rng)
    if not allowed:
        return None
    if settings.size == "accurate":  # a committee keeps what its members ask, also where the pooled rules need less
        asked = {f for path in state.paths for f in state.used(state.widened(path.drafts[state.chosen]))}
        allowed = tuple(feature for feature in state.derived if feature in asked or feature in allowed)
    layouts = {floor: state.layout(floor, allowed) for floor in state.layouts}
    rows = merge_rows(state.table.codes_of(), state.table.targets, state.table.weights)
    found = replace(
        task, encoding=state.encoding, rows=descent_rows(rows), layouts=layouts, boundaries=state.boundaries
    )
    paths = tuple(replace(p, drafts=p.drafts.map(lambda d: state.stripped(d, allowed))) for p in state.paths)
    losses = np.mean([path.losses for path in paths], axis=0)
    chosen = Choice(Variant(state.floor), state.prices, state.chosen, losses, paths)
    return Derivation(found, rows, chosen, best, [p.drafts.map(state.widened) for p in state.paths])


def _count_children(
    state: State,
    plain_loss: float,
    settings: LearningSettings,
    rngs: Sequence[np.random.Generator],
    rng: np.random.Generator,
) -> State:
    """Search for counts of children, round by round as long as left-out rows accept them.

    A network is trained only where they refuse what pairs of literals lead to.
    """
    search = _ChildCounts(state, _sample(state.table, rng), rngs, rng)

    def tried(nominate: Nominate) -> State:
        return run_round(state, nominate, settings.language, plain_loss, rngs, settings.n_jobs, may_grow=True)

    for _ in range(MOST_ROUNDS):
        found = tried(search.nominate)
        if found is state:
            found = tried(search.train)
        if found is state:
            break
        state = found
    return state


class _ChildCounts:
    """What each start nominates in a round of child tables."""

    def __init__(
        self, state: State, sample: Integers, rngs: Sequence[np.random.Generator], rng: np.random.Generator
    ) -> None:
        schema, bags = state.table.schema, state.table.bags
        self.rngs = [own.spawn(1)[0] for own in rngs]  # of the networks over bags
        self.tables = [ChildNominations(t, bags[t.name], sample, rng) for t in schema.tables if t.features]

    def nominate(self, state: State, s: int) -> Sequence[Derived]:
        """Nominate on the rows of the sample that start s sees."""
        found: list[Derived] = []
        for table in self.tables:
            rules, seen = self._places(state, s, table)
            found += table.nominate(rules, seen, noise_price(state))
        return list(dict.fromkeys(found))

    def train(self, state: State, s: int) -> Sequence[Derived]:
        """Nominate what a soft network finds on these rows."""
        found: list[Derived] = []
        for table in self.tables:
            rules, seen = self._places(state, s, table)
            found += table.train(rules, seen, noise_price(state), self.rngs[s], alone=not state.derived)
        return list(dict.fromkeys(found))

    def _places(self, state: State, s: int, table: ChildNominations) -> tuple[RulesOnRows, Integers]:
        """The rules of start s on those rows of a table's sample that it sees, and these."""
        seen = np.flatnonzero(state.folds.numbers[table.sample] != s)
        draft = state.widened(state.drafts[s][state.chosen])
        return RulesOnRows(draft, state.encoding, rows_of(state, table.sample[seen])), seen


class _Arithmetic:
    """What each start nominates in the round of arithmetic."""

    def __init__(self, state: State, sample: Integers, most_mentions: int, units: Units | None) -> None:
        self.sample = sample
        table = state.table
        columns = {name: table.column(name, sample) for name in table.columns}
        self.screen = Screen(table.schema.by_name, columns, most_mentions, units)

    def nominate(self, state: State, s: int) -> Sequence[Derived]:
        """Nominate on the rows of the sample that start s sees."""
        seen = np.flatnonzero(state.folds.numbers[self.sample] != s)
        rules = RulesOnRows(state.drafts[s][state.chosen], state.encoding, rows_of(state, self.sample[seen]))
        places = {slots.feature.name: j for j, slots in enumerate(state.encoding.slots)}
        return nominate(self.screen, places, seen, rules, nomination_price(state))


class _Counts:
    """What each start nominates in the round of counts: at most one for each output."""

    def __init__(self, sample: Integers, most_members: int) -> None:
        self.sample, self.most_members = sample, most_members

    def nominate(self, state: State, s: int) -> Sequence[Derived]:
        """Nominate on the rows of the sample that start s sees."""
        rows = rows_of(state, self.sample[state.folds.numbers[self.sample] != s])
        rules = RulesOnRows(state.drafts[s][state.chosen], state.encoding, rows)
        search = CountSearch(state.encoding, rules, nomination_price(state), self.most_members)
        found = []
        for k in range(rules.n_outputs):
            members = search.best(k)
            if members is not None:
                conditions = conditions_of(members, state.encoding, state.boundaries)
                found.append(count_of(conditions, state.table.schema.by_name))
        return list(dict.fromkeys(found))


def nomination_price(state: State) -> float:
    """Price of a literal in nominations: the chosen one, but at least what noise would pay."""
    return max(float(state.prices[state.chosen]), noise_price(state))


def noise_price(state: State) -> float:
    """Price of a literal that noise alone would pay.

    Where the columns of the table tell little, the chosen price is high and says nothing about children.
    """
    price: float = NOISE * float(state.unseen.mean()) / state.table.targets.shape[1]
    return price


def _sample(table: TableRows, rng: np.random.Generator) -> Integers:
    if table.n_rows <= SCREEN_ROWS:
        return np.arange(table.n_rows)
    return np.sort(rng.choice(table.n_rows, SCREEN_ROWS, replace=False))
