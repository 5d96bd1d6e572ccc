"""Values that are equal but spelled differently: a program writes them as its schema does."""

from __future__ import annotations

from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition

SCHEMA = Schema((Feature("code", "categorical", (True, 0, 2)),), Target("y", "binary", (0, 1)))


def test_true_and_0_keep_their_spelling_through_text_and_files():
    program = LogicProgram(SCHEMA, (Rule((ValueCondition("code", (1, False)),), True, 0.5),), (0.0,), (0.5,))
    assert "code in {true, 0}" in str(program) and "THEN y = 1" in str(program)
    for again in (LogicProgram.parse(str(program), schema=SCHEMA), LogicProgram.from_dict(program.to_dict())):
        assert repr(again.rules) == repr(program.rules) and str(again) == str(program)


def test_a_file_with_the_other_spelling_is_written_in_the_own_one():
    program = LogicProgram(SCHEMA, (Rule((ValueCondition("code", (0,)),), 1, 0.5),), (0.0,), (0.5,))
    document = program.to_dict()
    document["rules"][0]["conditions"][0]["values"] = [False, 1]
    assert "code in {0, true}" in str(LogicProgram.from_dict(document))
