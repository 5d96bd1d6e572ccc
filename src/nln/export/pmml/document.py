"""Programs as PMML 4.4: derived fields compute the rules, output fields give probabilities and decisions.

PMML's own rule sets vote or take the first hit and cannot combine probabilities. So the arithmetic is done in the
transformation dictionary, and the model itself only returns the first probability.
"""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree as ET

from nln.export.calculations import asked_columns, asked_features, calculation, calculations
from nln.export.plain import plain_conditions, rules_by_output
from nln.export.pmml.calculations import calculated, finite
from nln.export.pmml.expressions import apply, constant, degree, field, own_value, product, values_type
from nln.export.wording import ResultNames, result_names
from nln.rules.program import LogicProgram

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_pmml(program: LogicProgram) -> str:
    """Write a PMML document.

    Parameters
    ----------
    program : LogicProgram
        The program to write.

    Returns
    -------
    str
        A document whose output fields are `p_<label>` for each output as `predict_proba` gives it and `decision` as
        `predict` gives it, or `decision_<label>` for each label of a multi-label target. The value that the model
        itself predicts is the first of the probabilities.

    Raises
    ------
    ValueError
        If a name or value holds a character that XML cannot hold, or a feature has values of different types.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Rule, Schema, Target
    >>> schema = Schema((), Target("class", "binary", ("no", "yes")))
    >>> document = to_pmml(LogicProgram(schema, (Rule((), "yes", 0.75),), biases=(0.0,), thresholds=(0.5,)))
    >>> [field.get("name") for field in ET.fromstring(document).iter("{http://www.dmg.org/PMML-4_4}OutputField")]
    ['p_yes', 'decision']
    """
    root = ET.Element("PMML", version="4.4", xmlns="http://www.dmg.org/PMML-4_4")
    ET.SubElement(ET.SubElement(root, "Header"), "Application", name="nln")
    names = result_names(program.schema)
    schema = program.schema
    taken = {*schema.names, *schema.columns, schema.target.name, *names.probabilities, *names.decisions}
    prefix = "nln"
    while any(name.startswith(prefix) for name in taken):
        prefix += "_"
    _add_dictionary(root, program)
    _add_transformations(root, program, prefix)
    _add_model(root, program, names, prefix)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode").replace("\r", "&#13;")
    if found := _NOT_XML.search(text):
        raise ValueError(f"XML cannot hold the character {found[0]!r}, which occurs in a name or a value.")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _add_dictionary(root: ET.Element, program: LogicProgram) -> None:
    dictionary = ET.SubElement(root, "DataDictionary")
    for name, feature in asked_columns(program).items():
        kind = "double" if feature.is_numeric else values_type(feature.values, f"Feature {feature.name!r}")
        optype = "continuous" if feature.is_numeric else "categorical"
        ET.SubElement(dictionary, "DataField", name=name, optype=optype, dataType=kind)


def _add_transformations(root: ET.Element, program: LogicProgram, prefix: str) -> None:
    dictionary = ET.SubElement(root, "TransformationDictionary")
    fields = _add_features(dictionary, program, prefix)
    degrees = _add_conditions(dictionary, program, prefix, fields)
    for i, rule in enumerate(degrees):
        _derive(dictionary, f"{prefix} rule {i + 1}", apply("*", constant(program.rules[i].weight), product(rule)))
    for k, (bias, rules) in enumerate(zip(program.biases, rules_by_output(program), strict=True)):
        absent = [apply("-", constant(1.0), field(f"{prefix} rule {i + 1}")) for i in rules]
        absent.insert(0, constant(1.0 - bias))
        _derive(dictionary, f"{prefix} output {k + 1}", apply("-", constant(1.0), product(absent)))
    if program.schema.target.kind == "multiclass":
        outputs = [field(f"{prefix} output {k + 1}") for k in range(len(program.biases))]
        _derive(dictionary, f"{prefix} total", apply("sum", *outputs))
        for k, threshold in enumerate(program.thresholds):
            _derive(dictionary, f"{prefix} measure {k + 1}", apply("/", outputs[k], constant(threshold)))


def _add_conditions(
    dictionary: ET.Element, program: LogicProgram, prefix: str, fields: dict[str, str]
) -> list[list[ET.Element]]:
    """Derive the conditions that several rules share, each once; return those of each rule, by name or written out."""
    asked = [plain_conditions(rule, program) for rule in program.rules]
    times = Counter(pair for rule in asked for pair in rule)
    shared: dict[object, str] = {}
    for pair in (pair for pair, n in times.items() if n > 1):
        shared[pair] = f"{prefix} condition {len(shared) + 1}"
        _derive(dictionary, shared[pair], degree(*pair, fields[pair[1].name]))
    return [
        [field(shared[pair]) if pair in shared else degree(*pair, fields[pair[1].name]) for pair in rule]
        for rule in asked
    ]


