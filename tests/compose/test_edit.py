import json
import re
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given

from nln import edit
from nln.compose import Edit
from nln.model import SavedModel, load_model
from nln.rules import LogicProgram, RuleSyntaxError
from nln.rules.storage.files import dump_json, load_json
from nln.rules.storage.reading import ModelFormatError
from tests import tools
from tests.compose.examples import HERE, SCHEMA, parse, table
from tests.rules.strategies import programs

TIME = "2026-01-02T03:04:05Z"


def pen(program=HERE, *data, **options):
    return edit(program, *data, time=TIME, **options)


def test_rules_are_added_dropped_and_changed_in_turn():
    edited = pen(author="Ada").drop(2).add("IF x >= 8 THEN class = yes (0.7)").change(2, "x >= 9 ± 0.5", reason="late")
    assert edited.program == parse(
        """
        IF x < 3 AND colour in {blue, red} THEN class = yes (0.95; covers 20 of 40 yes, 25 of 90 rows)
        IF x >= 9 ± 0.5 THEN class = yes (0.7)
        OTHERWISE class = no (P(class = yes) = 0.05; class = yes from 0.5)
        """
    )
    assert edited.original is HERE
    assert edited.edits == edited.program.history
    assert [(e.action, e.rule, e.author, e.time, e.reason) for e in edited.edits] == [
        ("drop", 2, "Ada", TIME, ""),
        ("add", 2, "Ada", TIME, ""),
        ("change", 2, "Ada", TIME, "late"),
    ]
    assert edited.edits[0].before == "IF size >= L THEN class = yes (weight 0.9)"
    assert edited.edits[0].after is None
    assert edited.edits[1].before is None
    assert edited.edits[2].before == edited.edits[1].after == "IF x >= 8 THEN class = yes (weight 0.7)"


def test_conditions_are_added_and_dropped_and_a_whole_rule_is_replaced():
    edited = pen().add("size < L", rule=1).drop(1, "x").change(2, "if colour = red then class = yes (0.5)")
    rules = parse(
        "IF colour in {blue, red} AND size < L THEN class = yes (0.95) IF colour = red THEN class = yes (0.5)"
    )
    assert edited.program.rules == rules.rules


def test_a_changed_rule_forgets_what_it_covers_and_others_do_not():
    rules = pen().change(1, "x < 4").program.rules
    assert rules[0].coverage is None
    assert rules[1] == HERE.rules[1]


def test_the_change_of_scores_and_coverage_is_shown(frame):
    X, y = table()
    edited = pen(HERE, frame(X), y).add("IF x >= 8 THEN class = yes (0.9)", reason="missed")
    truth = np.array(y) == "yes"
    for program, scores in ((HERE, edited.before), (edited.program, edited.after)):
        decided = program.predict(X) == "yes"
        assert scores.accuracy == pytest.approx((decided == truth).mean())
        hits = (decided & truth).sum()
        assert scores.f1 == pytest.approx(2 * hits / (decided.sum() + truth.sum()))
        assert scores.rules == program.n_rules
    assert edited.after.f1 > edited.before.f1
    assert edited.after.covered > edited.before.covered
    assert edited.program == edited.program.with_coverage(X, y)
    backend = type(frame(X)).__module__.split(".")[0]
    shown = edited.to_frame(backend)
    assert list(shown.columns) == ["program", "rules", "rows", "covered", "accuracy", "f1"]
    assert list(shown["program"]) == ["before", "after"]
    assert list(shown["rules"]) == [2, 3]
    assert list(shown["f1"]) == [edited.before.f1, edited.after.f1]
    assert "add rule 3 (missed)" in str(edited)
    assert f"F1: {edited.before.f1:.4f} -> {edited.after.f1:.4f}" in str(edited)


def test_without_rows_there_are_no_scores():
    edited = pen().drop(1)
    assert (edited.before, edited.after) == (None, None)
    assert str(edited).endswith("rules: 2 -> 1")
    assert edited.to_frame("polars")["f1"].to_list() == [None, None]
    assert str(pen()) == "no edits\nrules: 2 -> 2"


def test_the_program_given_stays_as_it_is():
    before = HERE.to_dict()
    one = pen(HERE, *table(50))
    one.drop(1)
    one.change(1, "x < 1")
    assert HERE.to_dict() == before
    assert one.edits == ()


def test_the_time_is_now_unless_given():
    start = datetime.now(UTC).replace(microsecond=0)
    time = datetime.fromisoformat(edit(HERE).drop(1).edits[0].time)
    assert start <= time <= datetime.now(UTC)
    assert edit(HERE, time="2026-01-02T04:04:05+01:00").drop(1).edits[0].time == TIME


@given(programs())
def test_the_history_is_text_that_reads_back_to_the_rule(program):
    for place, rule in enumerate(program.rules, 1):
        text = edit(program, time=TIME).drop(place).edits[0].before
        again = LogicProgram.parse(text, schema=program.schema).rules[0]
        assert (again.conditions, again.label, again.weight) == (rule.conditions, rule.label, rule.weight)


