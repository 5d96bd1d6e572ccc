"""Children up to a date of their row: nothing later counts, and conditions may ask how many days before it was."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln import Child, aggregates
from nln.export import EXPORTERS, asp_facts, export
from nln.rules import ChildTable, Feature, LogicProgram, ModelFormatError, Schema, Target
from tests import tools

FEATURES = (
    Feature("days_before", "continuous", whole=True),
    Feature("from_last", "continuous", whole=True),
    Feature("dept", "categorical", ("ER", "eye")),
)
VISITS = ChildTable("visits", "patient", FEATURES, order="day", before="index")
SCHEMA = Schema((), Target("back", "binary", ("no", "yes")), (VISITS,))


def program(conditions: str) -> LogicProgram:
    return LogicProgram.parse(f"IF {conditions} THEN back = yes", schema=SCHEMA)


def decided(conditions: str, rows: Any, visits: Any) -> list[bool]:
    return [answer == "yes" for answer in program(conditions).predict(rows, tables={"visits": visits})]


DATES = st.one_of(st.none(), st.integers(1, 28).map(lambda day: date(2024, 2, day)))


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(st.tuples(st.one_of(st.none(), st.integers(1, 3)), DATES), min_size=1, max_size=6),
    children=st.lists(st.tuples(st.integers(1, 4), DATES, st.sampled_from(["ER", "eye"])), max_size=12),
    days=st.integers(0, 20),
    last=st.integers(1, 3),
)
def test_counts_are_those_of_a_loop_over_rows_and_dates(rows: Any, children: Any, days: int, last: int) -> None:
    X = {"patient": [key for key, _ in rows], "index": [None if when is None else str(when) for _, when in rows]}
    texts = [None if when is None else str(when) for _, when, _ in children]
    visits = {"patient": [key for key, _, _ in children], "day": texts, "dept": [dept for _, _, dept in children]}
    asked = [
        f"at least 2 visits (days_before <= {days})",
        f"some visits (from_last <= {last} AND dept = ER)",
        "no visits",
    ]
    found = [decided(conditions, X, visits) for conditions in asked]
    for i, (key, index) in enumerate(rows):
        own = [
            (when, dept)
            for owner, when, dept in children
            if owner == key and when is not None and index is not None and when <= index
        ]
        near = [when for when, _ in own if (index - when).days <= days]
        latest = [dept for when, dept in own if sum(other >= when for other, _ in own) <= last]
        assert [part[i] for part in found] == [len(near) >= 2, "ER" in latest, not own]


def test_rows_of_one_key_see_what_was_known_at_their_dates() -> None:
    X = {"patient": ["a", "a", "a"], "index": ["2024-01-10", "2024-01-20", "2024-01-05"]}
    visits = {"patient": ["a", "a"], "day": ["2024-01-08", "2024-01-15"], "dept": ["ER", "ER"]}
    assert decided("some visits (days_before <= 5 AND dept = ER)", X, visits) == [True, True, False]
    assert decided("at least 2 visits", X, visits) == [False, True, False]
    said = str(program("at least 2 visits (days_before <= 12)").explain(X, tables={"visits": visits})[1])
    assert "here 2 of 2 visits: row 0 (days_before = 12), row 1 (days_before = 5)" in said


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_the_time_of_day_decides_on_the_day_itself(frame: Any) -> None:
    X = frame({"patient": [1, 2], "index": [datetime(2024, 3, 1, 12), datetime(2024, 3, 1, 12)]})
    visits = frame(
        {"patient": [1, 2], "day": [datetime(2024, 3, 1, 11), datetime(2024, 3, 1, 13)], "dept": ["ER", "ER"]}
    )
    assert decided("some visits (days_before <= 0)", X, visits) == [True, False]


def test_what_is_no_date_is_named() -> None:
    X, visits = {"patient": [1], "index": ["2024-01-01"]}, {"patient": [1], "day": ["soon"]}
    with pytest.raises(ValueError, match=r"Column 'day' is read as dates.*'soon'"):
        decided("some visits", X, visits)
    with pytest.raises(ValueError, match="Column 'index' is read as dates"):
        decided("some visits", {"patient": [1], "index": [3]}, {"patient": [1], "day": ["2024-01-01"]})
    with pytest.raises(ValueError, match="lacks columns that are needed: 'index'"):
        decided("some visits", {"patient": [1]}, visits)
    with pytest.raises(ValueError, match="lacks columns that are needed: 'day'"):
        decided("some visits", X, {"patient": [1]})
    with pytest.raises(ValueError, match="give order=, its own dates"):
        ChildTable("visits", "patient", before="index")


def test_model_files_keep_the_date() -> None:
    rule = program("some visits (days_before <= 30 AND dept = ER)")
    assert LogicProgram.from_dict(rule.to_dict()) == rule
    document = rule.to_dict()
    assert document["tables"][0]["before"] == "index"
    tools.model_file_validator().validate(document)
    del document["tables"][0]["order"]
    assert not tools.model_file_validator().is_valid(document)
    with pytest.raises(ModelFormatError, match="give order=, its own dates"):
        LogicProgram.from_dict(document)
    assert rule.columns_used == ("patient", "index")


@pytest.mark.parametrize("name", ["sql", "python", "prolog"])
def test_exports_refuse_dates_of_two_tables(name: str) -> None:
    assert name in EXPORTERS
    with pytest.raises(ValueError, match=r"do not compare dates of two tables\. Before learning, make a child table"):
        export(program("some visits"), name)


def test_aggregates_leave_out_what_is_later() -> None:
    X = pd.DataFrame({"patient": [1, 1, 1], "index": ["2024-01-10", "2024-01-20", "2024-01-31"]})
    visits = pd.DataFrame({"patient": [1, 1, 1], "day": ["2024-01-08", "2024-01-15", "2024-01-29"]})
    visits["level"] = [1.5, 9.5, 4.5]
    found = aggregates(X, {"visits": Child(visits, key="patient", order="day", before="index")})
    assert found["visits_count"].tolist() == [1, 2, 3]
    assert found["visits_level_max"].tolist() == [1.5, 9.5, 9.5]


def test_facts_for_answer_sets_hold_the_counts() -> None:
    rule = program("some visits (days_before <= 5)")
    X = {"patient": ["a", "a"], "index": ["2024-01-10", "2024-01-20"]}
    visits = {"patient": ["a", "a"], "day": ["2024-01-08", "2024-01-18"]}
    earlier = {"patient": ["a"], "day": ["2024-01-08"]}
    facts = [asp_facts(rule, X, tables={"visits": each}) for each in (visits, earlier)]
    assert facts[0] != facts[1]
    assert facts[0] == asp_facts(
        rule, X, tables={"visits": {"patient": ["a"] * 3, "day": [*visits["day"], "2024-02-01"]}}
    )
