"""How much of what a program explains each feature brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import Column
from nln.rules.condition import Condition
from nln.rules.evaluate import CHUNK, combine, membership

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

_Held = dict[Condition, NDArray[np.float64]]


def feature_importances(
    program: LogicProgram, columns: Mapping[str, Column], truth: NDArray[np.bool_], weights: NDArray[np.float64]
) -> dict[str, float]:
    """For each feature that rules ask about, its share of the error that the program explains; the shares sum to 1.

    It is the rise of the squared error of all outputs if the program does not look at the feature: each condition on it
    then counts, in every row, as its mean membership over the rows. A feature without which the error does not rise has
    the share 0.
    """
    means: dict[Condition, float] = {}
    for window, held in _chunks(program, columns, len(truth)):
        for condition, degrees in held.items():
            means[condition] = means.get(condition, 0.0) + _sum(weights[window], degrees) / float(weights.sum())
    errors = dict.fromkeys((None, *program.features_used), 0.0)
    for window, held in _chunks(program, columns, len(truth)):
        for unseen in errors:
            blind = {c: np.full(len(held[c]), means[c]) if c.feature == unseen else held[c] for c in held}
            wrong = (combine(program, _fired(program, blind, len(truth[window]))) - truth[window]) ** 2
            errors[unseen] += _sum(weights[window], wrong.sum(axis=1))
    whole = errors.pop(None)
    rises = {name: max(error - whole, 0.0) for name, error in errors.items() if name is not None}
    total = sum(rises.values())
    return {name: rise / total if total else 0.0 for name, rise in rises.items()}


def _sum(weights: NDArray[np.float64], numbers: NDArray[np.float64]) -> float:
    """Sum of weighted numbers, without BLAS, whose threads take longer to wake than to add up a chunk."""
    return float((weights * numbers).sum())


def _chunks(program: LogicProgram, columns: Mapping[str, Column], rows: int) -> Iterator[tuple[slice, _Held]]:
    """Yield some rows at a time, each with how far they satisfy each condition."""
    asked = list(dict.fromkeys(condition for rule in program.rules for condition in rule.conditions))
    for start in range(0, rows, CHUNK):
        window = slice(start, start + CHUNK)
        yield window, {c: membership(c, columns[c.feature][window], program.schema[c.feature]) for c in asked}


def _fired(program: LogicProgram, held: _Held, rows: int) -> NDArray[np.float64]:
    """Memberships of all rules, (rows, rules), from those of the conditions."""
    fired = np.ones((rows, len(program.rules)))
    for i, rule in enumerate(program.rules):
        for condition in rule.conditions:
            fired[:, i] *= held[condition]
    return fired