def test_the_history_is_kept_in_files_and_by_other_operations(tmp_path):
    program = pen(author="Ada").drop(2, reason="odd").change(1, "x < 4").program
    program.save(tmp_path / "rules.json")
    assert LogicProgram.load(tmp_path / "rules.json").history == program.history
    SavedModel(program, np.array(["no", "yes"]), ("x", "colour", "size"), named=True).save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json").program_
    assert loaded.history == program.history
    assert loaded.simplify().with_coverage(*table(50)).history == program.history
    assert pen(loaded).drop(1).edits[0].rule == 1
    assert len(pen(loaded).drop(1).program.history) == 3


def test_a_program_without_history_is_written_as_before():
    assert "history" not in HERE.to_dict()


def test_the_history_follows_the_json_schema():
    validator = tools.model_file_validator()
    document = json.loads(dump_json(pen(author="Ada").drop(2).add("IF x < 1 THEN class = yes").program.to_dict()))
    validator.validate(document)
    del document["history"][0]["before"]
    assert not validator.is_valid(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"action": "move"}, "history[0].action: must be one of 'add', 'drop', 'change', not 'move'."),
        ({"rule": 0}, "history[0]: An edit's rule must be a whole number of at least 1, not 0."),
        ({"time": "yesterday"}, "history[0]: A time must be written like 2026-01-02T03:04:05Z, not 'yesterday'."),
        ({"time": "2026-01-02T03:04:05"}, "has no offset from UTC"),
        ({"after": "IF x < 1 THEN class = yes"}, "An edit with the action 'drop' takes None as 'after'"),
        ({"who": "Ada"}, "history[0]: has the unknown key 'who'"),
        ({"author": 3}, "history[0].author: must be text, not 3."),
    ],
)
def test_a_wrong_history_is_refused_by_place(change, message):
    document = load_json(dump_json(pen().drop(2).program.to_dict()))
    document["history"][0] |= change
    with pytest.raises(ModelFormatError, match=re.escape(message)):
        LogicProgram.from_dict(document)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda e: e.drop(3), "There is no rule 3: the program has rules 1 to 2."),
        (lambda e: e.drop(0), "There is no rule 0"),
        (lambda e: e.drop(1).drop(1).drop(1), "There is no rule 1: the program has no rules."),
        (lambda e: e.drop(1, "size"), "Rule 1 has no condition on 'size': it asks about 'x', 'colour'."),
        (lambda e: e.drop(2, "size"), "is the only one of rule 2"),
        (lambda e: e.change(2, "x < 4"), "Add the condition with `add(text, rule=2)`."),
        (lambda e: e.add("x < 4", rule=1), "Rule 1 has a condition on 'x' already; change it"),
        (lambda e: e.change(1, "x < 4 AND colour = red"), "one condition, but this text has 2"),
        (lambda e: e.add("IF x < 1 THEN class = yes IF x > 2 THEN class = yes".replace(">", ">=")), "text has 2"),
        (lambda e: e.add("IF x < 1 THEN class = yes OTHERWISE class = no"), "no OTHERWISE line"),
        (lambda e: e.change(1, "x < 3 THEN class = yes IF x < 2"), "one rule, but this text has 2"),
    ],
)
def test_an_edit_that_does_not_fit_is_refused(step, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        step(pen())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("colr = red", "There is no feature colr. Did you mean colour?"),
        ("colour = rde", "colour has no value rde. Did you mean red?"),
        ("x = red", "takes `<` or `>=`"),
        ("", "Line 1"),
    ],
)
def test_unknown_columns_and_values_are_named(text, message):
    with pytest.raises(RuleSyntaxError, match=re.escape(message)):
        pen().change(1, text)
    with pytest.raises(RuleSyntaxError, match=re.escape(message)):
        pen().add(f"IF {text} THEN class = yes")


def test_arguments_of_other_types_are_refused():
    for step in (lambda: pen().drop("1"), lambda: pen().drop(True), lambda: pen().change(1, 3), lambda: pen().add(3)):
        with pytest.raises(TypeError):
            step()
    with pytest.raises(TypeError, match="takes a LogicProgram"):
        edit("IF x < 3 THEN class = yes")
    with pytest.raises(ValueError, match="both or neither"):
        edit(HERE, table(10)[0])
    with pytest.raises(TypeError, match="author must be text"):
        edit(HERE, author=3)
    with pytest.raises(TypeError, match="reason must be text"):
        pen().drop(1, reason=None)


def test_an_edit_of_no_action_is_refused():
    with pytest.raises(ValueError, match="action must be one of"):
        Edit("move", 1, None, None, "", TIME)


def test_labels_of_several_classes_and_conclusions_are_edited():
    from nln.rules import Schema, Target

    schema = Schema(SCHEMA.features, Target("kind", "multiclass", ("a", "b", "c")))
    program = parse("IF x < 3 THEN kind = a IF x >= 3 THEN kind = b", schema)
    edited = pen(program, {"x": [1, 4, 9]}, ["a", "b", "c"]).change(2, "3 <= x < 8").add("IF x >= 8 THEN kind = c")
    assert (edited.before.accuracy, edited.after.accuracy) == (pytest.approx(2 / 3), 1.0)
