"""Everything that a report says, as one plain dictionary of text, numbers and lists, ready for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import nln
from nln.export.wording import spelling
from nln.made import Made
from nln.model import SavedModel, model_of
from nln.report.counts import describe_calibration, describe_coverage, describe_errors, describe_feature
from nln.report.modelfile import file_data
from nln.report.pagedata import program_data, rows_data
from nln.rules import LogicProgram, memberships, probabilities
from nln.rules.cells import Column
from nln.rules.language.text import LONG, conclusion_text, label_text
from nln.rules.schema import Target
from nln.rules.storage.programs import shared_schema
from nln.scores import compute_scores, count_confusion, find_outcomes, score_intervals

SEED = 0
"""Seed of the bootstrap and of the sample of rows: the same data give the same page."""


def summarize(
    program: LogicProgram,
    columns: Mapping[str, Column],
    truth: NDArray[np.bool_],
    *,
    title: str | None = None,
    include_rows: bool | int = False,
    path: Iterable[Any] = (),
    audit: Any = None,
    model: SavedModel | None = None,
) -> dict[str, Any]:
    """Gather everything that a report says about a program and a table.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    columns : mapping of str to array of shape (rows,)
        Every feature of the schema, as `read_columns` gives it.
    truth : array of bool of shape (rows, outputs)
        Which outputs hold in each row.
    title : str, default=None
        Heading of the page; by default it names the target.
    include_rows : bool or int, default=False
        Whether the page may hold rows of the table: none, all, or a sample of this size.
    path : iterable of PathPoint, default=()
        The dial between accuracy and simplicity; points without a `program` are ignored.
    audit : Audit, default=None
        The result of `nln.audit`, which gets a section of its own.
    model : SavedModel, default=None
        The model of the program: what the page tells about its making, and what it saves. By default it is made of the
        program alone.

    Returns
    -------
    dict
        Plain data. Without `include_rows` it holds counts, quantiles and scores only, and of the values of the table
        those of features that rules ask about.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.9)", schema=schema)
    >>> found = summarize(program, {"x": np.array([1.0, 2.0, 5.0])}, np.array([[True], [True], [False]]))
    >>> found["scores"][0]["name"], found["scores"][0]["value"], found["rows"]
    ('accuracy', 1.0, None)
    """
    rng = np.random.default_rng(SEED)
    schema, rows = program.schema, len(truth)
    outcomes = find_outcomes(program, probabilities(program, columns, rows=rows), truth)
    covered = memberships(program, columns, rows=rows) >= 0.5
    intervals = score_intervals(outcomes, rng)
    stages = _find_stages(program, path, columns, truth)
    asked = {name for stage in stages for name in stage.saved.features_used}
    described = shared_schema(program, asked)
    features = [
        describe_feature(
            feature if feature.name in asked else replace(feature, range=None), columns[feature.name], truth
        )
        for feature in described.features
    ]
    chosen = [stage.saved is program for stage in stages].index(True)
    model = model_of(program) if model is None else model
    about = f"{len(schema.target.labels)} labels" if schema.target.kind == "multilabel" else schema.target.name
    return {
        "title": title or f"Rules for {about}",
        "version": nln.__version__,
        "target": _describe_target(schema.target),
        "made": _describe_making(model.made_ or Made()),
        "table": {
            "rows": rows,
            "columns": len(features),
            "missing": sum(feature["missing"] for feature in features),
            "labels": [{"rows": count, "share": count / rows} for count in outcomes.holds.sum(axis=0).tolist()],
            "most": int(outcomes.holds.sum(axis=0).argmax()),
        },
        "features": features,
        "scores": [
            {"name": name, "value": value, "interval": intervals[name]}
            for name, value in compute_scores(outcomes).items()
        ],
        "confusion": count_confusion(outcomes),
        "calibration": describe_calibration(outcomes, schema.target),
        "coverage": describe_coverage(covered, outcomes),
        "errors": describe_errors(program, covered, outcomes),
        "programs": [program_data(stage.counted) for stage in stages],
        "chosen": chosen,
        "dial": _dial(stages, chosen, columns, truth) if len(stages) > 1 else None,
        "file": file_data(model, [stage.saved for stage in stages]),
        "audit": None if audit is None else _describe_audit(audit.to_dict()),
        "rows": None
        if include_rows is False
        else rows_data(columns, truth, _sample(rows, include_rows, rng), described),
    }


def _describe_audit(found: dict[str, Any]) -> dict[str, Any]:
    """Add which rules ask about a protected attribute or proxy, and the rule that changes each gap most."""
    rules = [{**rule, "asks": bool(rule["protected"] or rule["proxies"])} for rule in found["rules"]]
    strongest = []
    for g in range(len(found["gaps"])):
        moves = [{"rule": rule["rule"], "effect": rule["effects"][g]} for rule in rules if rule["effects"][g] != 0]
        strongest.append(max(moves, key=lambda move: abs(move["effect"]), default=None))
    return {**found, "rules": rules, "strongest": strongest}


def _describe_making(made: Made) -> dict[str, Any]:
    known = {name: getattr(made, name) for name in ("table", "rows", "date", "seed")}
    return {**known, "notes": list(made.notes), "version": made.versions.get("nln")}


def _describe_target(target: Target) -> dict[str, Any]:
    return {
        "name": target.name,
        "kind": target.kind,
        "labels": [spelling(label) for label in target.labels],
        "outputs": [target.labels.index(label) for label in target.outputs],
        "conclusions": [conclusion_text(target, label) for label in target.labels],
        "counted": [what if len(what := label_text(target, label)) <= LONG else None for label in target.labels],
    }


class _Stage(NamedTuple):
    """A program as the model holds it, the same with its coverage counted on the table, and its point of the path."""

    saved: LogicProgram
    counted: LogicProgram
    point: Any


def _find_stages(
    program: LogicProgram, path: Iterable[Any], columns: Mapping[str, Column], truth: NDArray[np.bool_]
) -> list[_Stage]:
    """Find the programs of the page, fewest rules first; of equal ones the first counts."""
    points = [point for point in path if getattr(point, "program", None) is not None]
    found: dict[LogicProgram, _Stage] = {}
    for saved, point in ((program, None), *((point.program, point) for point in points)):
        counted = saved.count_coverage(columns, truth)
        first = found.setdefault(counted, _Stage(saved, counted, point))
        if first.point is None:
            found[counted] = first._replace(point=point)
    return sorted(found.values(), key=lambda stage: (stage.counted.n_rules, stage.counted.size))


def _dial(stages: list[_Stage], chosen: int, columns: Mapping[str, Column], truth: NDArray[np.bool_]) -> dict[str, Any]:
    points = []
    for _, program, point in stages:
        outcomes = find_outcomes(program, probabilities(program, columns, rows=len(truth)), truth)
        about = {name: getattr(point, name, None) for name in ("price", "validation_loss")}
        points.append({"rules": program.n_rules, "size": program.size, **about, "scores": compute_scores(outcomes)})
    return {"chosen": chosen, "points": points}


def _sample(rows: int, include: bool | int, rng: np.random.Generator) -> NDArray[np.intp]:
    if include is True or include >= rows:
        return np.arange(rows)
    return np.sort(rng.choice(rows, size=int(include), replace=False)).astype(np.intp)
