import itertools
import math
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.rules import Boundary, Feature, Interval, IntervalCondition, LogicProgram, Rule, Schema, Target, ValueCondition
from nln.rules.explain.combinations import find_boxes
from tests.rules.kidney import PROGRAM, SICK
from tests.rules.strategies import programs_and_rows

TARGETS = (
    Target("class", "binary", ("no", "yes")),
    Target("class", "multiclass", ("a", "b", "c")),
    Target("", "multilabel", ("p", "q")),
)
FEATURES = (
    Feature("x", "continuous", range=(0, 4.5)),
    Feature("y", "continuous", whole=True),
    Feature("colour", "categorical", ("red", "green", "blue")),
    Feature("size", "ordinal", ("small", "medium", "large")),
)


@st.composite
def crisp_conditions(draw, feature):
    if not feature.is_ordered:
        chosen = draw(st.lists(st.sampled_from(feature.values), min_size=1, max_size=2, unique=True))
        return ValueCondition(feature.name, tuple(chosen), draw(st.booleans()))
    places = sorted(
        draw(st.lists(st.integers(1, 2 if feature.kind == "ordinal" else 4), min_size=1, max_size=2, unique=True))
    )
    low, high = Boundary(places[0]), Boundary(places[-1])
    choices = [(Interval(high=low),), (Interval(low=low),)]
    if len(places) == 2:
        choices += [(Interval(low, high),), (Interval(high=low), Interval(low=high))]
    return IntervalCondition(feature.name, draw(st.sampled_from(choices)))


@st.composite
def crisp_programs(draw):
    target = draw(st.sampled_from(TARGETS))
    rules = []
    for _ in range(draw(st.integers(1, 4))):
        asked = draw(st.lists(st.sampled_from(FEATURES), min_size=1, max_size=3, unique=True))
        conditions = tuple(draw(crisp_conditions(feature)) for feature in asked)
        rules.append(Rule(conditions, draw(st.sampled_from(target.outputs)), draw(st.sampled_from([0.4, 0.7, 1.0]))))
    outputs = len(target.outputs)
    plain = target.kind == "multiclass" and draw(st.booleans())
    thresholds = () if plain else (0.5, 0.3, 0.4)[:outputs]
    return LogicProgram(Schema(FEATURES, target), tuple(rules), (0.1,) * outputs, thresholds)


def decision(program, row):
    return tuple(np.atleast_1d(program.predict([row])[0]).tolist())


def values_of(feature):
    """Every value that a crisp program with boundaries 1 to 4 can tell apart, and more."""
    if feature.whole:
        return list(range(6))
    return [float(v) / 2 for v in range(10)] if feature.is_numeric else list(feature.values)


def fewest_changes(program, row, goal, frozen=()):
    free = [feature for feature in FEATURES if feature.name not in frozen]
    table = [
        dict(zip([f.name for f in free], cells, strict=True)) for cells in itertools.product(*map(values_of, free))
    ]
    decided = program.predict([{**row, **cells} for cells in table])
    reached = [
        sum(cells[name] != row[name] for name in cells)
        for cells, found in zip(table, decided, strict=True)
        if goal(tuple(np.atleast_1d(found).tolist()))
    ]
    return min(reached, default=None)


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_no_set_of_changes_is_smaller_than_those_found(data):
    program = data.draw(crisp_programs())
    row = {feature.name: data.draw(st.sampled_from(values_of(feature))) for feature in FEATURES}
    frozen = data.draw(st.lists(st.sampled_from(program.schema.names), max_size=2, unique=True))
    before = decision(program, row)
    target = program.schema.target
    wanted = None
    if target.kind != "multilabel" and data.draw(st.booleans()):
        wanted = data.draw(st.sampled_from([label for label in target.labels if label != before[0]]))
    fewest = fewest_changes(program, row, lambda d: d != before if wanted is None else d == (wanted,), frozen)
    found = program.counterfactuals(row, wanted, frozen=frozen)
    assert (not found) == (fewest is None)
    for one in found:
        assert len(one.changes) == fewest
        assert not {change.feature for change in one.changes} & set(frozen)
        after = decision(program, one.apply(row))
        assert after != before
        if target.kind != "multilabel":
            assert after == (one.decision,)
            assert wanted in (None, one.decision)


@settings(deadline=None, max_examples=100)
@given(crisp_programs(), st.data())
def test_every_value_that_a_requirement_allows_turns_the_decision(program, data):
    row = {feature.name: data.draw(st.sampled_from(values_of(feature))) for feature in FEATURES}
    for found in program.counterfactuals(row):
        allowed = [[v for v in values_of(program.schema[c.feature]) if meets(v, c.requirement)] for c in found.changes]
        assert all(allowed)
        names = [change.feature for change in found.changes]
        rows = [{**row, **dict(zip(names, cells, strict=True))} for cells in itertools.product(*allowed)]
        assert {decision(program, one) for one in rows} == {decision(program, found.apply(row))}


