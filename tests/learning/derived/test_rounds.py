"""What calculations must show on left-out rows before they are taken."""

from types import SimpleNamespace

import numpy as np
import pytest

from nln.learning.derived import rounds
from nln.learning.derived.rounds import is_better, run_round
from nln.learning.options import LanguageOptions
from nln.rules.derived.arithmetic import Arithmetic

BEFORE = np.array([0.10, 0.11, 0.12, 0.10, 0.11])


@pytest.mark.parametrize(
    ("after", "sizes", "taken"),
    [
        (BEFORE - 0.02, (10, 10), True),
        (BEFORE - 0.005, (10, 10), False),  # less than a tenth of the loss
        (BEFORE - 0.007, (10, 5), True),  # half of that is enough for a much shorter program
        (BEFORE, (10, 5), True),  # and so is the same loss
        (BEFORE, (10, 7), False),
        (BEFORE - 0.02, (10, 11), False),  # longer
        (BEFORE - [0.05, 0.05, 0.05, -0.01, 0.05], (10, 10), True),  # one start may lose
        (BEFORE - [0.06, 0.06, 0.06, -0.01, -0.01], (10, 10), False),
        (BEFORE - [0.09, 0.0, 0.0, 0.0, 0.0], (10, 10), False),  # within 1.5 standard errors
    ],
)
def test_nearly_every_start_must_gain(after, sizes, taken):
    assert is_better(BEFORE, after, *sizes, plain_loss=0.25) == taken


@pytest.mark.parametrize(
    ("losses", "size", "asked"),
    [
        ((0.2, 0.2), 5, 2),
        ((0.05, 0.2), 10, 2),  # one gains less than the other loses
        ((0.02, 0.095), 10, 5),
        ((0.05, 0.2), 5, 5),  # a much shorter program
    ],
)
def test_others_look_for_calculations_only_if_the_first_two_starts_gain(monkeypatch, losses, size, asked):
    """Or if their programs are much shorter. Most tables have nothing to calculate, and trials take long."""
    ratio = Arithmetic.column("a").join("/", Arithmetic.column("b"))
    drawn, drafts = [], [[()]] * 5
    new = SimpleNamespace(size=lambda floor, drafts: size if floor else 10)
    state = SimpleNamespace(
        drafts=drafts,
        floor=0,
        chosen=0,
        derived=(),
        prices=np.ones(3),
        unseen=np.full(5, 0.1),
        table=SimpleNamespace(schema=SimpleNamespace(by_name={})),
        extended=lambda features, language: new,
    )

    def try_one(new, s, allowed, own, floors, begin, rng):
        drawn.append((s, rng.random()))
        return [SimpleNamespace(losses=np.full(3, losses[min(s, 1)]))]

    def outcome(new, prices, floors, paths, plain_loss):
        unseen = np.array([found[0].losses[0] for found in paths])
        return SimpleNamespace(drafts=drafts, chosen=0, floor=2, unseen=unseen)

    monkeypatch.setattr(rounds, "try_start", try_one)
    monkeypatch.setattr(rounds, "_outcome", outcome)
    rngs, nominated = [np.random.default_rng(s) for s in range(5)], []

    def nominate(state, s):
        nominated.append(s)
        return [ratio]

    assert run_round(state, nominate, LanguageOptions(), 0.25, rngs, 1) is state
    assert nominated == list(range(asked))
    first = {s: np.random.default_rng(s).random() for s in range(5)}
    assert all(number == first[s] for s, number in drawn)  # a start that tries twice draws the same
