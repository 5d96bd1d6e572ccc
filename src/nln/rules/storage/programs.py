"""The JSON form of programs: plain dictionaries that say all of a program and nothing else.

`docs/model-file.md` describes the form, `docs/model-file.schema.json` is its JSON Schema. Default values (no
`or missing`, a crisp boundary, an open end) are left out.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, cast

from nln.rules.children.table import ChildTable
from nln.rules.condition import Boundary, Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.derived.child_count import ChildCount
from nln.rules.history import ACTIONS, Action, Edit
from nln.rules.readings import PrefixReading
from nln.rules.rule import Coverage, ProgramParts, Rule, check_starts
from nln.rules.schema import FEATURE_KINDS, TARGET_KINDS, Feature, FeatureKind, Schema, Target, TargetKind, Value
from nln.rules.storage.derived import condition_to_dict, derived_to_dict, read_derived
from nln.rules.storage.reading import Node
from nln.rules.storage.readings import read_reading, reading_to_dict
from nln.rules.storage.tables import read_tables, tables_to_dict
from nln.rules.validate import listed

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

PROGRAM_FORMAT = "nln-program"
MODEL_FORMAT = "nln-model"

VERSION = 5
"""The newest version, with levels of codes; every version up to it is read."""

TABLES_VERSION, FLAT_VERSION = 4, 3
"""Versions of the form that are written without levels of codes, with child tables and without them, so that earlier
versions of nln read them."""

_READ_BY = {
    PROGRAM_FORMAT: "a program; read it with LogicProgram.load",
    MODEL_FORMAT: "a model; read it with load_model",
}


def program_to_dict(program: LogicProgram, also: Iterable[str] = ()) -> dict[str, Any]:
    """Turn a program into plain dictionaries, lists, text and numbers; `also` names features that other stages use."""
    target = program.schema.target
    used = set(program.features_used)
    schema = shared_schema(program, also)
    history = {"history": [_edit_to_dict(edit) for edit in program.history]} if program.history else {}
    return {
        "format": PROGRAM_FORMAT,
        "version": version_of(schema),
        "target": {"name": target.name, "kind": target.kind, "labels": list(target.labels)},
        "features": [_feature_to_dict(feature, used=feature.name in used) for feature in schema.features],
        **tables_to_dict(schema, _feature_to_dict),
        **rules_to_dict(program),
        **history,
    }


def shared_schema(program: LogicProgram, also: Iterable[str] = ()) -> Schema:
    """Return the schema as files and reports hold it: without the values of features that no rule asks about.

    Those may be names of people, and nothing needs them. Features that calculations are made of keep theirs, and so do
    features of names that all tables share: truth values, 0 and 1, weekdays.
    """
    asked = {*program.features_used, *also}
    asked |= {parent for f in program.schema.features if f.derived is not None for parent in f.derived.features}
    features = (
        f if f.name in asked or f.derived is not None or f.reading is not None or {0, 1}.issuperset(f.values)
        else replace(f, values=())
        for f in program.schema.features
    )  # fmt: skip
    tables = tuple(_shared_table(table, program.schema) for table in program.schema.tables)
    return Schema(tuple(features), program.schema.target, tables)


def version_of(schema: Schema) -> int:
    """Return the version of the form that holds a program over a schema."""
    features = (*schema.features, *(feature for table in schema.tables for feature in table.features))
    if any(isinstance(feature.reading, PrefixReading) for feature in features):
        return VERSION
    return TABLES_VERSION if schema.tables else FLAT_VERSION


def _shared_table(table: ChildTable, schema: Schema) -> ChildTable:
    counts = [f.derived for f in schema.features if isinstance(f.derived, ChildCount) and f.derived.table == table.name]
    asked = {condition.feature for count in counts for condition in count.conditions}
    kept = (
        f if f.name in asked or f.reading is not None or {0, 1}.issuperset(f.values) else replace(f, values=())
        for f in table.features
    )
    return replace(table, features=tuple(kept))


def rules_to_dict(program: LogicProgram) -> dict[str, Any]:
    """Turn the outputs and rules of a program into plain data: all but its schema and its history."""
    outputs = []
    for k, (label, bias) in enumerate(zip(program.schema.target.outputs, program.biases, strict=True)):
        threshold = {"threshold": program.thresholds[k]} if program.thresholds else {}
        outputs.append({"label": label, "bias": bias, **threshold})
    return {"outputs": outputs, "rules": [_rule_to_dict(rule) for rule in program.rules]}


def read_parts(node: Node) -> ProgramParts:
    """Read what `program_to_dict` wrote; every error names the place."""
    check_header(node, PROGRAM_FORMAT)
    fields = node.fields(("format", "version", "target", "features", "outputs", "rules"), ("history", "tables"))
    target = _read_target(fields["target"])
    tables = read_tables(fields["tables"], _read_feature) if "tables" in fields else ()
    schema = _read_schema(fields["features"], target, tables)
    parts = read_rules(fields, schema, fields["version"].count())
    history = tuple(_read_edit(item) for item in fields["history"].items()) if "history" in fields else ()
    return parts._replace(history=history)


def read_rules(fields: Mapping[str, Node], schema: Schema, version: int = VERSION) -> ProgramParts:
    """Read what `rules_to_dict` wrote, over a schema."""
    biases, thresholds = _read_outputs(fields["outputs"], schema.target)
    rules = tuple(_read_rule(item, schema, version) for item in fields["rules"].items())
    return ProgramParts(schema, rules, biases, thresholds, ())


def check_header(node: Node, expected: str) -> None:
    """Check format and version first: a newer version may have keys that this one does not know."""
    if not isinstance(node.data, Mapping):
        raise node.wrong("be an object")
    found = node.data.get("format")
    if found != expected:
        if isinstance(found, str) and found in _READ_BY:
            raise node.error(f"This is {_READ_BY[found]}.")
        raise node.error(f"This is no {expected}: its 'format' is {reprlib.repr(found)}.")
    place = Node(node.data.get("version"), f"{node.place}.version" if node.place else "version")
    if place.data is None or place.count() < 1:
        raise place.wrong("be a whole number of at least 1")
    if place.data > VERSION:
        raise place.error(f"{place.data} is newer than {VERSION}, the newest that this nln reads. Update nln.")


def _feature_to_dict(feature: Feature, *, used: bool) -> dict[str, Any]:
    """Turn a feature into a dictionary; the range tells something of the rows, so it stays with the features used."""
    result: dict[str, Any] = {"name": feature.name, "kind": feature.kind}
    if not feature.is_numeric:
        result["values"] = list(feature.values)
    if feature.period is not None:
        result["period"] = feature.period
    if feature.derived is not None:
        result["derived"] = derived_to_dict(feature.derived)
    if feature.reading is not None:
        result["reading"] = reading_to_dict(feature.reading)
    if feature.whole:
        result["whole"] = True
    if feature.range is not None and used:
        result["range"] = list(feature.range)
    return result


def _rule_to_dict(rule: Rule) -> dict[str, Any]:
    result: dict[str, Any] = {"label": rule.label, "weight": rule.weight}
    if rule.coverage is not None:
        result["coverage"] = asdict(rule.coverage)
    if rule.starts is not None:
        result["starts"] = list(rule.starts)
    result["conditions"] = [condition_to_dict(condition) for condition in rule.conditions]
    return result


def _edit_to_dict(edit: Edit) -> dict[str, Any]:
    result: dict[str, Any] = {"time": edit.time, "action": edit.action, "rule": edit.rule}
    for name in ("author", "reason", "before", "after"):
        if getattr(edit, name):
            result[name] = getattr(edit, name)
    return result


def _read_edit(node: Node) -> Edit:
    fields = node.fields(("time", "action", "rule"), ("author", "reason", "before", "after"))
    action = cast(Action, fields["action"].choice(ACTIONS))
    number = fields["rule"].count()
    said: dict[str, Any] = {"before": None, "after": None, "author": ""}
    said |= {name: field.text() for name, field in fields.items() if name not in ("action", "rule")}
    with node.located():
        return Edit(action, number, **said)


def _read_target(node: Node) -> Target:
    fields = node.fields(("name", "kind", "labels"))
    kind = cast(TargetKind, fields["kind"].choice(TARGET_KINDS))
    name, labels = fields["name"].text(), fields["labels"].values()
    with fields["labels"].located():
        return Target(name, kind, labels)


def _read_schema(node: Node, target: Target, tables: tuple[ChildTable, ...]) -> Schema:
    """Read the features: first those of the table, then those that are calculated from features before them."""
    known: dict[str, Feature] = {}
    items = node.items()
    features = {}
    for place in sorted(range(len(items)), key=lambda place: _depth(items[place].data)):
        features[place] = _read_feature(items[place], known, tables)
        known[features[place].name] = features[place]
    with node.located():
        return Schema(tuple(features[place] for place in range(len(items))), target, tables)


def _depth(data: Any) -> int:
    """Return 0 for a feature of the table, 1 for one that is calculated, 2 for a count, which may ask about both."""
    derived = data.get("derived") if isinstance(data, Mapping) else None
    return (derived is not None) + (isinstance(derived, Mapping) and "count" in derived)


def _read_feature(node: Node, known: Mapping[str, Feature], tables: tuple[ChildTable, ...] = ()) -> Feature:
    fields = node.fields(("name", "kind"), ("values", "period", "reading", "whole", "range", "derived"))
    kind = cast(FeatureKind, fields["kind"].choice(FEATURE_KINDS))
    needed = {"continuous": (), "probability": (), "periodic": ("period",)}.get(kind, ("values",))
    for key in ("values", "period"):
        if (key in fields) != (key in needed):
            article = "an" if kind == "ordinal" else "a"
            raise node.error(
                f"lacks the key {key!r}." if key in needed else f"{article} {kind} feature has no {key!r}."
            )
    values = fields["values"].values() if "values" in fields else ()
    period = fields["period"].number() if "period" in fields else None
    reading = read_reading(fields["reading"]) if "reading" in fields else None
    name = fields["name"].text()
    whole = fields["whole"].flag() if "whole" in fields else False
    ends = _read_range(fields["range"]) if "range" in fields else None
    derived = read_derived(fields["derived"], known, _read_condition, tables) if "derived" in fields else None
    with fields.get("values", fields.get("period", node)).located():
        return Feature(name, kind, values, period, reading, whole, ends, derived)


def _read_range(node: Node) -> tuple[float, float]:
    ends = [item.number() for item in node.items()]
    if len(ends) != 2:
        raise node.wrong("be two numbers, the least and the largest")
    return ends[0], ends[1]


def _read_outputs(node: Node, target: Target) -> tuple[tuple[float, ...], tuple[float, ...]]:
    items = node.items()
    if len(items) != len(target.outputs):
        raise node.error(f"must list {listed(target.outputs)}, in this order, but lists {len(items)}.")
    is_multiclass = target.kind == "multiclass"
    keys, threshold = ("label", "bias"), ("threshold",)
    outputs = [item.fields(keys, threshold) if is_multiclass else item.fields(keys + threshold) for item in items]
    for fields, label in zip(outputs, target.outputs, strict=True):
        if fields["label"].value() != label:
            raise fields["label"].wrong(f"be {label!r}")
    thresholds = tuple(fields["threshold"].probability() for fields in outputs if "threshold" in fields)
    return tuple(fields["bias"].probability() for fields in outputs), thresholds


def _read_rule(node: Node, schema: Schema, version: int) -> Rule:
    weight = "probability" if version == 1 else "weight"  # its name in the first version
    fields = node.fields(("label", weight, "conditions"), ("coverage",) if version == 1 else ("coverage", "starts"))
    label = fields["label"].value()
    if label not in schema.target.outputs:
        raise fields["label"].wrong(f"be an output ({listed(schema.target.outputs)})")
    conditions: dict[str, Condition] = {}
    for item in fields["conditions"].items():
        condition = _read_condition(item, schema.by_name)
        if condition.feature in conditions:
            raise item.error(f"the rule has a condition on {condition.feature!r} already; join them into one.")
        conditions[condition.feature] = condition
    coverage = _read_coverage(fields["coverage"]) if "coverage" in fields else None
    starts = _read_starts(fields["starts"]) if "starts" in fields else None
    return Rule(tuple(conditions.values()), label, fields[weight].probability(), coverage, starts)


def _read_starts(node: Node) -> tuple[int, int]:
    items = node.items()
    if len(items) != 2:
        raise node.wrong("be two numbers: the starts that found the rule, and all starts")
    found, of = (item.count() for item in items)
    with node.located():
        check_starts(found, of)
    return found, of


def _read_coverage(node: Node) -> Coverage:
    counts = {name: field.count() for name, field in node.fields(("rows", "of_rows", "hits", "of_hits")).items()}
    with node.located():
        return Coverage(**counts)


def _read_condition(node: Node, features: Mapping[str, Feature]) -> Condition:
    name = node.fields(("feature",), ("values", "intervals", "negated", "missing"))["feature"]
    feature = features.get(name.text())
    if feature is None:
        raise name.wrong(f"be a feature ({listed(features)})")
    takes, refuses = ("intervals", "values") if feature.is_ordered else ("values", "intervals")
    if refuses in node.data:
        raise node.error(f"the {feature.kind} feature {feature.name!r} takes {takes!r}, not {refuses!r}.")
    fields = node.fields(("feature", takes), ("missing",) if feature.is_ordered else ("negated", "missing"))
    missing = fields["missing"].probability() if "missing" in fields else 0.0
    if feature.is_ordered:
        intervals = tuple(_read_interval(item, feature) for item in fields["intervals"].items())
        with fields["intervals"].located():
            return IntervalCondition(feature.name, intervals, missing)
    values = tuple(_read_category(item, feature) for item in fields["values"].items())
    negated = fields["negated"].flag() if "negated" in fields else False
    with fields["values"].located():
        return ValueCondition(feature.name, values, negated, missing)


def _read_category(node: Node, feature: Feature) -> Value:
    value = node.value()
    if value not in feature.values:
        raise node.wrong(f"be a value of {feature.name!r} ({listed(feature.values)})")
    return value


def _read_interval(node: Node, feature: Feature) -> Interval:
    fields = node.fields((), ("low", "high"))
    ends = {name: _read_boundary(field, feature) for name, field in fields.items()}
    with node.located():
        return Interval(**ends)


def _read_boundary(node: Node, feature: Feature) -> Boundary:
    fields = node.fields(("value",), ("width",))
    value = fields["value"].number()
    width = fields["width"].number() if "width" in fields else 0.0
    if not feature.is_numeric and not (value.is_integer() and 1 <= value < len(feature.values)):
        raise fields["value"].wrong(f"be a rank from 1 to {len(feature.values) - 1} of the ordinal feature")
    if feature.period is not None and not 0 < value < feature.period:
        raise fields["value"].wrong(f"lie between 0 and the period, {feature.period!r}; an open end lies at 0")
    if width < 0 or (width and feature.kind != "continuous"):
        raise fields["width"].wrong(f"be 0 for the {feature.kind} feature" if width > 0 else "be at least 0")
    return Boundary(value, width)
