"""Which rules of one program stand for which of another: by the rows they cover and the features they ask about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from nln.rules import Condition, LogicProgram, Rule, ValueCondition, membership
from nln.rules.columns import MISSING
from nln.rules.schema import Feature

SAME_ROWS = 0.5
"""Jaccard index of the rows covered from which two rules of a label may be the same rule."""
SAME_FEATURES = 0.25
"""The same for rules that ask about the same features."""

Covered = npt.NDArray[np.bool_]


def canonical_rule(rule: Rule, program: LogicProgram) -> Rule:
    """Return a rule in canonical form; as it is if it can never fire."""
    alone = replace(program, rules=(replace(rule, probability=1.0, coverage=None),)).simplify()
    return replace(rule, conditions=alone.rules[0].conditions) if alone.rules else rule


def same_condition(one: Condition, other: Condition, feature: Feature) -> bool:
    """Tell whether two conditions on a feature agree on all known values and on missing ones."""
    if isinstance(one, ValueCondition) and isinstance(other, ValueCondition):
        known = np.array([*range(len(feature.values)), MISSING], np.int32)
        return bool((membership(one, known, feature) == membership(other, known, feature)).all())
    return one == other


def similarity(one: Covered, other: Covered) -> float:
    """Jaccard index of two sets of rows; 0 if both are empty.

    Examples
    --------
    >>> import numpy as np
    >>> similarity(np.array([True, True, False]), np.array([True, False, False]))
    0.5
    """
    either = int(np.count_nonzero(one | other))
    return int(np.count_nonzero(one & other)) / either if either else 0.0


def match_rules(
    old: Sequence[Rule], new: Sequence[Rule], old_rows: Covered, new_rows: Covered
) -> dict[int, tuple[int, float]]:
    """Find for each old rule the new one that stands for it, if any; none stands for two.

    Parameters
    ----------
    old, new : sequence of Rule
        Rules in canonical form.
    old_rows, new_rows : ndarray of bool, (rows, rules)
        Rows that each rule covers.

    Returns
    -------
    dict of int to (int, float)
        By old rule the new rule and the Jaccard index of their rows.
    """
    found = []
    for i, before in enumerate(old):
        for j, after in enumerate(new):
            if before.label != after.label:
                continue
            alike = similarity(old_rows[:, i], new_rows[:, j])
            shared = _shared_features(before, after)
            equal = before.conditions == after.conditions
            if equal or alike >= (SAME_FEATURES if shared == 1.0 else SAME_ROWS):
                found.append((-float(equal), -(alike + shared), i, j, alike))
    result: dict[int, tuple[int, float]] = {}
    taken: set[int] = set()
    for _, _, i, j, alike in sorted(found):
        if i not in result and j not in taken:
            result[i] = j, alike
            taken.add(j)
    return result


def _shared_features(one: Rule, other: Rule) -> float:
    """Jaccard index of the features that two rules ask about."""
    first, second = ({c.feature for c in rule.conditions} for rule in (one, other))
    return len(first & second) / len(first | second) if first | second else 1.0
