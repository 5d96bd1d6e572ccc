"""Difference: which rules two programs share, which changed and how, and which only one of them has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from nln.compose.compare import compare
from nln.compose.core.changes import canonical_rule, condition_changes
from nln.compose.core.schemas import join_schemas, under_schema
from nln.compose.diff_report import Difference, OutputDifference, RuleDifference
from nln.rules import Condition, Feature, IntervalCondition, LogicProgram, Rule, Schema, membership
from nln.rules.columns import UNSEEN, Column

ALIKE = 0.5
"""Likeness from which a rule counts as another one changed."""


def diff(
    p: LogicProgram, q: LogicProgram, X: Any = None, *, names: tuple[str, str] = ("first", "second")
) -> Difference:
    """Tell two programs for the same target apart, rule by rule; no rows are needed.

    Rules are compared in canonical form. A rule of the one program is *changed* into a rule of the other that has the
    same label and is at least half alike: of the features that either asks about, one with the same condition in both
    counts 1, one with conditions that some value satisfies both of counts one half. The pairs that are most alike come
    first, and no rule is in two. A rule with the same conditions and another probability is changed, too.

    Parameters
    ----------
    p, q : LogicProgram
        The programs; their features may differ, as in `merge`.
    X : table, optional
        Rows to decide by both: any form that `nln.rules.read_columns` takes.
    names : tuple of two str
        What to call the programs.

    Returns
    -------
    Difference
        `print` it to read it.

    Raises
    ------
    ValueError
        If the targets differ, or a column has different kinds.

    Examples
    --------
    >>> from nln.rules import Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> p = LogicProgram.parse("IF x < 3 THEN class = yes (0.9)", schema=schema)
    >>> q = LogicProgram.parse("IF x < 4 THEN class = yes (0.9) IF x >= 9 THEN class = yes (0.8)", schema=schema)
    >>> print(diff(p, q, {"x": [1, 2, 3, 4]}))
    first has 1 rule, second has 2: 1 changed, 1 only in second.
    <BLANKLINE>
    CHANGED rule 1 of first, rule 1 of second
      IF x < 3 THEN class = yes (0.9)
        x < 3  ->  x < 4
    <BLANKLINE>
    ONLY IN second: rule 2
      IF x >= 9 THEN class = yes (0.8)
    <BLANKLINE>
    1 of 4 rows is decided differently (25.0 %); probabilities differ by 0.225 on average.
      no  ->  yes: 1 row: 2
    """
    schema = join_schemas([p.schema, q.schema])
    first, second = (replace(program, schema=schema, rules=under_schema(program, schema)) for program in (p, q))
    old, new = ([canonical_rule(rule, program) for rule in program.rules] for program in (first, second))
    pairs = _pairs(old, new, schema)
    rules = [_rule_difference(i, j, old, new, schema) for i, j in _ordered(pairs, len(old), len(new))]
    rows = None if X is None else compare(p, q, X)
    return Difference(first, second, names, tuple(rules), _outputs(first, second), rows)


def _pairs(old: Sequence[Rule], new: Sequence[Rule], schema: Schema) -> dict[int, int]:
    """For each old rule the new one that is the same or it has changed into, if any; the most alike first."""
    found = []
    for i, before in enumerate(old):
        for j, after in enumerate(new):
            alike = _likeness(before, after, schema) if before.label == after.label else 0.0
            if alike >= ALIKE:
                found.append((-alike, abs(before.probability - after.probability), i, j))
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for _, _, i, j in sorted(found):
        if i not in pairs and j not in taken:
            pairs[i] = j
            taken.add(j)
    return pairs


def _likeness(one: Rule, other: Rule, schema: Schema) -> float:
    first, second = ({c.feature: c for c in rule.conditions} for rule in (one, other))
    asked = {*first, *second}
    points = 0.0
    for name in first.keys() & second.keys():
        if first[name] == second[name]:
            points += 1.0
        elif _meet(first[name], second[name], schema[name]):
            points += 0.5
    return points / len(asked) if asked else 1.0


def _meet(one: Condition, other: Condition, feature: Feature) -> bool:
    """Tell whether some value, not a missing one, satisfies both conditions by at least one half."""
    column: Column
    if feature.is_numeric:
        cuts = sorted({b.value for c in (one, other) if isinstance(c, IntervalCondition) for b in c.boundaries})
        # One point in each region that the boundaries tell apart; 0 and 1 are the ends of a probability.
        ends = [cuts[0] - 1.0, cuts[-1] + 1.0] if cuts else [0.0, 1.0]
        points = [*ends, *cuts, *((low + high) / 2 for low, high in pairwise(cuts))]
        column = np.array(points if feature.period is None else [point % feature.period for point in points])
    else:
        column = np.array([*range(len(feature.values)), UNSEEN], np.int32)
    both = np.minimum(membership(one, column, feature), membership(other, column, feature))
    return bool((both >= 0.5).any())


def _ordered(pairs: dict[int, int], n_old: int, n_new: int) -> list[tuple[int | None, int | None]]:
    """All rules: those of the first program in order, then those that only the second has."""
    matched = set(pairs.values())
    return [
        *((i, pairs.get(i)) for i in range(n_old)),
        *((None, j) for j in range(n_new) if j not in matched),
    ]


def _rule_difference(
    i: int | None, j: int | None, old: Sequence[Rule], new: Sequence[Rule], schema: Schema
) -> RuleDifference:
    before, after = None if i is None else old[i], None if j is None else new[j]
    numbers = None if i is None else i + 1, None if j is None else j + 1
    if before is None or after is None:
        return RuleDifference("only in second" if before is None else "only in first", before, after, *numbers)
    changes = condition_changes(before, after, schema, lambda one, other, feature: one == other)
    same = not changes and before.probability == after.probability
    return RuleDifference("same" if same else "changed", before, after, *numbers, changes)


def _outputs(p: LogicProgram, q: LogicProgram) -> tuple[OutputDifference, ...]:
    found = []
    for k, label in enumerate(p.schema.target.outputs):
        bias = p.biases[k], q.biases[k]
        threshold = (p.thresholds[k], q.thresholds[k]) if p.thresholds else None
        if bias[0] != bias[1] or (threshold is not None and threshold[0] != threshold[1]):
            found.append(OutputDifference(label, bias, threshold))
    return tuple(found)
