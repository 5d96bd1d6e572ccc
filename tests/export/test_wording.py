"""Texts that several formats share."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from nln.export import to_sql
from nln.export.wording import check_characters, result_names, rule_comment, spelling
from nln.rules import Feature, LogicProgram, Rule, Schema, Target

CLASS = Target("class", "binary", ("no", "yes"))


def test_every_line_of_a_rule_is_a_comment() -> None:
    assert rule_comment(Rule((), "yes", 0.75), Schema((), CLASS), "#") == (
        "# IF   always\n# THEN class = yes    (weight 0.75)\n"
    )


def test_values_are_spelled_without_quotes() -> None:
    assert [spelling(value) for value in (True, 1.0, "1", 0.1)] == ["true", "1", "1", "0.1"]


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_characters_that_a_language_lacks_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Clingo cannot hold the character NUL or half of a surrogate pair"):
        check_characters(text, "Clingo")


def test_added_columns_have_plain_names() -> None:
    names = result_names(Schema((), CLASS))
    assert (names.probabilities, names.decisions, names.rules) == (("p_yes",), ("decision",), ("rule",))


def scored(query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript("CREATE TABLE data (x); INSERT INTO data VALUES (1)")
        return database.execute(query).fetchall()


def test_added_names_avoid_each_other_and_those_of_the_table() -> None:
    features = (Feature("P_A", "continuous"), Feature("decision", "continuous"), Feature("rule", "continuous"))
    schema = Schema(features, Target("class", "multiclass", ("a", "A", "é" * 80, "é" * 80 + "!")))
    program = LogicProgram(schema, (), (0.1, 0.2, 0.3, 0.4), ())
    names = result_names(schema)
    every = [*names.probabilities, *names.decisions, *names.rules]
    assert every[:2] == ["p_a_2", "p_A_3"] and every[-2:] == ["decision_2", "rule_2"]
    assert len({name.casefold() for name in every}) == len(every)
    assert all(len(name.encode()) <= 63 for name in every)
    assert len(scored(to_sql(program))[0]) == 1 + len(every)