def meets(value, requirement):
    """Read a requirement as a person would."""
    if isinstance(value, str):
        return value in requirement.split(" or ")
    part = (
        r"(?P<low>[\d.]+) to (?P<below>below )?(?P<high>[\d.]+)|below (?P<end>[\d.]+)|(?P<one>[\d.]+)(?P<more> or \w+)?"
    )
    for found in re.finditer(part, requirement):
        low, below, high, end, one, more = found.groups()
        if low and float(low) <= value and (value < float(high) if below else value <= float(high)):
            return True
        if end and value < float(end):
            return True
        if one and {" or more": value >= float(one), " or less": value <= float(one)}.get(more, value == float(one)):
            return True
    return False


@settings(deadline=None, max_examples=150)
@given(programs_and_rows(), st.booleans())
def test_counterfactuals_of_any_program_are_true(case, missing):
    program, rows = case
    row = rows[0]
    before = decision(program, row)
    for found in program.counterfactuals(row, missing=missing, max_evaluations=10**7):
        changed = found.apply(row)
        assert decision(program, changed) != before
        assert len({change.feature for change in found.changes}) == len(found.changes)
        assert all(change.new is not None or missing for change in found.changes)
        assert all(not isinstance(change.new, float) or math.isfinite(change.new) for change in found.changes)
        assert all(is_possible(change, program.schema[change.feature]) for change in found.changes)
        # Smallest: a part of the changes does not do.
        for change in found.changes if len(found.changes) > 1 else ():
            assert decision(program, {**changed, change.feature: row[change.feature]}) == before
        assert str(found)
        assert found.to_dict()["changes"]


def is_possible(change, feature):
    """Whether a column of the feature may hold the new value, if it may hold the row's own."""
    if not feature.is_ordered or not feature.is_numeric or change.new is None:
        return True
    ends = [*(feature.range or (-math.inf, math.inf)), *([change.old] if change.old is not None else [])]
    whole = not feature.whole or change.new == int(change.new)
    return whole and (math.floor(min(ends)) if feature.whole and feature.range else min(ends)) <= change.new <= max(
        ends
    )


@pytest.mark.parametrize(
    ("condition", "own", "said"),
    [
        ("options >= 1", 0, "options from 0 to 1 or more"),
        ("options >= 0.125", 0, "options from 0 to 1 or more"),
        ("options >= 3", 1, "options from 1 to 3 or more"),
        ("options < 1 ± 0.5", 2, "options from 2 to 1 or less"),
        ("options in 1 to 2", 3, "options from 3 to 1 to 2"),
        ("options = 2", 3, "options from 3 to 2"),
        ("years < 0.5", 3, "years from 3 to below 0.5"),
    ],
)
def test_changes_stay_within_what_a_column_can_hold(condition, own, said):
    schema = Schema(
        (
            Feature("options", "continuous", whole=True, range=(0, 3)),
            Feature("years", "continuous", range=(0.4, 40)),
        ),
        TARGETS[0],
    )
    program = LogicProgram.parse(f"IF {condition} THEN class = yes", schema=schema)
    name = condition.split()[0]
    (found,) = program.counterfactuals({"options": 0, "years": 1.0, name: own})
    assert str(found) == f"class = yes if {said}"
    assert schema[name].range[0] <= found.changes[0].new <= schema[name].range[1]


def test_a_change_that_no_value_of_the_column_makes_is_not_offered():
    schema = Schema((Feature("years", "continuous", range=(0, 40)),), TARGETS[0])
    program = LogicProgram.parse("IF years < 0 THEN class = yes", schema=schema)
    assert program.counterfactuals({"years": 3}) == []
    assert str(program.counterfactuals({"years": -2})[0]) == "class = no if years from -2 to 0 or more"


def test_counterfactuals_read_like_this():
    found = PROGRAM.counterfactuals(SICK)
    assert [str(one) for one in found] == [
        "class = notckd if albumin from 3 to 0",
        "class = notckd if hemoglobin from 9.4 to 12.9 or more",
    ]
    assert found[1].changes[0].new == 12.9
    assert found[0].to_dict() == {
        "decision": "notckd",
        "changes": [{"feature": "albumin", "old": 3, "new": 0, "requirement": "0"}],
        "probabilities": {"ckd": pytest.approx(0.02)},
    }
    assert PROGRAM.counterfactuals(pd.DataFrame([SICK]).iloc[0]) == found


def test_two_changes_are_found_where_one_does_not_do():
    well = {"albumin": 0, "hemoglobin": 15.0, "serum_creatinine": 0.9, "appetite": "good"}
    assert [str(one) for one in PROGRAM.counterfactuals(well)] == [
        "class = ckd if serum_creatinine from 0.9 to 1.3 or more",
    ]
    assert [str(one) for one in PROGRAM.counterfactuals(well, frozen="serum_creatinine")] == [
        "class = ckd if albumin from 0 to 1 or 2 or 3, hemoglobin from 15 to below 12.9",
    ]
    assert PROGRAM.counterfactuals(well, frozen=["serum_creatinine", "hemoglobin"]) == []


