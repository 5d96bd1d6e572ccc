import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.rules import Feature, LogicProgram, Schema, Target
from nln.rules.storage.files import dump_json, load_json
from nln.rules.storage.programs import shared_schema
from nln.rules.storage.reading import ModelFormatError
from tests import tools
from tests.rules.kidney import PROGRAM
from tests.rules.strategies import programs, programs_and_rows

DATA = Path(__file__).parents[1] / "data"


@given(programs())
def test_a_program_reads_back_from_json_the_same_to_the_types_of_its_values(program):
    text = dump_json(program.to_dict())
    again = LogicProgram.from_dict(load_json(text))
    program = replace(program, schema=shared_schema(program))  # without the values that no rule asks about
    assert again == program
    assert again.to_dict() == program.to_dict()
    # 1, 1.0 and true are equal in Python; their spellings are not.
    assert dump_json(again.to_dict()) == text
    used = [f if f.name in program.features_used else replace(f, range=None) for f in program.schema.features]
    assert repr(again.schema) == repr(replace(program.schema, features=tuple(used)))
    assert repr(again.rules) == repr(program.rules)


@settings(deadline=None, max_examples=50)
@given(programs_and_rows())
def test_a_program_from_json_predicts_the_same(case):
    program, rows = case
    again = LogicProgram.from_dict(json.loads(dump_json(program.to_dict())))
    np.testing.assert_array_equal(again.predict_proba(rows), program.predict_proba(rows))


def test_the_form_looks_like_this():
    assert dump_json(PROGRAM.to_dict()) == (DATA / "program-v3.json").read_text(encoding="utf-8")
    for version in (1, 2, 3):
        assert LogicProgram.load(DATA / f"program-v{version}.json") == PROGRAM


def test_a_stored_program_of_version_1_predicts_as_it_did():
    program = LogicProgram.load(DATA / "program-v1.json")
    stored = json.loads((DATA / "program-v1.predictions.json").read_text(encoding="utf-8"))
    assert program.predict(stored["rows"]).tolist() == stored["decisions"]
    np.testing.assert_allclose(program.predict_proba(stored["rows"]), stored["probabilities"], rtol=1e-12)


@pytest.mark.parametrize(
    "name", ["program-v3.json", *(f"{kind}-v{version}.json" for kind in ("program", "model") for version in (1, 2))]
)
def test_stored_files_follow_the_schema(name):
    tools.model_file_validator().validate(json.loads((DATA / name).read_text(encoding="utf-8")))


@settings(deadline=None, max_examples=100)
@given(programs())
def test_every_program_follows_the_schema(program):
    tools.model_file_validator().validate(json.loads(dump_json(program.to_dict())))


def test_the_schema_refuses_what_the_reader_refuses():
    validator = tools.model_file_validator()
    for change in ("rules", "format", "target"):
        document = PROGRAM.to_dict()
        del document[change]
        assert not validator.is_valid(document)
    assert not validator.is_valid({**PROGRAM.to_dict(), "more": 1})


