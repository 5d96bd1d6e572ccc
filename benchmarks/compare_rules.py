"""Whether learned rules are true ones: rules are the same if they hold on the same rows of the whole input space."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Holds = npt.NDArray[np.bool_]
"""(rows of the input space, rules): where each rule holds."""


def recovery(
    true: Holds, true_labels: Sequence[Hashable], learned: Holds, labels: Sequence[Hashable]
) -> dict[str, float]:
    """Compare learned rules with the true ones.

    Parameters
    ----------
    true, learned : ndarray of bool, (rows, rules)
        Where each rule holds, on every possible row.
    true_labels, labels : sequence
        What each rule says.

    Returns
    -------
    dict
        `recovered (%)`, true rules that a learned one means; `excess (%)`, learned rules more than true ones, in true
        ones; `other (%)`, learned rules that mean no true one.
    """
    wanted, found = _meanings(true, true_labels), _meanings(learned, labels)
    n_true, n_learned = len(wanted), len(found)
    return {
        "recovered (%)": 100 * len(set(wanted) & set(found)) / n_true,
        "excess (%)": 100 * max(0, n_learned - n_true) / n_true,
        "other (%)": 100 * sum(rule not in set(wanted) for rule in found) / n_learned if n_learned else 0.0,
    }


def _meanings(holds: Holds, labels: Sequence[Hashable]) -> list[tuple[Hashable, bytes]]:
    packed = np.packbits(np.ascontiguousarray(holds.T), axis=1)
    return [(label, row.tobytes()) for label, row in zip(labels, packed, strict=True)]


def learned_rules(model: Any, space: Any) -> tuple[Holds, list[Hashable]]:
    """Where the rules of a fitted classifier hold (to more than one half), and what they say."""
    return model.rule_memberships(space) > 0.5, [rule.label for rule in model.program_.rules]
