import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings

from nln.rules import Feature, LogicProgram, Schema, Target, memberships, probabilities, read_columns
from nln.rules.explain.explanations import plain_cell
from tests.rules import oracle
from tests.rules.kidney import PROGRAM, SICK
from tests.rules.strategies import programs_and_rows


@settings(deadline=None, max_examples=150)
@given(programs_and_rows())
def test_explanations_agree_with_the_evaluation(case):
    program, rows = case
    columns = read_columns(rows, program.schema)
    P = probabilities(program, columns, rows=len(rows))
    fired = memberships(program, columns, rows=len(rows)) >= 0.5
    shown, decided = program.predict_proba(rows), program.predict(rows)
    target = program.schema.target
    for row, explanation in enumerate(program.explain(rows)):
        for k, output in enumerate(explanation.outputs):
            assert output.probability == P[row, k]
            assert output.normalized == shown[row, target.labels.index(output.label)]
            mine = [i + 1 for i, rule in enumerate(program.rules) if rule.label == output.label]
            assert {check.number for check in output.fired} == {n for n in mine if fired[row, n - 1]}
            assert {check.number for check in output.missed} == {n for n in mine if not fired[row, n - 1]}
            total = output.bias_share + sum(check.share for check in output.fired + output.missed)
            assert total == pytest.approx(1.0) or (total == 0 and output.probability == 0)
        if target.kind == "multilabel":
            assert explanation.decision == tuple(
                label for label, holds in zip(target.labels, decided[row], strict=True) if holds
            )
            assert [output.holds for output in explanation.outputs] == decided[row].astype(bool).tolist()
        else:
            assert explanation.decision == decided[row]


@settings(deadline=None, max_examples=100)
@given(programs_and_rows())
def test_a_rule_that_did_not_fire_names_what_failed(case):
    program, rows = case
    for row, explanation in zip(rows, program.explain(rows), strict=True):
        for output in explanation.outputs:
            nearness = []
            for check in output.missed:
                held = {
                    c.feature: oracle.holds(c, oracle.entry_of(f, row, program), f)
                    for c in check.rule.conditions
                    for f in [program.schema[c.feature]]
                }
                below = {name for name, value in held.items() if value < 0.5 - 1e-9}
                assert check.failed
                assert below <= {condition.feature for condition in check.failed}
                nearness.append((sum(c.membership < 0.5 for c in check.conditions), -check.membership))
            assert nearness == sorted(nearness)
            assert all(not check.failed for check in output.fired)
        assert str(explanation)
        json.dumps(explanation.to_dict())


def test_the_details_read_like_this():
    assert PROGRAM.explain(SICK).details() == (
        "P(class = ckd) = 0.97, decided ckd (from 0.5).\n"
        "  Fired: rule 1 (weight 0.97; share 99 %): albumin != 0 [albumin = 3], "
        "hemoglobin < 12.9 ± 0.3 [hemoglobin = 9.4].\n"
        "  Without any rule: 0.02 (share 1 %).\n"
        "  Nearest miss: rule 2 (weight 0.9): serum_creatinine >= 1.3 or missing (0.25) fails [serum_creatinine = 0.9]."
    )


def test_misses_come_nearest_first_and_as_many_as_asked():
    row = {"albumin": 0, "hemoglobin": 12.8, "serum_creatinine": None, "appetite": "maybe"}
    explanation = PROGRAM.explain(row)
    assert explanation.details(misses=5) == (
        "P(class = ckd) = 0.24, decided notckd (ckd from 0.5).\n"
        "  No rule fired.\n"
        "  Without any rule: 0.02 (share 7 %).\n"
        "  Nearest miss: rule 2 (weight 0.9; share 93 %): serum_creatinine >= 1.3 or missing (0.25) fails "
        "[serum_creatinine is missing; holds to 0.25].\n"
        "  Next miss: rule 1 (weight 0.97): albumin != 0 fails [albumin = 0].\n"
        "  Next miss: rule 3 (weight 1): appetite = poor fails [appetite = maybe, never seen], "
        "albumin in {2, 3} fails [albumin = 0], hemoglobin < 11 fails [hemoglobin = 12.8]."
    )
    assert "[appetite has a value never seen]" in PROGRAM.explain([row])[0].details(misses=5)
    assert explanation.outputs[0].missed[1].failed[0].to_dict() == {
        "feature": "albumin",
        "condition": "albumin != 0",
        "value": 0,
        "state": "known",
        "membership": 0.0,
    }


