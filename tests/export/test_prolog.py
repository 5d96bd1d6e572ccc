"""Exported Prolog agrees with programs in SWI-Prolog; one process takes all cases."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from nln.export import to_prolog
from nln.export.prolog import atom, label_term, number_term, value_term
from nln.rules import LogicProgram
from tests import tools
from tests.export.agree import check_decisions, check_probabilities
from tests.export.strategies import cases

DRIVER = """
main :- prompt(_, ''), set_stream(user_input, encoding(utf8)), loop.
loop :- read_term(Case, []), ( Case == end_of_file -> true ; answer(Case), loop ).
answer(case(File, Module, Labels, Rows)) :-
    load_files(File, [silent(true)]),
    forall(member(Row, Rows), (
        findall(P, (member(L, Labels), once(Module:probability(Row, L, P))), Ps),
        findall(D, (nth0(D, Labels, L), once(Module:decision(Row, L))), Ds),
        format("~q~n~q~n", [Ps, Ds]))),
    unload_file(File),
    flush_output.
:- initialization(main, main).
"""
SPECIAL = {"nan": "1.5NaN", "inf": "1.0Inf", "-inf": "-1.0Inf"}


@pytest.fixture(scope="module")
def swipl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    folder = tmp_path_factory.mktemp("prolog")
    (folder / "driver.pl").write_text(DRIVER)
    command = [tools.program("swipl"), str(folder / "driver.pl")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        yield process, folder
        assert process.stdin
        process.stdin.close()


def entry(value: Any) -> str:
    if value is None:
        return "null"
    return SPECIAL.get(str(value), "") if isinstance(value, float) and not math.isfinite(value) else label_term(value)


def run(swipl: tuple[subprocess.Popen[str], Path], program: LogicProgram, rows: list[str]) -> list[list[float]]:
    process, folder = swipl
    assert process.stdin and process.stdout
    file = folder / "program.pl"
    file.write_text(to_prolog(program, module="a module's name"), encoding="utf-8")
    labels = ", ".join(map(label_term, program.schema.target.labels))
    name = atom("a module's name")
    process.stdin.write(f"case({atom(str(file))}, {name}, [{labels}], [{', '.join(rows)}]).\n")
    process.stdin.flush()
    return [json.loads(process.stdout.readline()) for _ in range(2 * len(rows))]


def as_list(row: dict[str, Any]) -> str:
    return f"[{', '.join(f'{atom(name)}- {entry(value)}' for name, value in row.items())}]"


def as_dict(row: dict[str, Any]) -> str:
    return f"_{{{', '.join(f'{atom(name)}: {entry(value)}' for name, value in row.items())}}}"


@settings(max_examples=100, deadline=None)
@given(case=cases())
def test_prolog_agrees(
    swipl: tuple[subprocess.Popen[str], Path], case: tuple[LogicProgram, list[dict[str, Any]]]
) -> None:
    program, rows = case
    answers = run(swipl, program, [write(row) for row in rows for write in (as_list, as_dict)])
    twice = [row for row in rows for _ in range(2)]
    check_probabilities(program, twice, answers[::2])
    labels = range(len(program.schema.target.labels))
    if program.schema.target.kind == "multilabel":
        check_decisions(program, twice, [[int(k in held) for k in labels] for held in answers[1::2]])
    else:
        assert all(len(held) == 1 for held in answers[1::2])
        check_decisions(program, twice, [int(held[0]) for held in answers[1::2]])


def test_terms_keep_text_numbers_and_truth_values_apart() -> None:
    assert atom("it's") == r"'it\'s'"
    assert [value_term(value) for value in ("red", True, 1e22)] == ['"red"', "1", "1.0e+22"]
    assert [label_term(label) for label in (True, "true")] == ["true", '"true"']
    assert number_term(1e-7) == "1.0e-07"