def _add_features(dictionary: ET.Element, program: LogicProgram, prefix: str) -> dict[str, str]:
    """Derive what rules ask about from the fields of the table; return the field of each feature."""
    fields = {}
    for feature in asked_features(program):
        expression = own_value(feature)
        fields[feature.name] = feature.name if expression is None else f"{prefix} feature {feature.name}"
        if expression is not None:
            _derive(dictionary, fields[feature.name], expression, is_text=not feature.is_numeric)
    for place, feature in enumerate(calculations(program), 1):
        name = f"{prefix} calculation {place}"
        said = calculation(feature, program.schema)
        if "above" in said:
            _derive(dictionary, f"{prefix} result {place}", calculated(said, program.schema, fields))
            _derive(dictionary, name, finite(f"{prefix} result {place}"))
        else:
            _derive(dictionary, name, calculated(said, program.schema, fields))
        fields[feature.name] = name
    return fields


def _derive(dictionary: ET.Element, name: str, expression: ET.Element, *, is_text: bool = False) -> None:
    optype, kind = ("categorical", "string") if is_text else ("continuous", "double")
    ET.SubElement(dictionary, "DerivedField", name=name, optype=optype, dataType=kind).append(expression)


def _add_model(root: ET.Element, program: LogicProgram, names: ResultNames, prefix: str) -> None:
    model = ET.SubElement(root, "RegressionModel", modelName="rules", functionName="regression")
    schema = ET.SubElement(model, "MiningSchema")
    for name in asked_columns(program):
        ET.SubElement(schema, "MiningField", name=name, invalidValueTreatment="asIs")
    answer = ET.SubElement(model, "Output")
    outputs = [f"{prefix} output {k + 1}" for k in range(len(program.biases))]
    for k, name in enumerate(names.probabilities):
        is_shared = program.schema.target.kind == "multiclass"
        share = _share(outputs[k], f"{prefix} total", len(outputs)) if is_shared else field(outputs[k])
        _answer(answer, name, "continuous", "double", share)
    _add_decisions(answer, program, names, prefix)
    table = ET.SubElement(model, "RegressionTable", intercept="0")
    ET.SubElement(table, "NumericPredictor", name=outputs[0], coefficient="1")


def _add_decisions(answer: ET.Element, program: LogicProgram, names: ResultNames, prefix: str) -> None:
    target = program.schema.target
    if target.kind == "multiclass":
        measured = [
            f"{prefix} {'measure' if program.thresholds else 'output'} {k + 1}" for k in range(len(target.labels))
        ]
        kind = values_type(target.labels, f"Target {target.name!r}")
        labels = [constant(label, kind) for label in target.labels]
        _answer(answer, names.decisions[0], "categorical", kind, _first_highest(measured, labels))
        return
    holds = [
        apply("greaterOrEqual", field(f"{prefix} output {k}"), constant(threshold))
        for k, threshold in enumerate(program.thresholds, 1)
    ]
    if target.kind == "binary":
        kind = values_type(target.labels, f"Target {target.name!r}")
        no, yes = (constant(label, kind) for label in target.labels)
        _answer(answer, names.decisions[0], "categorical", kind, apply("if", holds[0], yes, no))
        return
    for name, test in zip(names.decisions, holds, strict=True):
        _answer(answer, name, "categorical", "integer", apply("if", test, constant(1), constant(0)))


def _first_highest(measured: list[str], labels: list[ET.Element]) -> ET.Element:
    """Write the label of the highest field, the first in a tie: of two halves, the one that holds it."""
    if len(measured) == 1:
        return labels[0]
    middle = len(measured) // 2
    is_first = apply("greaterOrEqual", _highest(measured[:middle]), _highest(measured[middle:]))
    halves = (_first_highest(measured[part], labels[part]) for part in (slice(middle), slice(middle, None)))
    return apply("if", is_first, *halves)


def _highest(fields: list[str]) -> ET.Element:
    return field(fields[0]) if len(fields) == 1 else apply("max", *map(field, fields))


def _share(output: str, total: str, n_outputs: int) -> ET.Element:
    """Divide by the sum; equal shares if all outputs are zero."""
    some = apply("greaterThan", field(total), constant(0.0))
    return apply("if", some, apply("/", field(output), field(total)), constant(1.0 / n_outputs))


def _answer(answer: ET.Element, name: str, optype: str, kind: str, expression: ET.Element) -> None:
    output = ET.SubElement(answer, "OutputField", name=name, optype=optype, dataType=kind, feature="transformedValue")
    output.append(expression)