def test_a_rule_may_fail_though_each_condition_holds_in_part():
    schema = Schema((Feature("x", "continuous"), Feature("y", "continuous")), Target("class", "binary", (0, 1)))
    program = LogicProgram.parse("IF x < 3 ± 1 AND y < 3 ± 1 THEN class = 1", schema=schema)
    (check,) = program.explain({"x": 2.7, "y": 2.7}).outputs[0].missed
    assert [condition.feature for condition in check.failed] == ["x", "y"]
    assert "x < 3 ± 1 holds in part [x = 2.7; holds to 0.66]" in str(check)


def test_the_details_of_several_classes_and_several_labels_read_like_this():
    features = (Feature("x", "continuous"),)
    rules = "IF x < 3 THEN {} (0.75) IF x < 5 THEN {} (0.5)"
    classes = LogicProgram.parse(
        rules.format("class = 1", "class = 3"), schema=Schema(features, Target("class", "multiclass", (1, 2, 3)))
    )
    assert classes.explain({"x": 4}).details() == (
        "Decided class = 3, the most probable class.\n"
        "P(class = 1) = 0 (0 of all classes).\n"
        "  No rule fired.\n"
        "  Nearest miss: rule 1 (weight 0.75): x < 3 fails [x = 4].\n"
        "P(class = 2) = 0 (0 of all classes).\n"
        "  No rule fired.\n"
        "P(class = 3) = 0.5 (1 of all classes).\n"
        "  Fired: rule 2 (weight 0.5; share 100 %): x < 5 [x = 4]."
    )
    labels = LogicProgram.parse(
        rules.format("beach", "sea"), schema=Schema(features, Target("", "multilabel", ("beach", "sea")))
    )
    assert labels.explain({"x": 4}).details().splitlines()[0] == "P(beach) = 0, decided not beach (beach from 0.5)."
    assert labels.explain({"x": 4}).to_dict()["decision"] == ["sea"]


def test_certain_rules_divide_the_share_and_a_rule_without_conditions_always_fires():
    schema = Schema((Feature("x", "continuous"),), Target("class", "binary", (0, 1)))
    program = LogicProgram.parse(
        "IF always THEN class = 1 IF x < 3 THEN class = 1 IF x < 4 THEN class = 1 (0.5)", schema=schema
    )
    output = program.explain({"x": 1}).outputs[0]
    assert [(check.number, check.share) for check in output.fired] == [(1, 0.5), (2, 0.5), (3, 0.0)]
    assert str(output.fired[0]) == "rule 1 (weight 1; share 50 %): always"


def test_one_row_gives_one_explanation_and_a_table_a_list():
    frame = pd.DataFrame([SICK, SICK])
    one = PROGRAM.explain(SICK)
    assert PROGRAM.explain(frame) == PROGRAM.explain(pl.DataFrame([SICK, SICK])) == [one, one]
    assert PROGRAM.explain(frame.iloc[0]) == one
    assert PROGRAM.explain([SICK]) == [one]
    assert PROGRAM.explain({name: [value] for name, value in SICK.items()}) == [one]
    assert PROGRAM.explain(frame[:0]) == []
    empty = LogicProgram(PROGRAM.schema, (), (0.25,), (0.5,))
    assert empty.explain({"x": 1}).decision == "notckd"
    assert len(empty.explain(np.zeros((2, 4)))) == 2


def test_a_probability_is_never_shown_across_its_threshold():
    schema = Schema((Feature("x", "continuous"),), Target("class", "binary", (0, 1)))
    program = LogicProgram.parse("IF x < 3 THEN class = 1 (0.49999)", schema=schema)
    assert program.explain({"x": 1}).details().startswith("P(class = 1) = 0.49999, decided 0 (1 from 0.5).")


def test_cells_become_plain_values():
    assert [plain_cell(cell) for cell in (np.int64(3), float("nan"), None, b"x")] == [3, None, None, "b'x'"]
