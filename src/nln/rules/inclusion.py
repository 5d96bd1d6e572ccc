"""Which rules hold only where another rule holds: for two rules, and for one rule among thousands."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from nln.rules.condition import Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.rule import Rule
from nln.rules.schema import Schema, Value


def includes(outer: Rule, inner: Rule) -> bool:
    """Tell whether a crisp canonical rule certainly holds on every possible row where another rule may hold.

    A fuzzy boundary of `inner` counts as reaching everywhere.
    """
    inner_conditions = {condition.feature: condition for condition in inner.conditions}
    return all(
        condition.feature in inner_conditions and _condition_includes(condition, inner_conditions[condition.feature])
        for condition in outer.conditions
    )


def _condition_includes(outer: Condition, inner: Condition) -> bool:
    if inner.missing > 0 and outer.missing < 1:
        return False
    if isinstance(outer, ValueCondition) and isinstance(inner, ValueCondition):
        mine, others = set(outer.values), set(inner.values)
        if inner.negated:  # unseen values satisfy a negated condition only
            return outer.negated and mine <= others
        return mine.isdisjoint(others) if outer.negated else others <= mine
    if isinstance(outer, IntervalCondition) and isinstance(inner, IntervalCondition):
        return all(any(_interval_includes(o, i) for o in outer.intervals) for i in inner.intervals)
    return False


def _interval_includes(outer: Interval, inner: Interval) -> bool:
    low = None if inner.low is None or inner.low.width else inner.low.value
    high = None if inner.high is None or inner.high.width else inner.high.value
    return (outer.low is None or (low is not None and outer.low.value <= low)) and (
        outer.high is None or (high is not None and high <= outer.high.value)
    )


class Including:
    """Crisp canonical rules, among which those that may include another one are found without asking all of them.

    Rules are kept by label and features, each such group under the rarest of its features. Within a group, the ends
    of the conditions on numbers and one value of those on values leave few rules to compare.
    """

    def __init__(self, rules: Sequence[Rule], schema: Schema) -> None:
        groups: dict[tuple[Value, frozenset[str]], list[Rule]] = {}
        for rule in rules:
            groups.setdefault((rule.label, frozenset(c.feature for c in rule.conditions)), []).append(rule)
        times = Counter(name for _, names in groups for name in names)
        self._groups: dict[tuple[Value, str | None], list[tuple[frozenset[str], _Group]]] = {}
        for (label, names), members in groups.items():
            rarest = min(sorted(names), key=lambda name: times[name], default=None)
            self._groups.setdefault((label, rarest), []).append((names, _Group(members, sorted(names), schema)))

    def include(self, rule: Rule) -> bool:
        """Tell whether one of the rules, but not the rule itself, includes a rule of the same label."""
        conditions = {condition.feature: condition for condition in rule.conditions}
        for name in (None, *conditions):
            for names, group in self._groups.get((rule.label, name), ()):
                if names <= conditions.keys():
                    for other in group.candidates(conditions):
                        if other is not rule and includes(other, rule):
                            return True
        return False


class _Group:
    """Rules that ask about the same features."""

    def __init__(self, rules: list[Rule], names: list[str], schema: Schema) -> None:
        self.rules = rules
        conditions = [{c.feature: c for c in rule.conditions} for rule in rules]
        asked = {name: [each[name] for each in conditions] for name in names}
        ordered = [name for name in names if schema[name].is_ordered]
        self.ends = {name: np.array([_ends(condition) for condition in asked[name]]) for name in ordered}
        self.listed = next((name for name in names if name not in self.ends), None)
        self.listing: dict[Value, list[int]] = {}  # rules by the values that they list
        self.negated: list[int] = []
        for place, condition in enumerate(asked[self.listed] if self.listed is not None else ()):
            assert isinstance(condition, ValueCondition)
            if condition.negated:
                self.negated.append(place)
            for value in () if condition.negated else condition.values:
                self.listing.setdefault(value, []).append(place)

    def candidates(self, conditions: dict[str, Condition]) -> Iterator[Rule]:
        """Yield the rules that may include one with these conditions."""
        places: NDArray[np.intp] = np.arange(len(self.rules))
        asked = None if self.listed is None else conditions[self.listed]
        if isinstance(asked, ValueCondition) and (asked.negated or asked.values):
            listing = [] if asked.negated else self.listing.get(asked.values[0], [])
            places = np.array([*listing, *self.negated], np.intp)
        for name, ends in self.ends.items():
            low, high = _ends(conditions[name])
            places = places[(ends[places, 0] <= low) & (ends[places, 1] >= high)]
        return (self.rules[place] for place in places.tolist())


def _ends(condition: Condition) -> tuple[float, float]:
    """Return where a condition on an ordered feature begins and ends; a fuzzy boundary reaches everywhere."""
    assert isinstance(condition, IntervalCondition)
    if not condition.intervals:
        return math.inf, -math.inf
    lows = (-math.inf if i.low is None or i.low.width else i.low.value for i in condition.intervals)
    highs = (math.inf if i.high is None or i.high.width else i.high.value for i in condition.intervals)
    return min(lows), max(highs)
