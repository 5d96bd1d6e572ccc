"""PMML documents agree with programs in a small evaluator written from the standard, and in JPMML if installed."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import assume, given, settings

from nln.export import to_pmml
from nln.export.wording import result_names
from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition
from tests import tools
from tests.export.agree import check_decisions, check_probabilities
from tests.export.strategies import NASTY, cases
from tests.rules.strategies import UNSEEN, UNSEEN_NUMBER

SPACE = "{http://www.dmg.org/PMML-4_4}"
READ: dict[str, Callable[[str], Any]] = {
    "double": float,
    "integer": int,
    "string": str,
    "boolean": lambda text: {"true": True, "false": False}[text],
}


def divide(a: float, b: float) -> float:
    return 0.0 if math.isinf(b) else a / b


def exponential(z: float) -> float:
    return math.inf if z > 709 else math.exp(z)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": divide, "exp": exponential,
    "sum": lambda *terms: sum(terms), "and": lambda *terms: all(terms), "greaterThan": operator.gt,
    "greaterOrEqual": operator.ge, "lessThan": operator.lt, "lessOrEqual": operator.le, "abs": abs, "floor": math.floor,
    "stringLength": len, "substring": lambda text, start, length: text[start - 1 : start - 1 + length],
    "equal": operator.eq, "notEqual": operator.ne, "isIn": lambda value, *listed: value in listed,
    "max": max,
}  # fmt: skip


class Document:
    """A PMML document, evaluated as the standard says."""

    def __init__(self, text: str) -> None:
        self.root = ET.fromstring(text.encode())
        self.types = {e.get("name"): e.get("dataType") for e in self.root.iter(f"{SPACE}DataField")}
        self.derived = {e.get("name"): e[0] for e in self.root.iter(f"{SPACE}DerivedField")}
        self.outputs = {str(e.get("name")): e[0] for e in self.root.iter(f"{SPACE}OutputField")}

    def evaluate(self, row: dict[str, Any]) -> dict[str, Any]:
        fields = {name: row[str(name)] for name in self.types}
        for name, expression in self.derived.items():
            fields[name] = value(expression, fields)
        return {name: value(expression, fields) for name, expression in self.outputs.items()}


def value(node: ET.Element, fields: dict[str | None, Any]) -> Any:
    tag = node.tag.removeprefix(SPACE)
    if tag == "FieldRef":
        return fields[node.get("field")]
    if tag == "Constant":
        return READ[str(node.get("dataType"))](node.text or "")
    assert tag == "Apply"
    name = str(node.get("function"))
    if name in ("isMissing", "isNotMissing"):
        return (value(node[0], fields) is None) == (name == "isMissing")
    if name == "if":
        parts = [*node, None, None][:3]
        test = value(node[0], fields)
        chosen = parts[1] if test else parts[2]
        return None if test is None or chosen is None else value(chosen, fields)
    arguments = [value(part, fields) for part in node]
    if None in arguments:  # of a missing value nothing is known
        return None
    return FUNCTIONS[name](*arguments)


def document_of(program: LogicProgram) -> str:
    try:
        return to_pmml(program)
    except ValueError as error:  # as other tests show, these are refused
        assume("different types" not in str(error) and "XML cannot hold" not in str(error))
        assume("too large" not in str(error))
        raise


def held(entry: Any, feature: Feature) -> Any:
    """Change what the field's type cannot hold; NaN is not a missing value in PMML."""
    if isinstance(entry, float) and math.isnan(entry):
        return None
    if feature.is_numeric or entry is None:
        return entry
    texts = all(isinstance(known, str) for known in feature.values)
    return None if entry in (UNSEEN, UNSEEN_NUMBER) and not texts else entry


def check(program: LogicProgram, rows: list[dict[str, Any]], evaluate: Callable[[dict[str, Any]], Any]) -> None:
    target, names = program.schema.target, result_names(program.schema)
    mine = [{f.name: held(row[f.name], f) for f in program.schema.plain(program.schema.names)} for row in rows]
    asked = [feature.name for feature in program.schema.plain(program.features_used)]
    answers = [evaluate({name: row[name] for name in asked}) for row in mine]
    proba = [[answer[name] for name in names.probabilities] for answer in answers]
    check_probabilities(program, mine, [[1 - p[0], *p] for p in proba] if target.kind == "binary" else proba)
    decided = [[answer[name] for name in names.decisions] for answer in answers]
    check_decisions(
        program, mine, decided if target.kind == "multilabel" else [target.labels.index(d[0]) for d in decided]
    )


@settings(max_examples=80, deadline=None)
@given(cases(plain=True))
def test_pmml_agrees(case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    program, rows = case
    check(program, rows, Document(document_of(program)).evaluate)


@pytest.fixture(scope="module")
def jpmml(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any, Path]:
    tools.program("java")
    module = tools.package("jpmml_evaluator")
    return module.make_evaluator, module.make_backend("jpype"), tmp_path_factory.mktemp("pmml") / "rules.pmml"


@settings(max_examples=60, deadline=None)
@given(case=cases(plain=True))
def test_jpmml_agrees(jpmml: tuple[Any, Any, Path], case: tuple[LogicProgram, list[dict[str, Any]]]) -> None:
    program, rows = case
    make_evaluator, backend, path = jpmml
    path.write_text(document_of(program), encoding="utf-8", newline="")
    evaluator = make_evaluator(str(path), backend=backend)
    check(program, rows, lambda row: evaluator.evaluate({name: as_java(entry) for name, entry in row.items()}))


def as_java(entry: Any) -> Any:
    return float(entry) if isinstance(entry, int) and not isinstance(entry, bool) else entry


def test_the_parts_stand_in_the_order_of_the_standard() -> None:
    schema = Schema((Feature("x", "binary", (False, True)),), Target("y", "binary", ("no", "yes")))
    program = LogicProgram(schema, (Rule((ValueCondition("x", (True,)),), "yes", 0.5),), (0.0,), (0.5,))
    root = ET.fromstring(to_pmml(program).encode())
    parts = [child.tag.removeprefix(SPACE) for child in root]
    assert parts == ["Header", "DataDictionary", "TransformationDictionary", "RegressionModel"]
    assert [child.tag.removeprefix(SPACE) for child in root[3]] == ["MiningSchema", "Output", "RegressionTable"]
    names = reduce(
        operator.add, [[e.get("name") for e in root.iter(f"{SPACE}{tag}")] for tag in ("DataField", "DerivedField")]
    )
    assert names == ["x", "nln rule 1", "nln output 1"]


@pytest.mark.parametrize("name", [name for name in NASTY if name not in ("\x01",)])
def test_any_name_that_xml_can_hold_reads_back(name: str) -> None:
    schema = Schema((Feature(name, "categorical", (name, "other")),), Target("y", "binary", ("no", name + "!")))
    program = LogicProgram(schema, (Rule((ValueCondition(name, (name,)),), name + "!", 0.75),), (0.0,), (0.5,))
    assert Document(to_pmml(program)).evaluate({name: name})["decision"] == name + "!"


def test_what_pmml_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match=r"XML cannot hold the character '\\x01'"):
        to_pmml(LogicProgram(Schema((), Target("y", "binary", ("no", "\x01"))), (), (0.0,), (0.5,)))
    with pytest.raises(ValueError, match="Target 'y' has values of different types"):
        to_pmml(LogicProgram(Schema((), Target("y", "binary", ("no", 1))), (), (0.0,), (0.5,)))
    with pytest.raises(ValueError, match="too large"):
        to_pmml(LogicProgram(Schema((), Target("y", "binary", (0, 2**60))), (), (0.0,), (0.5,)))