def broken(*path, to=None, drop=False):
    document = copy.deepcopy(PROGRAM.to_dict())
    part = document
    for key in path[:-1]:
        part = part[key]
    if drop:
        del part[path[-1]]
    else:
        part[path[-1]] = to
    return document


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "must be an object, not []"),
        ({}, "This is no nln-program: its 'format' is None"),
        (broken("format", to="pickle"), "its 'format' is 'pickle'"),
        (broken("format", to="nln-model"), "This is a model; read it with load_model"),
        (broken("version", to=6), "version: 6 is newer than 5"),
        (broken("features", 1, "whole", to=1), r"features[1].whole: must be true or false, not 1"),
        (broken("features", 1, "range", to=[1]), r"features[1].range: must be two numbers, the least and the largest"),
        (broken("features", 0, "whole", to=True), "holds no whole numbers; only a continuous feature may"),
        (broken("version", to=0), "version: must be a whole number of at least 1, not 0"),
        (broken("version", to=True), "version: must be a whole number"),
        (broken("version", drop=True), "version: must be a whole number of at least 1, not None"),
        (broken("extra", to=1), "has the unknown key 'extra'; allowed: format, version"),
        (broken("rules", drop=True), "lacks the key 'rules'"),
        (broken("rules", to={}), "rules: must be an array, not {}"),
        (broken("target", "kind", to="regression"), "target.kind: must be one of 'binary', 'multiclass', 'multilabel'"),
        (broken("target", "labels", to=["a"]), "target.labels: A binary target has 2 labels, not 1"),
        (broken("target", "labels", 0, to=None), "target.labels[0]: must be text, a number, true or false, not None"),
        (broken("target", "labels", 0, to=float("nan")), "target.labels[0]: must be a finite number"),
        (broken("target", "name", to=3), "target.name: must be text, not 3"),
        (broken("target", "name", to="a\ud800"), "target.name: holds half of a surrogate pair"),
        (broken("features", 0, "values", drop=True), "features[0]: lacks the key 'values'"),
        (broken("features", 1, "values", to=[]), "features[1]: a continuous feature has no 'values'"),
        (broken("features", 0, "values", to=[1, 1]), "features[0].values: Feature 'albumin' lists a value twice"),
        (broken("features", 0, "name", to="hemoglobin"), "features: Feature names must differ"),
        (broken("outputs", to=[]), "outputs: must list 'ckd', in this order, but lists 0"),
        (broken("outputs", 0, "label", to="notckd"), "outputs[0].label: must be 'ckd', not 'notckd'"),
        (broken("outputs", 0, "bias", to=-0.1), "outputs[0].bias: must lie in [0, 1], not -0.1"),
        (broken("outputs", 0, "threshold", drop=True), "outputs[0]: lacks the key 'threshold'"),
        (broken("rules", 2, "label", to="notckd"), "rules[2].label: must be an output ('ckd'), not 'notckd'"),
        (broken("rules", 0, "weight", to="1"), "rules[0].weight: must be a number, not '1'"),
        (broken("rules", 0, "weight", to=10**400), "rules[0].weight: must be a finite number"),
        (broken("rules", 0, "weight", to=True), "rules[0].weight: must be a number, not True"),
        (
            broken("rules", 0, "probability", to=0.5),
            "rules[0]: has the unknown key 'probability'; allowed: label, w",
        ),
        (broken("version", to=1), "rules[0]: has the unknown key 'weight'; allowed: label, probability"),
        (broken("rules", 0, "starts", to=[1]), "rules[0].starts: must be two numbers"),
        (broken("rules", 0, "starts", to=[6, 5]), "rules[0].starts: A rule cannot be found in 6 of 5 starts"),
        (broken("rules", 0, "coverage", "hits", to=1.5), "rules[0].coverage.hits: must be a whole number"),
        (broken("rules", 0, "coverage", "rows", to=5), "rules[0].coverage: A rule cannot cover"),
        (
            broken("rules", 0, "conditions", 1, "feature", to="albumin"),
            "rules[0].conditions[1]: the categorical feature 'albumin' takes 'values', not 'intervals'",
        ),
        (broken("rules", 0, "conditions", 0, "feature", to="age"), "rules[0].conditions[0].feature: must be a feature"),
        (
            broken("rules", 2, "conditions", 1, "values", 0, to=7),
            "rules[2].conditions[1].values[0]: must be a value of",
        ),
        (broken("rules", 2, "conditions", 1, "values", to=[2, 2]), "rules[2].conditions[1].values: A condition on"),
        (broken("rules", 0, "conditions", 0, "negated", to=1), "rules[0].conditions[0].negated: must be true or false"),
        (broken("rules", 1, "conditions", 0, "missing", to=2), "rules[1].conditions[0].missing: must lie in [0, 1]"),
        (
            broken("rules", 1, "conditions", 0, "intervals", 0, "low", "value", to="1"),
            "rules[1].conditions[0].intervals[0].low.value: must be a number",
        ),
        (
            broken("rules", 1, "conditions", 0, "intervals", 0, "low", "width", to=-1),
            "rules[1].conditions[0].intervals[0].low.width: must be at least 0, not -1",
        ),
        (
            broken("rules", 1, "conditions", 0, "intervals", 0, "high", to={"value": 1.3}),
            "rules[1].conditions[0].intervals[0]: An interval's lower boundary 1.3 must lie below 1.3",
        ),
        (
            broken("rules", 1, "conditions", 0, "intervals", to=[{}, {}]),
            "rules[1].conditions[0].intervals: The intervals of 'serum_creatinine' must be disjoint",
        ),
        (
            broken("rules", 2, "conditions", 1, to=PROGRAM.to_dict()["rules"][2]["conditions"][0]),
            "rules[2].conditions[1]: the rule has a condition on 'appetite' already",
        ),
    ],
)
def test_errors_name_the_place(document, message):
    with pytest.raises(ModelFormatError) as caught:
        LogicProgram.from_dict(document)
    assert message in str(caught.value)
    assert str(caught.value).startswith(caught.value.place)


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ({"value": 3}, "low.value: must be a rank from 1 to 2 of the ordinal feature, not 3"),
        ({"value": 1.5}, "low.value: must be a rank"),
        ({"value": 1, "width": 0.5}, "low.width: must be 0 for the ordinal feature, not 0.5"),
    ],
)
def test_boundaries_of_ordinal_features_are_crisp_ranks(end, message):
    schema = Schema((Feature("size", "ordinal", ("S", "M", "L")),), Target("class", "binary", (0, 1)))
    document = LogicProgram.parse("IF size >= M THEN class = 1", schema=schema).to_dict()
    document["rules"][0]["conditions"][0]["intervals"][0]["low"] = end
    with pytest.raises(ModelFormatError) as caught:
        LogicProgram.from_dict(document)
    assert message in str(caught.value)


