"""Learned programs keep to every constraint; constraints that clash are refused by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln import Constraints, LanguageOptions, NLNClassifier, TrainingOptions, datasets
from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.best_table import best_table
from nln.learning.descent.layout import Limits
from nln.rules import Feature, IntervalCondition, LogicProgram, Schema, Target
from tests.learning.oracle import NEGATION, Case, cases, table_objective

QUICK = {"starts": 1, "n_rules": 24, "training": TrainingOptions(epochs=12), "random_state": 0, "n_jobs": 1}
NAMES = ("colour", "on", "size", "x", "z")
ORDERED = ("size", "x", "z")
SIZES = ("S", "M", "L", "XL")


def table(seed: int, n: int = 160) -> tuple[pd.DataFrame, pd.Series]:
    """A table of every kind of feature with gaps, whose truth breaks most constraints, and its three classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "colour": rng.choice(list("rgbw"), n),
            "on": rng.integers(0, 2, n),
            "size": pd.Categorical(rng.choice(SIZES, n), SIZES, ordered=True),
            "x": np.where(rng.random(n) < 0.15, np.nan, rng.integers(0, 30, n) / 2),
            "z": rng.normal(size=n),
        }
    )
    first = ((X["colour"] == "r") & (X["x"] < 9)) | (X["z"].abs() > 1.2) | ((X["on"] == 1) & (X["size"] == "M"))
    second = (X["x"] > 11) | X["x"].isna()
    return X, pd.Series(np.where(first, "a", np.where(second ^ (rng.random(n) < 0.05), "b", "c")), name="y")


def learned(seed: int, constraints: Constraints | None, labels: int = 3, **options) -> LogicProgram:
    X, y = table(seed)
    y = y if labels == 3 else y.where(y == "a", "0")
    return NLNClassifier(**{**QUICK, **options}, constraints=constraints).fit(X, y).program_


@st.composite
def constraint_sets(draw) -> dict:
    forbidden = draw(st.lists(st.sampled_from(NAMES), max_size=2, unique=True))
    free = [name for name in NAMES if name not in forbidden]
    pairs = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2, unique=True).map(tuple)
    directions = st.dictionaries(
        st.sampled_from(ORDERED), st.sampled_from(["increasing", "decreasing", 1, -1]), max_size=3
    )
    return {
        "forbidden": forbidden,
        "forbidden_pairs": draw(st.lists(pairs, max_size=3)),
        "required": draw(st.lists(st.sampled_from(free), max_size=2, unique=True)),
        "monotone": draw(st.dictionaries(st.sampled_from("abc"), directions, max_size=2)),
        "max_rules_per_target": draw(
            st.none() | st.integers(1, 3) | st.dictionaries(st.sampled_from("abc"), st.integers(1, 3), max_size=2)
        ),
        "price_factors": draw(st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.3, 3.0]), max_size=2)),
    }


def check_rules(program: LogicProgram, given: dict) -> None:
    for rule in program.rules:
        asked = {condition.feature for condition in rule.conditions}
        assert not asked & set(given["forbidden"])
        assert not any({one, other} <= asked for one, other in given["forbidden_pairs"])
        assert not given["required"] or asked & set(given["required"])
    most = given["max_rules_per_target"]
    for label in program.schema.target.outputs:
        limit = most.get(label, 99) if isinstance(most, dict) else most or 99
        assert len(program.rules_for(label)) <= limit


def check_monotone(program: LogicProgram, label: str, name: str, way: int, seed: int) -> None:
    """Raise a feature step by step on many rows: the label's own probability never moves against the direction."""
    X, _ = table(seed, 40)
    k = program.schema.target.outputs.index(label)
    ladder = SIZES if name == "size" else sorted(set(np.linspace(-4, 17, 50).tolist()))
    alone = replace(
        program,
        schema=replace(program.schema, target=Target("y", "multilabel", ("a", "b", "c"))),
        thresholds=(0.5,) * 3,
    )
    before = None
    for value in ladder:
        column = pd.Categorical([value] * len(X), SIZES, ordered=True) if name == "size" else float(value)
        now = alone.predict_proba(X.assign(**{name: column}))[:, k] * way
        assert before is None or (now >= before - 1e-12).all()
        before = now


@settings(max_examples=25, deadline=None)
@given(constraint_sets(), st.integers(0, 5), st.sampled_from([None, 2]))
def test_learned_programs_keep_to_every_constraint(given_constraints, seed, most_conditions):
    constraints = Constraints(**given_constraints)
    program = learned(seed, constraints, language=LanguageOptions(max_conditions=most_conditions))
    check_rules(program, given_constraints)
    for label, ways in given_constraints["monotone"].items():
        for name, way in ways.items():
            check_monotone(program, label, name, 1 if way in (1, "increasing") else -1, seed)
    assert constraints.violations(program) == ()
    assert most_conditions is None or all(len(rule.conditions) <= most_conditions for rule in program.rules)


