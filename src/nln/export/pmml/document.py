"""Programs as PMML 4.4: derived fields compute the rules, output fields give probabilities and decisions.

PMML's own rule sets vote or take the first hit and cannot combine probabilities. So the arithmetic is done in the
transformation dictionary, and the model itself only returns the first probability.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from nln.export.calculations import asked_features, calculation, calculations
from nln.export.plain import plain_conditions, rules_by_output
from nln.export.pmml.calculations import calculated, finite
from nln.export.pmml.expressions import apply, constant, degree, field, in_range, product, values_type
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
    taken = {*program.schema.names, program.schema.target.name, *names.probabilities, *names.decisions}
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
    for feature in asked_features(program):
        kind = "double" if feature.is_numeric else values_type(feature.values, f"Feature {feature.name!r}")
        optype = "continuous" if feature.is_numeric else "categorical"
        ET.SubElement(dictionary, "DataField", name=feature.name, optype=optype, dataType=kind)


def _add_transformations(root: ET.Element, program: LogicProgram, prefix: str) -> None:
    dictionary = ET.SubElement(root, "TransformationDictionary")
    fields = _add_features(dictionary, program, prefix)
    for i, rule in enumerate(program.rules):
        degrees = [degree(c, feature, fields[feature.name]) for c, feature in plain_conditions(rule, program)]
        _derive(dictionary, f"{prefix} rule {i + 1}", apply("*", constant(rule.weight), product(degrees)))
    for k, (bias, rules) in enumerate(zip(program.biases, rules_by_output(program), strict=True)):
        absent = [apply("-", constant(1.0), field(f"{prefix} rule {i + 1}")) for i in rules]
        absent.insert(0, constant(1.0 - bias))
        _derive(dictionary, f"{prefix} output {k + 1}", apply("-", constant(1.0), product(absent)))


def _add_features(dictionary: ET.Element, program: LogicProgram, prefix: str) -> dict[str, str]:
    """Derive what rules ask about from the fields of the table; return the field of each feature."""
    fields = {}
    for feature in asked_features(program):
        expression = in_range(feature)
        fields[feature.name] = feature.name if expression is None else f"{prefix} feature {feature.name}"
        if expression is not None:
            _derive(dictionary, fields[feature.name], expression)
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


def _derive(dictionary: ET.Element, name: str, expression: ET.Element) -> None:
    ET.SubElement(dictionary, "DerivedField", name=name, optype="continuous", dataType="double").append(expression)


def _add_model(root: ET.Element, program: LogicProgram, names: ResultNames, prefix: str) -> None:
    model = ET.SubElement(root, "RegressionModel", modelName="rules", functionName="regression")
    schema = ET.SubElement(model, "MiningSchema")
    for feature in asked_features(program):
        ET.SubElement(schema, "MiningField", name=feature.name, invalidValueTreatment="asIs")
    answer = ET.SubElement(model, "Output")
    outputs = [f"{prefix} output {k + 1}" for k in range(len(program.biases))]
    for k, name in enumerate(names.probabilities):
        share = _share(outputs, k) if program.schema.target.kind == "multiclass" else field(outputs[k])
        _answer(answer, name, "continuous", "double", share)
    _add_decisions(answer, program, names, outputs)
    table = ET.SubElement(model, "RegressionTable", intercept="0")
    ET.SubElement(table, "NumericPredictor", name=outputs[0], coefficient="1")


def _add_decisions(answer: ET.Element, program: LogicProgram, names: ResultNames, outputs: list[str]) -> None:
    target = program.schema.target
    holds = [apply("greaterOrEqual", field(o), constant(t)) for o, t in zip(outputs, program.thresholds, strict=False)]
    if target.kind == "multilabel":
        for name, test in zip(names.decisions, holds, strict=True):
            _answer(answer, name, "categorical", "integer", apply("if", test, constant(1), constant(0)))
        return

    def measured(k: int) -> ET.Element:
        output = field(outputs[k])
        return apply("/", output, constant(program.thresholds[k])) if program.thresholds else output

    kind = values_type(target.labels, f"Target {target.name!r}")
    labels = [constant(label, kind) for label in target.labels]
    if target.kind == "binary":
        decision = apply("if", holds[0], labels[1], labels[0])
    else:
        decision = labels[-1]
        for k in reversed(range(len(outputs) - 1)):
            later = [apply("greaterOrEqual", measured(k), measured(other)) for other in range(k + 1, len(outputs))]
            decision = apply("if", later[0] if len(later) == 1 else apply("and", *later), labels[k], decision)
    _answer(answer, names.decisions[0], "categorical", kind, decision)


def _share(outputs: list[str], k: int) -> ET.Element:
    """Divide by the sum; equal shares if all outputs are zero."""
    some = apply("greaterThan", apply("sum", *map(field, outputs)), constant(0.0))
    share = apply("/", field(outputs[k]), apply("sum", *map(field, outputs)))
    return apply("if", some, share, constant(1.0 / len(outputs)))


def _answer(answer: ET.Element, name: str, optype: str, kind: str, expression: ET.Element) -> None:
    output = ET.SubElement(answer, "OutputField", name=name, optype=optype, dataType=kind, feature="transformedValue")
    output.append(expression)
