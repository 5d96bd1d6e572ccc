"""How two rules differ: pairs of rules, and the conditions that changed from one to the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from nln.rules import Condition, Feature, LogicProgram, Rule, Schema, condition_text
from nln.scores import Bools, Floats


@dataclass(frozen=True)
class ConditionChange:
    """A condition that differs between two rules.

    Parameters
    ----------
    feature : str
        The feature that it asks about.
    before, after : str or None
        The condition in the first and in the second rule; None where there is none.

    Examples
    --------
    >>> print(ConditionChange("x", "x < 3", "x < 4"))
    x < 3  ->  x < 4
    """

    feature: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        if self.before is None:
            return f"added {self.after}"
        return f"dropped {self.before}" if self.after is None else f"{self.before}  ->  {self.after}"


def canonical_rule(rule: Rule, program: LogicProgram) -> Rule:
    """Return a rule in canonical form, or unchanged if it can never fire."""
    alone = replace(program, rules=(replace(rule, weight=1.0, coverage=None),)).simplify()
    return replace(rule, conditions=alone.rules[0].conditions) if alone.rules else rule


def jaccard(ours: Bools, theirs: Bools, *, empty: float) -> Floats:
    """Jaccard index of the rows of each of our rules and each of theirs, (rules, rows); `empty` if neither has any."""
    both = ours.astype(np.float64) @ theirs.T.astype(np.float64)
    either = ours.sum(axis=1)[:, None] + theirs.sum(axis=1) - both
    shares: Floats = np.divide(both, either, out=np.full_like(both, empty), where=either > 0)
    return shares


def pair_greedily(candidates: Iterable[tuple[tuple[float, float], int, int]]) -> dict[int, int]:
    """Pair old rules with new ones, given as (rank, old, new), the lowest rank first; no rule is in two pairs."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in sorted(candidates):
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return pairs


def condition_changes(
    before: Rule, after: Rule, schema: Schema, same: Callable[[Condition, Condition, Feature], bool] | None = None
) -> tuple[ConditionChange, ...]:
    """List the conditions that differ in the order of the features; `same` says which others count as equal."""
    old, new = ({c.feature: c for c in rule.conditions} for rule in (before, after))
    changes = []
    for feature in schema.features:
        was, now = old.get(feature.name), new.get(feature.name)
        if was == now or (was and now and same and same(was, now, feature)):
            continue
        texts = [None if c is None else condition_text(c, feature) for c in (was, now)]
        changes.append(ConditionChange(feature.name, *texts))
    return tuple(changes)