def random_limits(case: Case, seed: int) -> Limits:
    rng, n = np.random.default_rng(seed), case.n_features
    pairs = np.triu(rng.random((n, n)) < 0.3, 1)
    direction = rng.integers(-1, 2, (len(case.draft.output_bias), n)) * (case.layout.ordered == 1)
    factors = rng.choice([0.5, 1.0, 3.0], n)
    return Limits(pairs | pairs.T, rng.random(n) < 0.3, direction.astype(np.int64), factors)


@settings(max_examples=150, deadline=None)
@given(cases(), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.05, 0.5]), st.sampled_from([0, 1, 2]))
def test_drafts_keep_to_their_limits_after_every_sweep(case, seed, price, most):
    limits = random_limits(case, seed)
    descent = Descent(case.layout._replace(limits=limits, max_conditions=most), case.rows, case.draft)
    descent.conform()
    rng = np.random.default_rng(seed)
    for _ in range(3):
        for i in np.flatnonzero(descent.alive):
            parts = [descent.draft.tables[i, case.part(j)] for j in range(case.n_features)]
            asked = np.array([(part != 1).any() for part in parts])
            assert not (limits.pairs & asked[:, None] & asked).any()
            values = [part[: case.layout.n_known[j] + case.layout.has_other[j]] for j, part in enumerate(parts)]
            assert not limits.required.any() or any((values[j] != 1).any() for j in np.flatnonzero(limits.required))
            for j, way in enumerate(limits.direction[descent.draft.output[i]]):
                assert (np.diff(parts[j][: case.layout.n_known[j]]) * way >= 0).all()
        descent.sweep(price, rng)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.booleans(), st.sampled_from([1, -1]))
def test_best_table_with_a_direction_is_the_best_of_all_such_tables(seed, n, has_missing, direction):
    rng = np.random.default_rng(seed)
    s1, s2 = rng.normal(size=n + has_missing).round(1), rng.uniform(0.1, 1.0, n + has_missing).round(1)
    kind, price, out = (n, 0, int(has_missing), True), float(rng.choice([0.0, 0.1, 0.5])), np.empty(n + has_missing)
    best_table(s1, s2, *kind, price, NEGATION, True, np.arange(n + has_missing, dtype=float), out, direction)
    assert (np.diff(out[:n]) * direction >= 0).all()
    every = [np.ones(n + has_missing)]
    missing = [0.0, 1.0, *(np.clip(s1[n:] / np.maximum(s2[n:], 1e-9), 0, 1))] if has_missing else [None]
    for cut in range(n + 1):
        known = (np.arange(n) >= cut if direction > 0 else np.arange(n) < cut).astype(float)
        every += [known if p is None else np.append(known, p) for p in missing]
    best = min(table_objective(t, s1, s2, kind, price) for t in every)
    assert table_objective(out, s1, s2, kind, price) == pytest.approx(best, abs=1e-9)


def test_no_constraints_change_nothing():
    assert str(learned(0, None)) == str(learned(0, Constraints()))


def test_networks_do_not_see_forbidden_features():
    X, y = table(0)
    model = NLNClassifier(**QUICK, constraints=Constraints(forbidden=["z", "on"])).fit(X, y)
    assert len(model.network_.inputs.layout.kinds) == 3
    assert model.n_features_in_ == 5
    assert model.predict(X).shape == (len(X),)


def test_free_learning_breaks_what_constraints_forbid():
    # Else the tests above would show nothing.
    program = learned(0, None)
    free = Constraints(forbidden=["z"], monotone={"a": {"z": 1}}, required=["on"], max_rules_per_target=1)
    said = " ".join(free.violations(program))
    for breach in ("forbidden", "not increasing in 'z'", "required features 'on'", "allowed: 1"):
        assert breach in said


@pytest.mark.parametrize("cheap", ["first", "second"])
def test_of_two_features_that_say_the_same_the_cheaper_is_asked_about(cheap):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"first": rng.choice(list("ab"), 200), "z": rng.normal(size=200)})
    X["second"] = X["first"].map({"a": "c", "b": "d"})
    factors = {"first": 1.0, "second": 1.0} | {cheap: 0.2}
    model = NLNClassifier(**QUICK, constraints=Constraints(price_factors=factors)).fit(X, X["first"] == "a")
    assert model.program_.features_used == (cheap,)


def test_required_feature_is_kept_even_where_it_hurts():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=300), "noise": rng.choice(list("abc"), 300)})
    model = NLNClassifier(**QUICK, constraints=Constraints(required=["noise"])).fit(X, X["x"] > 0)
    assert model.program_.n_rules
    assert all("noise" in {c.feature for c in rule.conditions} for rule in model.program_.rules)
    assert "x" in model.program_.features_used


