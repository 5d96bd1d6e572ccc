"""Programs that count rows of child tables: evaluation, text, JSON, explanations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings

from nln.rules import (
    Boundary,
    Child,
    ChildTable,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    ModelFormatError,
    RuleSyntaxError,
    Schema,
    Target,
    ValueCondition,
    define_features,
)
from nln.rules.condition import Condition
from nln.rules.language.text import condition_text
from tests.rules.children.strategies import AGE, TARGET, VISITS, Tables, child_conditions, programs, tables

SCHEMA = Schema((AGE,), TARGET, (VISITS,))
PATIENTS = pd.DataFrame({"patient": [1, 2, 3, None], "age": [70.0, 70.0, 50.0, 70.0]})
CHILDREN = pd.DataFrame(
    {
        "patient": [1, 1, 1, 2, 2, 9],
        "dept": ["ER", "ER", None, "ER", "eye", "ER"],
        "creatinine": [1.5, 1.25, None, 2.0, 1.0, 1.0],
    }
)


def program(conditions: str) -> LogicProgram:
    return LogicProgram.parse(f"IF {conditions} THEN back = yes", schema=SCHEMA)


def holds(condition: Condition, value: Any) -> bool:
    """One condition on one cell, written anew."""
    if value is None:
        return condition.missing == 1
    if isinstance(condition, ValueCondition):
        return (value in condition.values) != condition.negated
    feature = VISITS[condition.feature]
    place = feature.values.index(value) if feature.values else value
    return any(
        (i.low is None or place >= i.low.value) and (i.high is None or place < i.high.value)
        for i in condition.intervals
    )


@settings(max_examples=150, deadline=None)
@given(programs(), tables())
def test_counts_are_those_of_a_loop_over_the_children(program: LogicProgram, given: Tables) -> None:
    rows, children = given
    found = program.rule_memberships(rows or {"patient": [], "age": []}, tables={"visits": children})
    for i, row in enumerate(rows):
        own = [child for child in children if row["patient"] is not None and child["patient"] == row["patient"]]
        for j, rule in enumerate(program.rules):
            expected = True
            for condition in rule.conditions:
                count = program.schema[condition.feature].derived
                if count is None:
                    expected &= row["age"] >= condition.intervals[0].low.value
                else:
                    number = sum(all(holds(c, child[c.feature]) for c in count.conditions) for child in own)
                    (interval,) = condition.intervals
                    expected &= interval.low is None or number >= interval.low.value
                    expected &= interval.high is None or number < interval.high.value
            assert found[i, j] == expected


@settings(max_examples=150, deadline=None)
@given(programs())
def test_text_and_json_read_back_to_the_same_program(program: LogicProgram) -> None:
    plain = Schema((AGE,), TARGET, (VISITS,))
    read = LogicProgram.parse(str(program), schema=plain)
    assert str(read) == str(program)
    assert read.rules == program.rules
    assert LogicProgram.parse(str(program.simplify()), schema=program.schema) == program.simplify()
    assert LogicProgram.from_dict(program.to_dict()) == LogicProgram.from_dict(
        LogicProgram.from_dict(program.to_dict()).to_dict()
    )
    assert LogicProgram.from_dict(program.to_dict()).rules == program.rules


def test_quantifiers_read_as_people_say_them() -> None:
    text = "some visits (dept = ER AND creatinine >= 1.3) AND no visits (urgent = true) AND at least 2 visits"
    assert " AND ".join(line[5:] for line in str(program(text)).splitlines()[:3]) == text
    alike = {"at least 1 visits": "some visits", "exactly 0 visits": "no visits", "0 to 3 visits": "at most 3 visits"}
    for same, other in alike.items():
        assert program(same) == program(other)


@pytest.mark.parametrize(
    ("every", "none", "written"),
    [
        ("dept = ER", "dept != ER or missing", "all visits (dept = ER)"),
        ("dept in {ER, eye}", "dept not in {ER, eye} or missing", "all visits (dept in {ER, eye})"),
        ("dept not missing", "dept missing", "no visits (dept missing)"),
        ("dept = ER or missing", "dept != ER", "no visits (dept != ER)"),
        ("dept != ER", "dept = ER or missing", "no visits (dept = ER or missing)"),
        ("dept != ER or missing", "dept = ER", "no visits (dept = ER)"),
        ("creatinine < 1.5", "creatinine >= 1.5 or missing", "all visits (creatinine < 1.5)"),
        ("1 <= creatinine < 2", "creatinine < 1 or creatinine >= 2 or missing", "all visits (1 <= creatinine < 2)"),
        ("creatinine < 1 or creatinine >= 2 or missing", "1 <= creatinine < 2", "no visits (1 <= creatinine < 2)"),
        ("days in 2 to 3", "days < 2 or days > 3 or missing", "all visits (days in 2 to 3)"),
        ("days != 2", "days = 2 or missing", "no visits (days = 2 or missing)"),
        ("days missing", "days not missing", "all visits (days missing)"),
        ("level >= mid", "level < mid or missing", "all visits (level >= mid)"),
        ("urgent = true", "urgent != true or missing", "all visits (urgent = true)"),
    ],
)
def test_all_says_that_none_fails(every: str, none: str, written: str) -> None:
    one, other = program(f"all visits ({every})"), program(f"no visits ({none})")
    assert one == other
    assert one.to_dict() == other.to_dict()
    assert str(one).splitlines()[0] == f"IF   {written}"
    assert LogicProgram.parse(str(one), schema=SCHEMA) == one


@settings(max_examples=100, deadline=None)
@given(child_conditions().filter(lambda found: len(found) == 1), tables())
def test_all_holds_where_every_child_satisfies_the_condition(conditions: list[Condition], given: Tables) -> None:
    text = condition_text(conditions[0], VISITS[conditions[0].feature])
    rows = given[0] or [{"patient": 1, "age": 1.0}]
    found = program(f"all visits ({text})").predict(rows, tables={"visits": given[1]})
    for row, answer in zip(rows, found, strict=True):
        own = [child for child in given[1] if row["patient"] is not None and child["patient"] == row["patient"]]
        assert (answer == "yes") == all(holds(conditions[0], child[conditions[0].feature]) for child in own)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all calls (22 <= hour < 6)", ["yes", "no", "yes"]),
        ("all calls (6 <= hour < 22)", ["no", "yes", "yes"]),
        ("all calls (hour >= 12)", ["no", "yes", "yes"]),
    ],
)
def test_all_goes_round_the_clock(text: str, expected: list[str]) -> None:
    calls = ChildTable("calls", "patient", (Feature("hour", "periodic", period=24.0),))
    schema = Schema((AGE,), TARGET, (calls,))
    read = LogicProgram.parse(f"IF {text} THEN back = yes", schema=schema)
    assert str(read).splitlines()[0] == f"IF   {text}"
    assert LogicProgram.parse(str(read), schema=schema) == read
    found = read.predict({"patient": [1, 2, 3]}, tables={"calls": {"patient": [1, 1, 2], "hour": [23, 3, 12]}})
    assert found.tolist() == expected


def test_an_explanation_of_all_names_the_exceptions() -> None:
    rule, tables = program("all visits (dept = ER)"), {"visits": CHILDREN.fillna({"dept": "eye"})}
    said = rule.explain(PATIENTS, tables=tables)
    assert "all visits (dept = ER) fails [2 of 3 visits, not row 2 (dept = eye)]" in said[0].details()
    assert "all visits (dept = ER) (here no visits at all)" in str(said[2])
    assert "(here 2 of 2 visits)" in str(rule.explain({"patient": 1}, tables={"visits": CHILDREN[:2]}))


@pytest.mark.parametrize(
    ("conditions", "message"),
    [
        ("all visits (dept = ER AND days < 3)", "AND all"),
        ("all visits", "Say what: `all visits"),
        ("some visit (dept = ER)", "Did you mean visits"),
        ("some visits (dept = UR)", "has no value UR"),
        ("some visits (age > 3)", "no feature age"),
        ("some visits (creatinine > 3 ± 1)", "must hold or fail"),
        ("some visits (dept = ER) or missing", "never missing"),
        ("3 to 2 visits", "the lower number first"),
        ("some visits (days - creatinine > 1)", "do not calculate"),
        ("some visits (days > 1 AND days < 3)", "two conditions on 'days'"),
        ("some visits (some visits)", "no child table"),
    ],
)
def test_mistakes_are_pointed_at(conditions: str, message: str) -> None:
    with pytest.raises(RuleSyntaxError, match=message):
        program(conditions)


def test_features_named_like_quantifiers_stay_features() -> None:
    features = (Feature("no", "categorical", ("some", "no")), Feature("some", "continuous"))
    schema = Schema(features, Target("y", "binary", ("no", "some")), (VISITS,))
    text = "IF no in {no} AND some missing AND no visits THEN y = some (weight 0.5) OTHERWISE y = no"
    assert [c.feature for c in LogicProgram.parse(text, schema=schema).rules[0].conditions] == [
        "no",
        "some",
        "number of visits",
    ]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, dict])
def test_tables_of_all_libraries_are_taken(frame: Any) -> None:
    rule = program("at least 2 visits (dept = ER AND creatinine >= 1.2)")
    columns = {name: CHILDREN[name].astype(object).where(CHILDREN[name].notna(), None).tolist() for name in CHILDREN}
    for children in (frame(columns), Child(frame(columns), key="patient")):
        assert rule.predict(PATIENTS, tables={"visits": children}).tolist() == ["yes", "no", "no", "no"]


def test_rows_without_children_or_key_have_none() -> None:
    assert program("no visits").predict(PATIENTS, tables={"visits": CHILDREN}).tolist() == ["no", "no", "yes", "yes"]
    assert program("no visits").predict(PATIENTS, tables={"visits": CHILDREN[:0]}).tolist() == ["yes"] * 4


def test_a_missing_table_or_column_is_named() -> None:
    with pytest.raises(ValueError, match=r"count rows of 'visits': give this table too.*'patient'"):
        program("some visits").predict(PATIENTS)
    with pytest.raises(ValueError, match=r"table 'visits' lacks columns that are needed: 'urgent'"):
        program("some visits (urgent = true)").predict(PATIENTS, tables={"visits": CHILDREN})
    with pytest.raises(ValueError, match="'patient'"):
        program("some visits").predict({"age": [3.0]}, tables={"visits": CHILDREN})


def test_keys_are_equal_as_in_python() -> None:
    rule = program("some visits")
    assert rule.predict({"patient": ["a", "b"]}, tables={"visits": {"patient": ["b"]}}).tolist() == ["no", "yes"]
    assert rule.predict({"patient": [1, 2]}, tables={"visits": {"patient": [2.0]}}).tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match="keys of 'visits' are text, but those of the rows they belong to are numbers"):
        rule.predict({"patient": [1, 2]}, tables={"visits": {"patient": ["2"]}})


def test_explanations_name_the_children_that_count() -> None:
    rule = program("some visits (dept = ER AND creatinine >= 1.4) AND no visits (dept = heart)")
    said = str(rule.explain(PATIENTS, tables={"visits": CHILDREN})[0])
    assert "here 1 of 3 visits: row 0 (dept = ER, creatinine = 1.5)" in said
    assert "no visits (dept = heart) (here 0 of 3 visits)" in said
    (one,) = rule.explain(PATIENTS[2:3], tables={"visits": CHILDREN})
    assert "no visits at all" in one.details()


def test_the_last_children_are_counted_by_their_order() -> None:
    table = ChildTable(
        "visits", "patient", (Feature("from_last", "continuous", whole=True), VISITS["dept"]), order="day"
    )
    text = "IF some visits (from_last <= 2 AND dept = ER) THEN back = yes"
    rule = LogicProgram.parse(text, schema=Schema((), TARGET, (table,)))
    days = {
        "patient": [1, 1, 1, 2, 2, 2],
        "dept": ["ER", "eye", "eye", "eye", "ER", "eye"],
        "day": [1, 2, 3, 9, 8, None],
    }
    assert rule.predict({"patient": [1, 2]}, tables={"visits": days}).tolist() == ["no", "yes"]
    dates = {**days, "day": ["2024-01-01", "2024-01-02", "2024-01-03", "2024-02-02", "2024-02-01", None]}
    assert rule.predict({"patient": [1, 2]}, tables={"visits": dates}).tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match="numbers or of dates"):
        rule.predict({"patient": [1, 2]}, tables={"visits": {**days, "day": ["a"] * 6}})
    assert LogicProgram.from_dict(rule.to_dict()).schema.tables[0].order == "day"


def test_keys_may_be_numbers_of_rows() -> None:
    table = ChildTable("windows", "image", (Feature("a", "binary", (0, 1)),), parent_key="")
    rule = LogicProgram.parse("IF some windows (a = 1) THEN back = yes", schema=Schema((), TARGET, (table,)))
    children = {"image": [0, 1, 1, 5], "a": [0, 1, 0, 1]}
    assert rule.predict({"x": [0, 0, 0]}, tables={"windows": children}).tolist() == ["no", "yes", "no"]


def test_files_of_programs_without_children_stay_as_they_were() -> None:
    flat = LogicProgram.parse("IF age >= 3 THEN back = yes", schema=Schema((AGE,), TARGET)).to_dict()
    assert flat["version"] == 3
    assert "tables" not in flat
    assert program("some visits").to_dict()["version"] == 4


def test_files_keep_no_values_that_no_rule_asks_about() -> None:
    found = LogicProgram.from_dict(program("some visits (dept = ER)").to_dict()).schema.tables[0]
    assert found["dept"].values == VISITS["dept"].values
    assert found["level"].values == ()


def test_broken_files_are_refused_with_their_place() -> None:
    document = program("some visits (dept = ER)").to_dict()
    document["features"][1]["derived"]["rows"]["table"] = "drugs"
    with pytest.raises(ModelFormatError, match=r"features\[1\]\.derived\.rows\.table"):
        LogicProgram.from_dict(document)
    document = program("some visits").to_dict()
    document["tables"][0]["key"] = ""
    with pytest.raises(ModelFormatError, match="no key"):
        LogicProgram.from_dict(document)


def test_counts_can_have_names() -> None:
    schema = define_features(SCHEMA, {"er_visits": "number of visits (dept = ER)"})
    named = LogicProgram.parse("IF er_visits >= 2 THEN back = yes", schema=schema)
    assert "IF   er_visits >= 2" in str(named)
    assert named.predict(PATIENTS, tables={"visits": CHILDREN}).tolist() == ["yes", "no", "no", "no"]
    assert LogicProgram.from_dict(named.to_dict()).rules == named.rules


def test_counts_may_be_members_of_counts() -> None:
    rule = program("at least 2 of {age >= 60; some visits (dept = eye); no visits (dept = heart)}")
    assert rule.predict(PATIENTS, tables={"visits": CHILDREN}).tolist() == ["yes", "yes", "no", "yes"]
    assert LogicProgram.parse(str(rule), schema=SCHEMA).rules == rule.rules


def test_counterfactuals_need_the_table() -> None:
    rule = program("some visits AND age >= 1")
    row = {"patient": 1, "age": 3.0}
    with pytest.raises(ValueError, match="give this table too"):
        rule.counterfactuals(row)
    found = [str(change) for change in rule.counterfactuals(row, tables={"visits": CHILDREN})]
    assert found == ["back = no if age from 3 to below 1", 'back = no if "number of visits" from 3 to 0']


def test_columns_used_name_the_key() -> None:
    assert program("some visits").columns_used == ("patient",)
    assert program("age >= 3").columns_used == ("age",)
    assert np.array_equal(program("age >= 60").predict(PATIENTS), ["yes", "yes", "no", "yes"])


def test_boundaries_of_counts_are_whole_numbers_of_children() -> None:
    asked = program("at least 1 visits (dept = ER)")
    (condition,) = asked.rules[0].conditions
    assert isinstance(condition, IntervalCondition)
    for low, high in ((0.5, None), (1.0, None), (-3.0, 2.5), (0.0, 2.0)):
        ends = Boundary(low), None if high is None else Boundary(high)
        rule = replace(asked.rules[0], conditions=(replace(condition, intervals=(Interval(*ends),)),))
        changed = replace(asked, rules=(rule,))
        assert LogicProgram.parse(str(changed), schema=changed.schema) == changed


def test_a_column_named_like_the_order_is_a_column_where_there_is_no_order() -> None:
    table = ChildTable("visits", "patient", (Feature("from_last", "continuous"),))
    asked = LogicProgram.parse("IF some visits (from_last >= 3) THEN back = yes", schema=Schema((), TARGET, (table,)))
    children = {"patient": [1, 2], "from_last": [5.0, 1.0]}
    assert asked.predict({"patient": [1, 2]}, tables={"visits": children}).tolist() == ["yes", "no"]
