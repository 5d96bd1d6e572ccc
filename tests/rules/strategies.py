"""Hypothesis strategies for schemas, programs and tables; every part of the rule language is reached."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

from hypothesis import strategies as st

from nln.rules import (
    Boundary,
    Condition,
    Coverage,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    Schema,
    Target,
    Value,
    ValueCondition,
)
from nln.rules.cells import holds_numbers
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.count import Count
from nln.rules.derived.make import count_of, derived_feature
from nln.rules.derived.same import Same
from nln.rules.language.words import KEYWORDS
from nln.rules.schema import FEATURE_KINDS, TARGET_KINDS, FeatureKind
from nln.rules.simplify import canonical_condition

UNSEEN = "a value that no feature lists"
UNSEEN_NUMBER = 987654.25
"""The same for features of numbers, which refuse text."""

SPECIAL = (*KEYWORDS, "IF", "weight", "row", "starts", "start", "%")

probabilities = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))
numbers = st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False))
widths = st.one_of(st.just(0.0), st.floats(0.01, 10), st.floats(0, 1e300))
periods = st.sampled_from([24.0, 7.0, 360.0, 2 * math.pi, 0.1, 1e6]) | st.floats(1e-3, 1e3)
words = st.one_of(
    st.sampled_from([*SPECIAL, "True", "p", "P", "x", "1", "-1", "1e5", "10th", "a b", "#", '"', "\\", "", "±"]),
    st.text(max_size=8),
    st.from_regex(r"[a-zß-ɏ_][a-z0-9_.%/-]{0,6}", fullmatch=True),
)
NAMES = st.lists(words, min_size=1, max_size=4, unique=True)
values: st.SearchStrategy[Value] = st.one_of(
    words,
    st.booleans(),
    st.integers(-5, 5),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)


@st.composite
def features(draw: st.DrawFn, name: str, kind: FeatureKind | None = None) -> Feature:
    kind = kind or draw(st.sampled_from(FEATURE_KINDS))
    if kind == "continuous":
        ends = st.lists(numbers, min_size=2, max_size=2).map(lambda pair: tuple(sorted(pair)))
        return Feature(name, kind, whole=draw(st.booleans()), range=draw(st.none() | ends))
    if kind == "probability":
        return Feature(name, kind)
    if kind == "periodic":
        return Feature(name, kind, period=draw(periods))
    most = 2 if kind == "binary" else 5
    known = draw(
        st.lists(
            values.filter(lambda v: v not in (UNSEEN, UNSEEN_NUMBER)), min_size=min(2, most), max_size=most, unique=True
        )
    )
    return Feature(name, kind, tuple(known))


@st.composite
def targets(draw: st.DrawFn) -> Target:
    kind = draw(st.sampled_from(TARGET_KINDS))
    least, most = {"binary": (2, 2), "multiclass": (2, 4), "multilabel": (1, 4)}[kind]
    labels = draw(st.lists(values, min_size=least, max_size=most, unique=True))
    return Target(draw(words), kind, tuple(labels))


@st.composite
def schemas(draw: st.DrawFn, names: st.SearchStrategy[list[str]] = NAMES) -> Schema:
    names = draw(names)
    schema = Schema(tuple(draw(features(name)) for name in names), draw(targets()))
    if not draw(st.booleans()):
        return schema
    # Calculations join columns of numbers, or columns with the same values.
    alike = draw(st.sampled_from(["continuous", "categorical", None]))
    first = draw(features(names[0], alike)) if alike else None
    columns = tuple(replace(first, name=name) for name in names) if first else schema.features
    schema = Schema(columns, schema.target)
    for _ in range(draw(st.integers(1, 3))):
        schema = draw(with_calculation(schema))
    return schema


@st.composite
def with_calculation(draw: st.DrawFn, schema: Schema) -> Schema:
    """The schema with one more feature that is calculated from others; as it is if there are no such."""
    kinds = [draw(each(schema)) for each in (arithmetic, sameness, counts)]
    possible = [derived for derived in kinds if derived is not None]
    if not possible:
        return schema
    derived = draw(st.sampled_from(possible))
    name = draw(st.none() | words)
    feature = derived_feature(derived, None if name in schema.names else name)
    known = {f.derived.canonical()[0] if isinstance(f.derived, Arithmetic) else f.derived for f in schema.features}
    same = derived.canonical()[0] if isinstance(derived, Arithmetic) else derived
    return schema if feature.name in schema.names or same in known else schema.with_features([feature])


@st.composite
def arithmetic(draw: st.DrawFn, schema: Schema) -> Arithmetic | None:
    """An expression over columns of numbers."""
    names = [feature.name for feature in schema.features if feature.kind == "continuous" and feature.derived is None]
    if len(names) < 2:
        return None
    found = Arithmetic.column(draw(st.sampled_from(names)))
    for _ in range(draw(st.integers(1, 3))):
        other = Arithmetic.column(draw(st.sampled_from(names)))
        if draw(st.booleans()) and len(found.mentions) > 1:
            other = other.join("*", Arithmetic.column(draw(st.sampled_from(names))))
        try:
            found = found.join(draw(st.sampled_from("+-*/")), other)
        except ValueError:  # no normal form
            continue
    return found if len(found.mentions) > 1 else None


@st.composite
def sameness(draw: st.DrawFn, schema: Schema) -> Same | None:
    """A question whether two columns hold the same value, if two have the same values."""
    pairs = [
        Same((one.name, other.name))
        for one, other in itertools.combinations(schema.features, 2)
        if {one.kind, other.kind} <= {"binary", "categorical", "ordinal"}
        and one.derived is other.derived is None
        and {(isinstance(v, str), v) for v in one.values} == {(isinstance(v, str), v) for v in other.values}
    ]
    return draw(st.sampled_from(pairs)) if pairs else None


@st.composite
def counts(draw: st.DrawFn, schema: Schema) -> Count | None:
    """A count of crisp conditions."""
    some = [f for f in schema.features if f.kind != "probability" and not isinstance(f.derived, Count)]
    if len(some) < 2:
        return None
    asked = draw(st.lists(st.sampled_from(some), min_size=2, max_size=4, unique=True))
    return count_of([draw(members(feature)) for feature in asked], schema.by_name)


@st.composite
def members(draw: st.DrawFn, feature: Feature) -> Condition:
    """A condition that can be a member of a count."""
    found = replace(draw(conditions(feature)), missing=0.0)
    if isinstance(found, IntervalCondition):
        ends = [None if end is None else Boundary(end.value) for i in found.intervals for end in (i.low, i.high)]
        found = replace(found, intervals=tuple(map(Interval, ends[::2], ends[1::2])))
    return found


@st.composite
def unions(draw: st.DrawFn, feature: Feature) -> tuple[Interval, ...]:
    """Disjoint intervals, some of them touching."""
    if feature.period is not None:
        shares = draw(st.lists(st.integers(1, 47).map(lambda n: n / 48), max_size=4, unique=True))
        ends = [Boundary(share * feature.period) for share in sorted(shares)]
    elif feature.is_numeric:
        found = st.integers(-5, 5) | numbers if feature.whole else numbers
        places = sorted(draw(st.lists(found, max_size=4, unique=True)))
        ends = [Boundary(place, draw(widths)) for place in places]
    else:
        ranks = st.integers(1, len(feature.values) - 1)
        ends = [Boundary(float(rank)) for rank in sorted(draw(st.lists(ranks, max_size=4, unique=True)))]
    pairs = list(zip([None, *ends], [*ends, None], strict=True))
    used = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return tuple(Interval(*pair) for pair, use in zip(pairs, used, strict=True) if use)


@st.composite
def conditions(draw: st.DrawFn, feature: Feature) -> Condition:
    missing = 0.0 if isinstance(feature.derived, Count) else draw(probabilities)
    if feature.is_ordered:
        return IntervalCondition(feature.name, draw(unions(feature)), missing)
    chosen = draw(st.lists(st.sampled_from(feature.values), unique=True))
    found = ValueCondition(feature.name, tuple(chosen), draw(st.booleans()), missing)
    # Of `a is b`, the text knows the canonical forms only.
    return found if feature.is_named else canonical_condition(found, feature)


@st.composite
def coverages(draw: st.DrawFn) -> Coverage:
    of_rows = draw(st.integers(0, 10**6))
    rows, of_hits = draw(st.integers(0, of_rows)), draw(st.integers(0, of_rows))
    return Coverage(rows, of_rows, draw(st.integers(0, min(rows, of_hits))), of_hits)


@st.composite
def rules(draw: st.DrawFn, schema: Schema) -> Rule:
    asked = draw(st.lists(st.sampled_from(schema.features), unique=True))
    return Rule(
        tuple(draw(conditions(feature)) for feature in asked),
        draw(st.sampled_from(schema.target.outputs)),
        draw(probabilities),
        draw(st.none() | coverages()),
        draw(st.none() | st.integers(1, 9).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))),
    )


@st.composite
def programs(draw: st.DrawFn, names: st.SearchStrategy[list[str]] = NAMES) -> LogicProgram:
    schema = draw(schemas(names))
    outputs = len(schema.target.outputs)
    some = draw(st.lists(rules(schema), max_size=5))
    # Repeated conditions are what simplification and the evaluation's cache are about.
    again = draw(st.lists(st.sampled_from(some), max_size=2)) if some else []
    is_multiclass = schema.target.kind == "multiclass"
    thresholds = 0 if is_multiclass and draw(st.booleans()) else outputs
    limits = st.sampled_from([0.001, 0.1, 0.5, 1.0]) | st.floats(0.001, 1.0) if is_multiclass else probabilities
    return LogicProgram(
        schema,
        tuple(some + again),
        tuple(draw(st.lists(probabilities, min_size=outputs, max_size=outputs))),
        tuple(draw(st.lists(limits, min_size=thresholds, max_size=thresholds))),
    )


def unseen(feature: Feature) -> Value:
    """A value that a feature does not list, of a type that it takes."""
    return UNSEEN_NUMBER if holds_numbers(feature) else UNSEEN


def entries(feature: Feature, program: LogicProgram) -> st.SearchStrategy[object]:
    """What a cell may hold: missing, unseen, infinite, on a boundary and next to it, turns away from it."""
    if feature.kind == "probability":
        return st.sampled_from([0, 1, 0.5, True, None, math.nan, 1e-300, 1.0]) | st.floats(0, 1)
    if not feature.is_numeric:
        return st.sampled_from([*feature.values, None, math.nan, unseen(feature)])
    places = [
        boundary.value
        for rule in program.rules
        for condition in rule.conditions
        if condition.feature == feature.name and isinstance(condition, IntervalCondition)
        for boundary in condition.boundaries
    ]
    if feature.period is not None:
        places += [0.0, feature.period]
        places += [place + turns * feature.period for place in places for turns in (-3, -1, 1, 1000)]
    near = [math.nextafter(place, end) for place in places for end in (-math.inf, math.inf)]
    return st.sampled_from([*places, *near, None, math.nan, math.inf, -math.inf]) | numbers


@st.composite
def programs_and_rows(draw: st.DrawFn) -> tuple[LogicProgram, list[dict[str, object]]]:
    program = draw(programs())
    plain = program.schema.plain(program.schema.names)
    row = st.fixed_dictionaries({feature.name: entries(feature, program) for feature in plain})
    return program, draw(st.lists(row, min_size=1, max_size=6))