def test_monotone_feature_of_two_classes_is_named_alone():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"x": rng.normal(size=400)})
    y = np.where(X["x"].abs() > 0.5, "yes", "no")
    for way, side in ((1, "low"), (-1, "high")):
        program = NLNClassifier(**QUICK, constraints=Constraints(monotone={"x": way})).fit(X, y).program_
        found = [c for rule in program.rules for c in rule.conditions]
        assert found
        assert all(isinstance(c, IntervalCondition) and len(c.boundaries) == 1 for c in found)
        assert all(getattr(c.intervals[0], side) is not None for c in found)


def test_most_rules_by_class():
    X, y = datasets.load_wine()
    labels = sorted(set(y))
    model = NLNClassifier(**QUICK, constraints=Constraints(max_rules_per_target={labels[0]: 1, labels[1]: 2})).fit(X, y)
    assert len(model.program_.rules_for(labels[0])) <= 1
    assert len(model.program_.rules_for(labels[1])) <= 2


@pytest.mark.parametrize(
    ("given_constraints", "error", "said"),
    [
        ({"forbidden": ["x"], "required": ["x"]}, ValueError, "'x' is both required and forbidden"),
        ({"forbidden_pairs": [("x", "x")]}, ValueError, "pairs 'x' with itself"),
        ({"forbidden_pairs": ["xz"]}, TypeError, "'xz', which is not a pair"),
        ({"forbidden_pairs": [("x", "y", "z")]}, TypeError, "not a pair"),
        ({"forbidden": "x"}, TypeError, "forbidden must be a list of column names, not 'x'"),
        ({"required": [3]}, TypeError, "required holds 3"),
        ({"monotone": {"x": "up"}}, ValueError, "'up' for 'x'; allowed: 'increasing'"),
        ({"monotone": {"x": True}}, ValueError, "True for 'x'"),
        ({"monotone": ["x"]}, TypeError, "monotone must be a mapping"),
        ({"price_factors": {"x": 0}}, ValueError, "price factor of 'x' must be a number above 0, not 0"),
        ({"max_rules_per_target": 0}, ValueError, "at least 1, not 0"),
        ({"max_rules_per_target": {"a": 1.5}}, ValueError, "of 'a' must be an integer"),
    ],
)
def test_constraints_that_mean_nothing_are_refused(given_constraints, error, said):
    with pytest.raises(error, match=said):
        Constraints(**given_constraints)


@pytest.mark.parametrize(
    ("given_constraints", "said"),
    [
        ({"forbidden": ["zz"]}, "'zz', but X has no such column. Did you mean 'z'"),
        ({"forbidden_pairs": [("x", "age")]}, "'age', but X has no such column"),
        ({"monotone": {"a": {"age": 1}}}, "'age', but X has no such column"),
        ({"price_factors": {"age": 2}}, "'age', but X has no such column"),
        ({"monotone": {"a": {"colour": 1}}}, "categorical feature 'colour' for 'a'"),
        ({"monotone": {"a": {"on": 1}}}, "binary feature 'on'"),
        ({"monotone": {"x": 1}}, r"'x' for no label, but the target has 3: write {'a': {'x': 'increasing'}}"),
        ({"monotone": {"d": {"x": 1}}}, "monotone names 'd'; rules conclude 'a', 'b', 'c'"),
        ({"max_rules_per_target": {"d": 1}}, "max_rules_per_target names 'd'"),
        ({"forbidden": NAMES}, "every feature is forbidden"),
        ({"fixed_rules": True}, "initial_program, but none is given"),
    ],
)
def test_constraints_that_clash_with_the_table_are_refused(given_constraints, said):
    with pytest.raises(ValueError, match=said):
        learned(0, Constraints(**given_constraints))


def test_columns_that_tell_nothing_may_be_named_but_not_alone_required():
    X, y = table(0)
    X = X.assign(same=1.0)
    with pytest.warns(UserWarning, match="same"):
        NLNClassifier(**QUICK, constraints=Constraints(forbidden=["same"], monotone={"a": {"same": 1}})).fit(X, y)
    with pytest.warns(UserWarning, match="same"), pytest.raises(ValueError, match="required features 'same'"):
        NLNClassifier(**QUICK, constraints=Constraints(required=["same"])).fit(X, y)


def test_constraints_of_the_wrong_type_are_refused():
    with pytest.raises(TypeError, match="constraints must be a Constraints or None"):
        learned(0, {"forbidden": ["x"]})


def test_violations_name_the_rule():
    features = (Feature("x", "continuous"), Feature("z", "continuous"))
    schema = Schema(features, Target("class", "binary", ("no", "yes")))
    program = LogicProgram.parse("IF x < 3 AND z >= 2 THEN class = yes IF z < 1 THEN class = yes", schema=schema)
    pairs = Constraints(forbidden_pairs=[("z", "x")], required=["x"], monotone={"x": -1})
    assert pairs.violations(program) == (
        "Rule 1 asks about both 'z' and 'x', a forbidden pair.",
        "Rule 2 asks about none of the required features 'x'.",
    )
