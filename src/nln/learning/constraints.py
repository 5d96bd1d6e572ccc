"""What learned rules must keep to besides the language: features, pairs, directions, numbers of rules, preferences."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nln.learning.units import Units, are_comparable
from nln.rules import IntervalCondition, LogicProgram, Rule, Schema, Value
from nln.rules.schema import Target
from nln.rules.validate import listed
from nln.tables.encoding import Encoding
from nln.tables.infer import check_column

if TYPE_CHECKING:
    from nln.learning.descent.layout import Limits

DIRECTIONS = {"increasing": 1, "decreasing": -1}
MONOTONE_KINDS = ("continuous", "ordinal")
"""Kinds of features whose values have an order from low to high."""


@dataclass(frozen=True)
class Constraints:
    """What every rule of a learned program must obey.

    Parameters
    ----------
    forbidden : list of str, default=()
        Features that no rule may ask about. The networks do not see them either.
    forbidden_pairs : list of (str, str), default=()
        Pairs of features that never occur together in one rule.
    required : list of str, default=()
        Every rule asks for the value of at least one of these features. A rule that cannot is dropped. `not missing`
        alone does not count.
    monotone : dict, default={}
        With `{"age": "increasing"}` (or 1), a larger age never makes the positive class less probable: rules may only
        ask `age >= ...`. "decreasing" (or -1) allows only `age < ...`. With several classes or labels, the dict names
        them: `{"ill": {"age": "increasing"}}`. It is about the label's own probability, before the probabilities of
        classes are divided by their sum. The feature must be continuous or ordinal. Missing values have no place in
        the order, so rules may say anything about them.
    max_rules_per_target : int or dict, default=None
        The most rules for each label, or by label: `{"ill": 3}`. None means no limit.
    price_factors : dict of str to float, default={}
        Each literal of a feature costs this many times the price. A factor below 1 prefers the feature, a factor above
        1 avoids it.
    fixed_rules : bool, default=False
        Whether the rules of `initial_program` keep their conditions and stay in the program, whatever the rows say.
        The weight of each becomes the share of its label among the rows that it covers.
    comparable : list of list of str, default=()
        Groups of columns that are measured alike, such as `[["systolic", "diastolic"], ["left_eye", "right_eye"]]`. If
        there are any, learned calculations add, subtract and compare (`a is b`) only columns of one group; the spreads
        of columns then do not matter. Two products are alike if their factors are, one by one. Products and ratios stay
        free. Calculations that you named yourself are left alone.

    Examples
    --------
    >>> Constraints(forbidden=["name"], monotone={"age": 1}).monotone
    {'age': 'increasing'}
    >>> Constraints(forbidden=["age"], required=["age", "weight"])
    Traceback (most recent call last):
    ValueError: Constraints: 'age' is both required and forbidden.
    """

    forbidden: Collection[str] = ()
    forbidden_pairs: Collection[tuple[str, str]] = ()
    required: Collection[str] = ()
    monotone: Mapping[Any, Any] = field(default_factory=dict)
    max_rules_per_target: int | Mapping[Value, int] | None = None
    price_factors: Mapping[str, float] = field(default_factory=dict)
    fixed_rules: bool = False
    comparable: Collection[Collection[str]] = ()

    def __post_init__(self) -> None:
        for name in ("forbidden", "required"):
            object.__setattr__(self, name, _names(getattr(self, name), name))
        object.__setattr__(self, "forbidden_pairs", _pairs(self.forbidden_pairs))
        object.__setattr__(self, "comparable", _groups(self.comparable))
        object.__setattr__(self, "monotone", _directions(_mapping(self.monotone, "monotone"), nested=True))
        factors = _mapping(self.price_factors, "price_factors")
        object.__setattr__(self, "price_factors", {name: _factor(name, f) for name, f in factors.items()})
        most = self.max_rules_per_target
        if isinstance(most, Mapping):
            object.__setattr__(self, "max_rules_per_target", {label: _most(n, label) for label, n in most.items()})
        elif most is not None:
            object.__setattr__(self, "max_rules_per_target", _most(most))
        both = [name for name in self.required if name in self.forbidden]
        if both:
            raise ValueError(f"Constraints: {listed(both)} is both required and forbidden.")

    def check(self, schema: Schema, columns: Sequence[str]) -> None:
        """Check against a table: all its columns, and the schema of those with at least two different values.

        Raises
        ------
        ValueError
            If a column, a label or the kind of a feature does not fit; the message names it.
        """
        for name in self.named():
            check_column(name, (*columns, *schema.names), "Constraints name")
        if schema.names and all({f.name, *f.columns} & {*self.forbidden} for f in schema.features):
            raise ValueError(
                f"Constraints: every feature is forbidden ({listed(schema.names)}); leave one to ask about."
            )
        if self.required and not set(schema.names) & set(self.required):
            raise ValueError(
                f"Constraints: none of the required features {listed(self.required)} has two different values."
            )
        for label, name, _ in self._monotone(schema.target):
            if name in schema.names and schema[name].kind not in MONOTONE_KINDS:
                raise ValueError(
                    f"Constraints: monotone names the {schema[name].kind} feature {name!r} for {label!r}; only "
                    f"{' and '.join(MONOTONE_KINDS)} features have an order. Give the order of its values in "
                    "feature_types to make it ordinal."
                )
        self.most_rules(schema.target)

    def most_rules(self, target: Target) -> dict[Value, int]:
        """Most rules of each output that has a limit."""
        most = self.max_rules_per_target
        if most is None:
            return {}
        if not isinstance(most, Mapping):
            return dict.fromkeys(target.outputs, most)
        for label in most:
            _check_label(label, target, "max_rules_per_target")
        return dict(most)

    @property
    def units(self) -> Units | None:
        """Number of the group of comparable columns that each column is in; None if there are no groups."""
        return {name: number for number, group in enumerate(self.comparable) for name in group} or None

    def limits(self, encoding: Encoding, target: Target) -> Limits | None:
        """The constraints as the descent takes them; None if it is free. Features outside the encoding are skipped."""
        from nln.learning.descent.layout import Limits  # what learning needs, constraints alone do not

        names = [slots.feature.name for slots in encoding.slots]
        pairs = np.zeros((len(names), len(names)), np.bool_)
        for one, other in self.forbidden_pairs:
            if one in names and other in names:
                i, j = names.index(one), names.index(other)
                pairs[i, j] = pairs[j, i] = True
        direction = np.zeros((len(target.outputs), len(names)), np.int64)
        for label, name, way in self._monotone(target):
            if name in names:
                direction[target.outputs.index(label), names.index(name)] = DIRECTIONS[way]
        required = np.array([name in self.required for name in names], np.bool_)
        factors = np.array([self.price_factors.get(name, 1.0) for name in names], np.float64)
        free = not (pairs.any() or direction.any() or required.any() or (factors != 1.0).any())
        return None if free else Limits(pairs, required, direction, factors)

    def violations(self, program: LogicProgram) -> tuple[str, ...]:
        """Say where a program breaks the constraints; price factors cannot be broken.

        Parameters
        ----------
        program : LogicProgram
            Any program, learned or written.

        Returns
        -------
        tuple of str
            One sentence per breach.

        Examples
        --------
        >>> from nln.rules import Feature, Target
        >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
        >>> program = LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)
        >>> Constraints(monotone={"x": "increasing"}).violations(program)
        ("Rule 1 for 'yes' is not increasing in 'x'.",)
        """
        target = program.schema.target
        ways = {(label, name): DIRECTIONS[way] for label, name, way in self._monotone(target)}
        found: list[str] = []
        for number, rule in enumerate(program.rules, 1):
            found += (f"Rule {number} {breach}" for breach in self._breaches(rule, ways, program.schema))
        for label, most in self.most_rules(target).items():
            count = len(program.rules_for(label))
            if count > most:
                found.append(f"There are {count} rules for {label!r}; allowed: {most}.")
        return tuple(found)

    def _breaches(self, rule: Rule, ways: Mapping[tuple[Value, str], int], schema: Schema) -> Iterator[str]:
        asked = {condition.feature: condition for condition in rule.conditions}
        read = {*asked, *(column for name in asked for column in schema[name].columns)}
        yield from (f"asks about {name!r}, which is forbidden." for name in self.forbidden if name in read)
        for one, other in self.forbidden_pairs:
            if one in asked and other in asked:
                yield f"asks about both {one!r} and {other!r}, a forbidden pair."
        if self.required and not asked.keys() & set(self.required):
            yield f"asks about none of the required features {listed(self.required)}."
        learned = {name: schema[name].derived for name in asked if not schema[name].is_named}
        for name, derived in learned.items():
            if self.units and derived is not None and not are_comparable(derived, self.units):
                yield f"asks about {name!r}, which takes columns together that are not comparable."
        for name, condition in asked.items():
            way = ways.get((rule.label, name), 0)
            if way and isinstance(condition, IntervalCondition) and not _is_monotone(condition, way):
                yield f"for {rule.label!r} is not {'increasing' if way > 0 else 'decreasing'} in {name!r}."

    def _monotone(self, target: Target) -> Iterator[tuple[Value, str, str]]:
        """Label, feature and direction of each monotone feature."""
        for key, ways in self.monotone.items():
            if isinstance(ways, Mapping):
                _check_label(key, target, "monotone")
                yield from ((key, name, way) for name, way in ways.items())
            elif len(target.outputs) == 1:
                yield target.outputs[0], key, ways
            else:
                raise ValueError(
                    f"Constraints: monotone names {key!r} for no label, but the target has {len(target.outputs)}: "
                    f"write {{{target.outputs[0]!r}: {{{key!r}: {ways!r}}}}}."
                )

    def named(self) -> Iterator[str]:
        """Names of the features that the constraints are about."""
        yield from self.forbidden
        yield from self.required
        yield from (name for pair in self.forbidden_pairs for name in pair)
        yield from (name for group in self.comparable for name in group)
        yield from self.price_factors
        for key, ways in self.monotone.items():
            yield from ways if isinstance(ways, Mapping) else (key,)


def _is_monotone(condition: IntervalCondition, way: int) -> bool:
    """Whether membership of known values never falls (1) or never rises (-1): one boundary at most, on its side."""
    ends = [(interval.low, interval.high) for interval in condition.intervals]
    return len(ends) <= 1 and all((high if way > 0 else low) is None for low, high in ends)


def _check_label(label: Any, target: Target, where: str) -> None:
    if label not in target.outputs:
        raise ValueError(f"Constraints: {where} names {label!r}; rules conclude {listed(target.outputs)}.")


def _names(names: Any, where: str) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Collection):
        raise TypeError(f"Constraints: {where} must be a list of column names, not {names!r}.")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"Constraints: {where} holds {name!r}, which is not the name of a column.")
    return tuple(dict.fromkeys(names))


def _pairs(pairs: Any) -> tuple[tuple[str, str], ...]:
    if isinstance(pairs, str) or not isinstance(pairs, Collection):
        raise TypeError(f"Constraints: forbidden_pairs must be a list of pairs of column names, not {pairs!r}.")
    result = []
    for pair in pairs:
        is_sequence = isinstance(pair, Sequence) and not isinstance(pair, str)
        if not (is_sequence and len(pair) == 2 and all(isinstance(name, str) for name in pair)):
            raise TypeError(f"Constraints: forbidden_pairs holds {pair!r}, which is not a pair of column names.")
        if pair[0] == pair[1]:
            raise ValueError(
                f"Constraints: forbidden_pairs pairs {pair[0]!r} with itself; list it as forbidden instead."
            )
        result.append((pair[0], pair[1]))
    return tuple(result)


def _groups(groups: Any) -> tuple[tuple[str, ...], ...]:
    if isinstance(groups, str) or not isinstance(groups, Collection):
        raise TypeError(f"Constraints: comparable must be a list of lists of column names, not {groups!r}.")
    found, seen = [], set[str]()
    for group in groups:
        names = _names(group, "comparable")
        if len(names) < 2:
            raise ValueError(f"Constraints: comparable holds {[*names]!r}; a group has at least two columns.")
        if twice := seen & {*names}:
            raise ValueError(f"Constraints: comparable has {listed(sorted(twice))} in two groups. Join the groups.")
        seen |= {*names}
        found.append(names)
    return tuple(found)


def _mapping(value: Any, where: str) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"Constraints: {where} must be a mapping, not {value!r}.")
    return value


def _directions(ways: Mapping[Any, Any], *, nested: bool) -> dict[Any, Any]:
    return {
        key: _directions(way, nested=False) if nested and isinstance(way, Mapping) else _direction(key, way)
        for key, way in ways.items()
    }


def _direction(name: Any, way: Any) -> str:
    if isinstance(way, str) and way in DIRECTIONS:
        return way
    if isinstance(way, numbers.Integral) and not isinstance(way, bool) and way in (1, -1):
        return "increasing" if way == 1 else "decreasing"
    raise ValueError(f"Constraints: monotone says {way!r} for {name!r}; allowed: 'increasing' (1), 'decreasing' (-1).")


def _factor(name: Any, factor: Any) -> float:
    if isinstance(factor, bool) or not isinstance(factor, numbers.Real) or not 0 < float(factor) < math.inf:
        raise ValueError(f"Constraints: the price factor of {name!r} must be a number above 0, not {factor!r}.")
    return float(factor)


def _most(most: Any, label: Any = None) -> int:
    if isinstance(most, bool) or not isinstance(most, numbers.Integral) or int(most) < 1:
        of = "" if label is None else f" of {label!r}"
        raise ValueError(f"Constraints: max_rules_per_target{of} must be an integer of at least 1, not {most!r}.")
    return int(most)
