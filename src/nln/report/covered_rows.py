"""What the rules of a program cover in a table, where they overlap, and which of them lead to errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.rules import LogicProgram
from nln.scores import Outcomes

MOST_PAIRS = 20
"""Pairs of rules listed."""


def describe_coverage(covered: NDArray[np.bool_], outcomes: Outcomes) -> dict[str, Any]:
    """Count the rows that each rule covers, by label and together with each other rule.

    Parameters
    ----------
    covered : array of bool, (rows, rules)
        Where a rule's membership is at least one half.
    outcomes : Outcomes
        What holds.

    Returns
    -------
    dict
        `by_label`, a count per rule and label; `overlap`, a count per pair of rules; `pairs`, the places of the pairs
        that share most in proportion to the rows that either covers; `none`, the rows that no rule covers.

    Examples
    --------
    >>> covered = np.array([[True, True], [True, False], [False, False]])
    >>> holds = np.array([[False, True], [False, True], [True, False]])
    >>> describe_coverage(covered, Outcomes("binary", holds, holds, holds * 1.0))
    {'by_label': [[0, 2], [0, 1]], 'overlap': [[2, 1], [1, 1]], 'pairs': [[0, 1]], 'none': 1}
    """
    numbers = covered.astype(np.float64)
    overlap = (numbers.T @ numbers).astype(np.intp)
    rows = np.diag(overlap)
    either = rows[:, None] + rows - overlap
    share = np.triu(overlap / np.maximum(either, 1), 1)
    order = np.argsort(-share, axis=None, kind="stable")[:MOST_PAIRS]
    pairs = [[int(i), int(j)] for i, j in zip(*np.unravel_index(order, share.shape), strict=True) if share[i, j] > 0]
    return {
        "by_label": (numbers.T @ outcomes.holds).astype(np.intp).tolist(),
        "overlap": overlap.tolist(),
        "pairs": pairs,
        "none": int(np.count_nonzero(~covered.any(axis=1))),
    }


def describe_errors(program: LogicProgram, covered: NDArray[np.bool_], outcomes: Outcomes) -> dict[str, Any]:
    """Count the errors by the rules that cause them.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    covered : array of bool, (rows, rules)
        Where a rule's membership is at least one half.
    outcomes : Outcomes
        What holds and what is decided.

    Returns
    -------
    dict
        `rows` (decided wrongly); `rules`, per rule the rows where it fires and its label is decided but does not hold;
        `outputs`, per output the rows where it holds but is not decided (`missed`) and those of them where none of its
        rules fires (`silent`).
    """
    target = program.schema.target
    places = [target.labels.index(label) for label in target.outputs]
    wrongly = (outcomes.decided & ~outcomes.holds)[:, places]
    missed = (outcomes.holds & ~outcomes.decided)[:, places]
    owner = np.array([target.outputs.index(rule.label) for rule in program.rules], np.intp)
    outputs = []
    for k, misses in enumerate(missed.T):
        silent = misses & ~covered[:, owner == k].any(axis=1)
        outputs.append({"missed": int(misses.sum()), "silent": int(silent.sum())})
    caused = [int(np.count_nonzero(covered[:, i] & wrongly[:, k])) for i, k in enumerate(owner)]
    return {"rows": int(np.count_nonzero(~outcomes.right)), "rules": caused, "outputs": outputs}
