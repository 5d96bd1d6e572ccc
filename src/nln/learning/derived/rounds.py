"""A round of the search: every start nominates calculations and tries its own, and left-out rows decide.

The hurdle is high, because nobody wants `age - creatinine`: all starts but one must gain, the mean gain must be a tenth
of the loss and 1.5 standard errors, and programs must not get longer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from threading import Event

import numpy as np

from nln.learning.derived.state import State
from nln.learning.derived.trial import try_start
from nln.learning.options import LanguageOptions
from nln.learning.selection.path import StartPath, Variant, choose, mean_rules, smooth
from nln.learning.selection.runner import run_threads
from nln.rules.derived.kinds import Derived
from nln.rules.derived.make import derived_feature
from nln.rules.schema import Feature
from nln.tables.encoding import Floats

HURDLE, SURE = 0.1, 1.5
"""Share of the loss, in the scale of `choose`, and standard errors that the mean gain must exceed."""
SHORTER = 0.6
"""Programs that shrink to this share of their literals need half the gain, or none if losses are alike."""
SHORT = 2.0
"""Literals that a program may have, however short it was without calculations: a comparison has no fewer."""
ALIKE_LOSS = 0.002
"""Losses that differ by this share of the loss without rules are alike."""
EARLIER = 2
"""A trial begins so many prices below the chosen one."""
FIRST = 2
"""Starts that search first. The others follow only if these gain in the mean or write much shorter programs."""

Nominate = Callable[[State, int], Sequence[Derived]]
"""What a start, given by its number, nominates."""


def run_round(
    state: State,
    nominate: Nominate,
    language: LanguageOptions,
    plain_loss: float,
    rngs: Sequence[np.random.Generator],
    n_jobs: int,
    *,
    may_grow: bool = False,
) -> State:
    """Let every start try what it nominates; return the new state if that earns it, else the state given.

    Programs that count children `may_grow`: no column of the table says what these say.
    """
    starts, own, tried = range(len(state.drafts)), dict[int, list[Feature]](), state
    floors, begin = sorted({0, state.floor}), 0 if may_grow else max(state.chosen - EARLIER, 0)

    def propose(s: int) -> list[Feature]:
        return _features(state, nominate(state, s))

    def run(s: int) -> list[StartPath]:
        rng = rngs[s] if some is starts else deepcopy(rngs[s])  # the first starts try twice, and must not notice
        return try_start(new, s, [*state.derived, *own[s]], own[s], floors, begin, rng)

    for some in (starts[:FIRST], starts) if len(starts) > FIRST else (starts,):
        waiting = [s for s in some if s not in own]
        own |= dict(zip(waiting, run_threads(propose, waiting, n_jobs, Event()), strict=True))
        if not any(own.values()):
            continue
        new = state.extended(list(dict.fromkeys(feature for found in own.values() for feature in found)), language)
        paths = list[list[StartPath]]()
        for group in (some[:FIRST], some[FIRST:]):
            paths += run_threads(run, group, n_jobs, Event())
            if _too_many_lose(state, paths, plain_loss):
                return state
        tried = _outcome(new, state.prices[begin:], floors, paths, plain_loss)
        drafts = [[each.drafts[s][each.chosen] for s in some] for each in (state, tried)]
        sizes = new.size(state.floor, drafts[0]), new.size(tried.floor, drafts[1])
        before, after = state.unseen[: len(some)], tried.unseen
        if some is starts:
            earned = is_better(before, after, *sizes, plain_loss, np.inf if may_grow else None)
        else:
            earned = bool(after.mean() < before.mean()) or _is_shorter(*sizes)
        if not earned:
            return state
    return tried


def _too_many_lose(state: State, paths: Sequence[Sequence[StartPath]], plain_loss: float) -> bool:
    """Whether two of the starts that have tried lose, under every floor: all but one must gain."""
    best = np.array([min(float(_curve(path).min()) for path in found) for found in paths])
    return int((best >= state.unseen[: len(best)] + ALIKE_LOSS * plain_loss).sum()) > 1


def _outcome(
    new: State, prices: Floats, floors: Sequence[int], paths: Sequence[Sequence[StartPath]], plain_loss: float
) -> State:
    """The state with calculations under the floor and at the price that the left-out rows prefer."""
    losses = np.array([[path.losses for path in found] for found in paths]).swapaxes(1, 2)
    variants, rules = [Variant(floor) for floor in floors], mean_rules(zip(*paths, strict=True))
    chosen, v = choose(losses, variants, plain_loss, rules, searched=False)
    return replace(new, paths=tuple(found[v] for found in paths), prices=prices, chosen=chosen, floor=floors[v])


def is_better(
    before: Floats,
    after: Floats,
    size_before: float,
    size_after: float,
    plain_loss: float,
    room: float | None = None,
) -> bool:
    """Whether losses on left-out rows, (starts,), and literals say that calculations earn their place.

    Programs may have as many literals as there is `room` for: by default as many as before.
    """
    saved, loss, slack = before - after, float(before.mean()), ALIKE_LOSS * plain_loss
    scale = min(loss, max(plain_loss - loss, 0.0))
    mean, error = float(saved.mean()), float(saved.std(ddof=min(1, len(saved) - 1))) / np.sqrt(len(saved))
    shorter = _is_shorter(size_before, size_after)
    gains = mean > max(HURDLE * scale * (0.5 if shorter else 1.0), SURE * error)
    if not gains and not (shorter and mean >= -slack):
        return False
    return int((saved > -slack).sum()) >= len(saved) - 1 and size_after <= max(
        size_before if room is None else room, SHORT
    )


def _is_shorter(size_before: float, size_after: float) -> bool:
    return size_before > 0 and size_after <= SHORTER * size_before


def _curve(path: StartPath) -> Floats:
    return smooth(path.losses[None, :, None])[0, :, 0]


def _features(state: State, found: Sequence[Derived]) -> list[Feature]:
    """Features of calculations, but those that the state has, and those whose name a column has."""
    features = [derived_feature(derived) for derived in found]
    return [feature for feature in features if feature.name not in state.table.schema.by_name]