def test_a_requirement_at_a_fuzzy_boundary_asks_no_more_than_it_must():
    schema = Schema((Feature("x", "continuous"),), TARGETS[0])
    program = LogicProgram.parse("IF x >= 10 ± 1 THEN class = yes OTHERWISE (class = yes from 0.99)", schema=schema)
    (found,) = program.counterfactuals({"x": 3.0})
    assert str(found) == "class = yes if x from 3 to 12.25 or more"  # 0.99 is reached at 12.09
    assert found.probabilities[0] >= 0.99


def test_a_missing_value_is_offered_only_if_asked_for():
    sick = {"albumin": 0, "hemoglobin": 15.0, "serum_creatinine": 2.0, "appetite": "good"}
    assert [str(one) for one in PROGRAM.counterfactuals(sick)] == [
        "class = notckd if serum_creatinine from 2 to below 1.3",
    ]
    assert [str(one) for one in PROGRAM.counterfactuals(sick, missing=True)] == [
        "class = notckd if serum_creatinine from 2 to below 1.3 or missing"
    ]
    unknown = {**sick, "serum_creatinine": None}
    assert str(PROGRAM.counterfactuals(unknown)[0]) == "class = ckd if serum_creatinine from missing to 1.3 or more"


def test_labels_may_be_wished_one_by_one():
    schema = Schema(FEATURES, TARGETS[2])
    program = LogicProgram.parse("IF x < 3 THEN p IF x < 5 AND colour = red THEN q", schema=schema)
    row = {"x": 6, "colour": "blue"}
    assert [str(found) for found in program.counterfactuals(row, "q")] == [
        "q if x from 6 to 3 to below 5, colour from blue to red",
        "p, q if x from 6 to below 3, colour from blue to red",
    ]
    (found,) = program.counterfactuals(row, {"p": True, "q": False})
    assert str(found) == "p if x from 6 to below 3"
    with pytest.raises(ValueError, match="already decided as"):
        program.counterfactuals(row, {"p": False})


def test_wrong_questions_are_refused():
    with pytest.raises(ValueError, match="already decided as ckd"):
        PROGRAM.counterfactuals(SICK, "ckd")
    with pytest.raises(ValueError, match="no label 'flu'"):
        PROGRAM.counterfactuals(SICK, "flu")
    with pytest.raises(ValueError, match="no feature 'age' to freeze"):
        PROGRAM.counterfactuals(SICK, frozen=["age"])
    with pytest.raises(TypeError, match="one row"):
        PROGRAM.counterfactuals([SICK])


def test_a_search_that_is_too_large_says_so():
    names = [f"x{i}" for i in range(30)]
    schema = Schema(tuple(Feature(name, "continuous") for name in names), TARGETS[0])
    text = f"IF {' AND '.join(f'{name} < 1' for name in names)} THEN class = yes"
    program = LogicProgram.parse(text, schema=schema)
    assert len(program.counterfactuals(dict.fromkeys(names, 0.0), limit=100)) == 30
    with pytest.raises(
        ValueError, match=r"fewer than \d features .* 30 features takes .* max_evaluations allows 10,000 .* Freeze"
    ):
        program.counterfactuals(dict.fromkeys(names, 2.0), max_evaluations=10_000)


def test_searches_over_several_batches_find_all():
    names = [f"x{i}" for i in range(60)]
    schema = Schema(tuple(Feature(name, "continuous") for name in names), TARGETS[0])
    pairs = [("x0", "x1", "x2"), ("x57", "x58", "x59")]
    rules = [f"IF {' AND '.join(f'{name} < 1' for name in some)} THEN class = yes" for some in pairs]
    others = [f"IF {name} < 0 THEN class = yes (0.1)" for name in names]
    program = LogicProgram.parse("\n".join(rules + others), schema=schema)
    found = program.counterfactuals(dict.fromkeys(names, 2.0))
    assert [tuple(change.feature for change in one.changes) for one in found] == pairs


def test_boxes_cover_the_wanted_cells_and_no_others():
    rng = np.random.default_rng(0)
    for _ in range(50):
        cells = rng.integers(-1, 2, (3, 4, 2)).astype(np.int32)
        covered, cost = np.full(cells.shape, -1), np.indices(cells.shape).sum(axis=0)
        for box in find_boxes(cells, cost, 1000):
            part = cells[np.ix_(*box)]
            assert len(np.unique(part)) == 1
            assert part.min() >= 0
            assert cost[(cells >= 0) & (covered < 0)].min() == sum(options[0] for options in box)
            covered[np.ix_(*box)] = part
        np.testing.assert_array_equal(covered, cells)


def test_boxes_cover_equal_cells_from_the_cheapest_on():
    cells, cost = np.array([[0, 0, -1], [0, 0, 1]]), np.array([[1, 2, 3], [2, 3, 4]])
    assert find_boxes(cells, cost, 5) == [[[0, 1], [0, 1]], [[1], [2]]]
    assert find_boxes(cells, cost, 1) == [[[0, 1], [0, 1]]]