@settings(deadline=None, max_examples=200)
@given(programs(), st.data())
def test_a_changed_document_loads_or_is_refused_with_our_error(program, data):
    document = program.to_dict()
    part, key = document, data.draw(st.sampled_from(sorted(document)))
    while isinstance(part[key], dict | list) and part[key] and data.draw(st.booleans()):
        part = part[key]
        key = data.draw(st.sampled_from(sorted(part) if isinstance(part, dict) else range(len(part))))
    part[key] = data.draw(
        st.sampled_from([None, True, -1, 0, 1, 2, 0.5, 1e308, 10**400, "", "x", [], {}, [[]], {"x": 1}])
    )
    try:
        again = LogicProgram.from_dict(document)
    except ModelFormatError:
        return
    assert LogicProgram.from_dict(again.to_dict()) == again


CALCULATING = LogicProgram.parse(
    "IF x / y / y >= 30 AND y - x < 2 AND a is b AND at least 1 of {x > 3; a = p} THEN class = yes",
    schema=Schema(
        (
            *(Feature(name, "continuous") for name in ("x", "y")),
            *(Feature(name, "categorical", ("p", "q")) for name in ("a", "b")),
        ),
        Target("class", "binary", ("no", "yes")),
    ),
)


def test_calculations_look_like_this():
    found = {feature["name"]: feature.get("derived") for feature in CALCULATING.to_dict()["features"]}
    assert found["x / y / y"] == {"arithmetic": {"plus": [["x"]], "over": {"plus": [["y", "y"]]}}}
    assert found["x - y"] == {"arithmetic": {"plus": [["x"]], "minus": [["y"]]}}
    assert found["a is b"] == {"same": ["a", "b"]}
    above_3 = {"feature": "x", "intervals": [{"low": {"value": 3.0000000000000004}}]}
    assert found["count of {a = p; x > 3}"] == {"count": [{"feature": "a", "values": ["p"]}, above_3]}
    assert LogicProgram.from_dict(CALCULATING.to_dict()) == CALCULATING
    tools.model_file_validator().validate(json.loads(dump_json(CALCULATING.to_dict())))


@pytest.mark.parametrize(
    ("derived", "message"),
    [
        ({"same": ["a"]}, "derived.same: must be two columns"),
        ({"same": ["a", "x"]}, "is` compares columns of values, but 'x'"),
        ({"same": ["a", "z"]}, r"same\[1\]: must be a feature"),
        ({"same": ["a", "b"], "count": []}, "must have one of the keys"),
        ({"count": [{"feature": "a", "values": ["p"]}]}, "derived.count: A count has at least 2 members"),
        ({"count": [{"feature": "a", "values": ["z"]}]}, r"values\[0\]: must be a value of 'a'"),
    ],
)
def test_errors_in_calculations_name_the_place(derived, message):
    document = CALCULATING.to_dict()
    document["features"] = [*document["features"][:4], {**document["features"][6], "derived": derived}]
    document["rules"] = []
    with pytest.raises(ModelFormatError, match=message):
        LogicProgram.from_dict(document)
