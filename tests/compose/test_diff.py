from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from nln.compose import diff
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.compose.examples import HERE, SCHEMA, THERE, parse, table
from tests.rules.strategies import programs

OTHERWISE = "OTHERWISE class = no (P(class = yes) = 0.05; class = yes from 0.5)"


def statuses(found):
    return [(entry.status, entry.first, entry.second) for entry in found.rules]


@given(programs())
def test_a_program_is_the_same_as_itself(program):
    found = diff(program, program)
    assert found.same
    assert {entry.status for entry in found.rules} <= {"same"}


@given(programs())
def test_every_rule_of_both_is_told_once(program):
    half = replace(program, rules=program.rules[::2])
    found = diff(program, half)
    assert sorted(entry.first for entry in found.rules if entry.first) == list(range(1, program.n_rules + 1))
    assert sorted(entry.second for entry in found.rules if entry.second) == list(range(1, half.n_rules + 1))
    assert not found.of("only in second")


def test_rules_are_the_same_changed_or_only_in_one():
    found = diff(HERE, THERE)
    assert statuses(found) == [("changed", 1, 1), ("only in first", 2, None), ("only in second", None, 2)]
    assert found.rules[0].changes == ()  # its probability alone
    (output,) = found.outputs
    assert (output.bias, output.threshold) == ((0.05, 0.1), (0.5, 0.4))
    assert not found.same


def test_changes_name_each_condition_that_differs():
    before = parse("IF x < 3 AND colour in {blue, red} AND size >= L THEN class = yes (0.9)")
    after = parse("IF x < 4 ± 0.5 AND colour in {blue, red} THEN class = yes (0.8)")
    (entry,) = diff(before, after).rules
    assert [str(change) for change in entry.changes] == ["x < 3  ->  x < 4 ± 0.5", "dropped size >= L"]
    (entry,) = diff(after, before).rules
    assert [str(change) for change in entry.changes] == ["x < 4 ± 0.5  ->  x < 3", "added size >= L"]


def test_the_order_of_conditions_and_rules_does_not_matter():
    before = parse("IF x < 3 AND size >= L THEN class = yes (0.9) IF colour = red THEN class = yes (0.8)")
    after = parse("IF colour = red THEN class = yes (0.8) IF size >= L AND x < 3 THEN class = yes (0.9)")
    assert diff(before, after).same
    assert statuses(diff(before, after)) == [("same", 1, 2), ("same", 2, 1)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x < 3", "x >= 8"),
        ("x < 3 ± 0.1", "5 <= x < 7"),
        ("colour = red", "colour = blue"),
        ("size < M", "size >= M"),
        ("x < 3 AND colour = red", "x < 3 AND size >= L"),
    ],
)
def test_rules_that_say_different_things_are_not_paired(before, after):
    found = diff(parse(f"IF {before} THEN class = yes"), parse(f"IF {after} THEN class = yes"))
    assert [entry.status for entry in found.rules] == ["only in first", "only in second"]


@pytest.mark.parametrize(
    ("before", "after"),
    [("x < 3", "1 <= x < 2"), ("colour = red", "colour != blue"), ("size < L", "size < M"), ("x < 3", "always")],
)
def test_rules_that_share_values_are_paired_if_they_are_half_alike(before, after):
    found = diff(parse(f"IF {before} THEN class = yes"), parse(f"IF {after} THEN class = yes"))
    assert found.rules[0].status == ("only in first" if after == "always" else "changed")


@pytest.mark.parametrize(
    ("before", "after", "status"),
    [("22 <= hour < 6", "4 <= hour < 8", "changed"), ("22 <= hour < 2", "4 <= hour < 8", "only in first")],
)
def test_arcs_over_zero_share_hours(before, after, status):
    schema = Schema((Feature("hour", "periodic", period=24.0),), SCHEMA.target)
    found = diff(*(parse(f"IF {text} THEN class = yes", schema) for text in (before, after)))
    assert found.rules[0].status == status


def test_the_most_alike_rules_are_paired_first():
    before = parse("IF x < 3 THEN class = yes (0.9)")
    after = parse("IF x < 4 THEN class = yes (0.9) IF x < 3 THEN class = yes (0.5)")
    assert statuses(diff(before, after)) == [("changed", 1, 2), ("only in second", None, 1)]


def test_lists_of_values_that_grew_do_not_make_a_difference():
    grown = Schema(
        (Feature("size", "ordinal", ("XS", "S", "M", "L")), Feature("colour", "categorical", ("blue", "pink", "red"))),
        SCHEMA.target,
    )
    text = f"IF size >= M AND colour = red THEN class = yes (0.9) {OTHERWISE}"
    assert diff(parse(text), parse(text, grown)).same


def test_rows_decided_differently_are_counted_and_named(frame):
    X, _ = table()
    found = diff(HERE, THERE, frame(X))
    first, second = HERE.predict(X), THERE.predict(X)
    different = np.flatnonzero(first != second).tolist()
    told = found.to_dict()["rows"]
    assert (told["rows"], told["different"]) == (300, len(different))
    assert sorted(row for turn in told["turns"] for row in turn["rows"]) == different
    for turn in told["turns"]:
        assert (set(first[turn["rows"]]), set(second[turn["rows"]])) == ({turn["before"]}, {turn["after"]})
    assert f"{len(different)} of 300 rows are decided differently" in str(found)


def test_labels_are_told_one_by_one():
    schema = Schema((Feature("x", "continuous"),), Target("next", "multilabel", ("a", "not a")))
    before = LogicProgram.parse('IF x < 3 THEN a IF x < 2 THEN "not a"', schema=schema)
    after = LogicProgram.parse('IF x < 2 THEN a IF x < 3 THEN "not a"', schema=schema)
    turns = diff(before, after, {"x": [1, 2.5, 4]}).to_dict()["rows"]["turns"]
    assert turns == [
        {"before": "a", "after": "not a", "rows": [1]},
        {"before": 'not "not a"', "after": '"not a"', "rows": [1]},
    ]


def test_plain_data_and_frames_say_the_same(frame):
    found = diff(HERE, THERE, names=("here", "there"))
    told = found.to_dict()
    assert (told["first"], told["second"], told["same"], told["rows"]) == ("here", "there", False, None)
    shown = found.to_frame(frame.__module__.split(".")[0])
    assert list(shown["status"]) == [rule["status"] for rule in told["rules"]]
    assert list(shown["before"])[:2] == [rule["before"] for rule in told["rules"]][:2]


def test_programs_for_different_targets_are_refused():
    other = Schema(SCHEMA.features, Target("class", "binary", ("no", "maybe")))
    with pytest.raises(ValueError, match="different targets"):
        diff(HERE, LogicProgram(other, (), (0.1,), (0.5,)))
    with pytest.raises(ValueError, match="no status 'new'; known: same"):
        diff(HERE, HERE).of("new")


def test_thresholds_of_several_classes_that_only_one_program_has_are_a_difference():
    schema = Schema((Feature("x", "continuous"),), Target("class", "multiclass", ("a", "b", "c")))
    plain = LogicProgram.parse("IF x < 3 THEN class = b (0.9)", schema=schema)
    chosen = replace(plain, thresholds=(0.5, 0.25, 0.5))
    there, back = diff(plain, chosen), diff(chosen, plain)
    assert [(output.label, output.threshold) for output in there.outputs] == [("b", (0.5, 0.25))]
    assert [(output.label, output.threshold) for output in back.outputs] == [("b", (0.25, 0.5))]
    assert not there.same and "class = b from 0.5  ->  0.25" in str(there)
