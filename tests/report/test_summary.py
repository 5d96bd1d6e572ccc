from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from nln.report import summarize
from nln.rules import LogicProgram
from tests.report import programs


def summary_of(example, frame, **options):
    return summarize(example.program, example.columns(frame), example.truth, **options)


@pytest.mark.parametrize("make", [programs.binary, programs.multiclass, programs.multilabel])
def test_a_summary_is_plain_data_and_the_same_each_time(make, frame):
    example = make()
    found = summary_of(example, frame, include_rows=50)
    assert json.loads(json.dumps(found, allow_nan=False)) == json.loads(
        json.dumps(summary_of(example, frame, include_rows=50))
    )
    assert found["table"]["rows"] == 120 and found["table"]["columns"] == len(programs.FEATURES)
    assert found["table"]["missing"] == sum(cell is None for column in example.X.values() for cell in column)


def test_rows_are_there_only_if_asked_for(frame):
    example = programs.binary()
    assert summary_of(example, frame)["rows"] is None
    every = summary_of(example, frame, include_rows=True)["rows"]
    assert every["positions"] == list(range(120)) == summary_of(example, frame, include_rows=500)["rows"]["positions"]
    assert every["columns"][1] == example.X["hemoglobin"]
    assert every["truth"] == [int(label == "ckd") for label in example.y]
    some = summary_of(example, frame, include_rows=7)["rows"]
    assert len(some["positions"]) == 7 == len(set(some["positions"])) and some["of"] == 120
    assert some["columns"][1] == [example.X["hemoglobin"][row] for row in some["positions"]]


def test_without_rows_no_number_of_the_table_is_in_the_summary(frame):
    example = programs.binary()
    numbers = {round(x, 9) for x in example.X["serum creatinine"] if x is not None}

    def all_numbers(data):
        if isinstance(data, dict):
            data = list(data.values())
        if isinstance(data, list):
            return {x for item in data for x in all_numbers(item)}
        return {round(data, 9)} if isinstance(data, float) else set()

    assert all_numbers(summary_of(example, frame, include_rows=3)) & numbers
    assert not all_numbers(summary_of(example, frame)) & numbers


def test_coverage_is_that_of_the_table(frame):
    example = programs.multiclass()
    found = summary_of(example, frame)
    labels = np.column_stack(list(example.y.values())) if isinstance(example.y, dict) else example.y
    counted = example.program.with_coverage(frame(example.X), labels)
    for rule, shown in zip(counted.rules, found["programs"][0]["rules"], strict=True):
        assert shown["covers"] == [rule.coverage.hits, rule.coverage.of_hits, rule.coverage.rows, rule.coverage.of_rows]
    for place, counts in enumerate(found["coverage"]["by_label"]):
        assert sum(counts) == counted.rules[place].coverage.rows == found["coverage"]["overlap"][place][place]


def test_the_dial_has_a_stage_for_each_program(frame):
    example = programs.binary()
    program = example.program
    fewer = [replace(program, rules=program.rules[:n]) for n in (4, 2, 0, 2)]
    path = [SimpleNamespace(price=0.1 * i, validation_loss=0.01 * i, program=p) for i, p in enumerate(fewer, 1)]
    path.append(SimpleNamespace(price=9, validation_loss=9, program=None))
    found = summary_of(example, frame, path=path)
    assert [point["rules"] for point in found["dial"]["points"]] == [0, 2, 4]
    assert found["dial"]["chosen"] == 2 and found["dial"]["points"][2]["price"] == 0.1
    assert [len(p["rules"]) for p in found["programs"]] == [0, 2, 4]
    assert found["dial"]["points"][2]["scores"] == {score["name"]: score["value"] for score in found["scores"]}


def test_a_model_off_its_path_has_a_stage_of_its_own(frame):
    example = programs.binary()
    path = [SimpleNamespace(price=1.0, validation_loss=0.1, program=replace(example.program, rules=()))]
    dial = summary_of(example, frame, path=path)["dial"]
    assert dial["chosen"] == 1 and dial["points"][1]["price"] is None


def test_without_programs_on_the_path_there_is_no_dial(frame):
    found = summary_of(programs.binary(), frame, path=[SimpleNamespace(price=1.0, validation_loss=0.1)])
    assert found["dial"] is None and len(found["programs"]) == 1


def test_a_program_without_rules_has_a_summary(frame):
    example = programs.binary()
    empty = LogicProgram(example.program.schema, (), (0.3,), (0.5,))
    found = summarize(empty, example.columns(frame), example.truth)
    assert found["coverage"]["none"] == 120 and found["errors"]["rules"] == []
