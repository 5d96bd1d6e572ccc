"""Answer set programs agree with crisp programs in clingo."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings

from nln.export import asp_facts, to_asp
from nln.export.asp.answer_sets import text_term, value_term
from nln.rules import Feature, LogicProgram, Rule, Schema, Target, memberships, read_columns
from tests import tools
from tests.export.agree import check_decisions, check_probabilities
from tests.export.strategies import cases, is_plain, values_of

SCHEMA = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))


def solve(source: str) -> list[Any]:
    control = tools.package("clingo").Control(["--warn=none"])
    control.add("base", [], source)
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        models = [model.symbols(shown=True) for model in handle]
    assert len(models) == 1
    return list(models[0])


@settings(max_examples=60, deadline=None)
@given(cases(plain=True, crisp=True))
def test_clingo_agrees(case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    program, rows = case
    target = program.schema.target
    assume(all(is_plain(value, 10**300) for value in [*values_of(program), *program.schema.names]))
    atoms = solve(to_asp(program) + asp_facts(program, rows))
    found = {
        (a.arguments[0].number, str(a.arguments[1])): a.arguments[2].string for a in atoms if a.name == "probability"
    }
    terms = [value_term(label) for label in target.outputs]
    proba = [[float(found[row, term]) for term in terms] for row in range(len(rows))]
    got = [[1 - p[0], *p] for p in proba] if target.kind == "binary" else proba
    if target.kind == "multiclass":
        got = [[p / sum(ps) if sum(ps) else 1 / len(ps) for p in ps] for ps in proba]
    check_probabilities(program, rows, got)
    decided = [
        {str(a.arguments[1]) for a in atoms if a.name == "decision" and a.arguments[0].number == row}
        for row in range(len(rows))
    ]
    labels = [value_term(label) for label in target.labels]
    if target.kind == "multilabel":
        check_decisions(program, rows, [[int(label in d) for label in labels] for d in decided])
    else:
        check_decisions(program, rows, [labels.index(d.pop()) for d in decided])
    fired = {(a.arguments[0].number, a.arguments[1].number) for a in atoms if a.name == "fired"}
    table = memberships(program, read_columns(rows, program.schema), rows=len(rows))
    assert fired == {(row, i + 1) for row, line in enumerate(table) for i, m in enumerate(line) if m}


def test_the_error_names_the_fuzzy_rule() -> None:
    program = LogicProgram.parse("IF x < 1 THEN class = yes IF x < 2 +- 0.5 THEN class = yes", schema=SCHEMA)
    with pytest.raises(ValueError, match=r"Rule 2 is fuzzy: `x < 2 ± 0.5`"):
        to_asp(program)


def test_too_many_probabilities_are_refused() -> None:
    rules = tuple(Rule((), "yes", 1 / (n + 2)) for n in range(30))
    with pytest.raises(ValueError, match="30 rules can give more than 20000 different probabilities"):
        to_asp(LogicProgram(SCHEMA, rules, (0.1,), (0.5,)))


def test_many_certain_rules_are_few_states() -> None:
    rules = tuple(Rule((), "yes", 1.0) for _ in range(100))
    atoms = solve(to_asp(LogicProgram(SCHEMA, rules, (0.1,), (0.5,))) + "row(0).")
    assert {str(a) for a in atoms if a.name == "decision"} == {'decision(0,"yes")'}


def test_terms_are_strings_small_integers_or_texts_of_numbers() -> None:
    assert [value_term(value) for value in ("red", True, 2.0, 2.5)] == ['"red"', "1", "2", 'number("2.5")']
    assert text_term('a "b"') == r'"a \"b\""'
