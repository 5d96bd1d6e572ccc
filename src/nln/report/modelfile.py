"""The model file that the page saves, in pieces of JSON text.

The page joins the pieces and writes only the conditions that were edited. Text keeps what a script's numbers would
lose: `1.0` and integers of more than 53 bits.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from nln.model import SavedModel
from nln.rules import LogicProgram
from nln.rules.language.text import rule_line
from nln.rules.storage.programs import program_to_dict, shared_schema

_BY_STAGE = ("outputs", "rules", "history")

_BY_RULES = ("made", "importances", "path", "program")
"""Members of a model file that tell of its rules: a model with other rules does not keep them as they are."""


def file_data(model: SavedModel, programs: Sequence[LogicProgram]) -> dict[str, Any]:
    """Cut the model file of each of these programs into pieces; they differ in what the rules say only.

    The result has `model` and `program`, the members that all files share, and `edited`, those of a model whose rules
    were changed, which has neither their scores nor their path; `labels` (of the outputs) and `values` (of
    each feature); and `stages`, for each program its `outputs`, `history` and `rules`, each rule with its `text`, the
    texts of its `conditions` and its `line` in the rule language.
    """
    document = model.to_dict()
    made = {name: part for name, part in document.get("made", {}).items() if name != "scores"}
    edited = {name: part for name, part in document.items() if name not in _BY_RULES}
    shared = {name: part for name, part in document.pop("program").items() if name not in _BY_STAGE}
    schema = shared_schema(model.program_, model.path_.features_used)
    return {
        "model": _members(document),
        "edited": _members({**edited, **({"made": made} if made else {})}),
        "program": _members(shared),
        "labels": [_text(label) for label in schema.target.outputs],
        "values": [[_text(value) for value in feature.values] for feature in schema.features],
        "stages": [_stage(program) for program in programs],
    }


def _stage(program: LogicProgram) -> dict[str, Any]:
    found = program_to_dict(program)
    return {
        "outputs": _text(found["outputs"]),
        "history": [_text(edit) for edit in found.get("history", [])],
        "rules": [
            {
                "text": _text(data),
                "conditions": [_text(condition) for condition in data["conditions"]],
                "line": rule_line(rule, program.schema),
            }
            for rule, data in zip(program.rules, found["rules"], strict=True)
        ],
    }


def _members(data: Mapping[str, Any]) -> list[str]:
    return [f"{_text(name)}: {_text(part)}" for name, part in data.items()]


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)
