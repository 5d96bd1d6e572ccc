"""Programs and rows in the form that the page computes with.

Features and values are numbered: a row is a list with one number per feature, the index of a value or the number
itself, null where it is missing and -2 for an unknown value. So every value compares as a number, whatever its type,
and names are only text to show.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.export.calculations import calculation
from nln.export.plain import plain_condition, question
from nln.report.counts import plain_number
from nln.rules import LogicProgram, Schema
from nln.rules.cells import MISSING, UNSEEN, Column
from nln.rules.condition import Condition
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.rounding import DIGITS
from nln.rules.language.text import closing_text, conclusion_text, condition_text, numbers_text
from nln.rules.rule import Rule
from nln.rules.schema import Feature


def program_data(program: LogicProgram) -> dict[str, Any]:
    """Turn a program, with its coverage counted on the table of the report, into data for the page's evaluator."""
    target = program.schema.target
    return {
        "kind": target.kind,
        "labels": list(range(len(target.labels))),
        "biases": list(program.biases),
        "thresholds": list(program.thresholds),
        "closing": closing_text(program),
        "size": program.size,
        "rules": [_rule(rule, program.schema) for rule in program.rules],
        "calculations": _calculations(program.schema),
    }


def _calculations(schema: Schema) -> list[dict[str, Any]]:
    """Describe what is calculated, in an order in which each needs only what comes before it; names are places.

    The page has no rows of child tables, so that how many there are is given as a column is.
    """
    derived = [feature for feature in schema.features if not isinstance(feature.derived, ChildCount | None)]
    derived.sort(key=lambda feature: isinstance(feature.derived, Count))
    return [{"name": schema.names.index(feature.name), **_calculation(feature, schema)} for feature in derived]


def _calculation(feature: Feature, schema: Schema) -> dict[str, Any]:
    place = schema.names.index
    match calculation(feature, schema):
        case {"above": above, "below": below}:
            sums = [
                [tolerance, [[sign, [place(name) for name in names]] for sign, names in terms]]
                for tolerance, terms in (above, *below)
            ]
            return {"above": sums[0], "below": sums[1:], "digits": DIGITS}
        case {"same": names}:
            one, other = (schema[name].values for name in names)
            numbered = {"same": [place(name) for name in names], "values": list(range(len(one)))}
            return numbered if one == other else {**numbered, "places": [one.index(value) for value in other]}
    assert isinstance(feature.derived, Count)
    return {"members": [_condition(member, schema) for member in feature.derived.members]}


def rows_data(
    columns: Mapping[str, Column], truth: NDArray[np.bool_], positions: NDArray[np.intp], schema: Schema
) -> dict[str, Any]:
    """Copy the rows at some positions, with the columns that `read_columns` gave and the truth (rows, outputs)."""
    labels = truth[positions].astype(int)
    if schema.target.kind != "multilabel":
        labels = labels[:, 0] if schema.target.kind == "binary" else labels.argmax(axis=1)
    cells = [_cells(columns[feature.name][positions], feature) for feature in schema.features]
    return {"positions": positions.tolist(), "columns": cells, "truth": labels.tolist(), "of": len(truth)}


def _cells(column: Column, feature: Feature) -> list[float | int | None]:
    if feature.is_numeric:
        return [plain_number(value) for value in column.tolist()]
    if not feature.values:  # no rule asks about it, so its values are not told
        return [None if code == MISSING else UNSEEN for code in column.tolist()]
    return [None if code == MISSING else code for code in column.tolist()]


def _rule(rule: Rule, schema: Schema) -> dict[str, Any]:
    counts = rule.coverage
    return {
        "output": schema.target.outputs.index(rule.label),
        "conclusion": conclusion_text(schema.target, rule.label),
        "weight": rule.weight,
        "numbers": numbers_text(rule, schema.target),
        "starts": rule.starts if rule.is_rarely_found else None,
        "covers": None if counts is None else [counts.hits, counts.of_hits, counts.rows, counts.of_rows],
        "conditions": [_condition(condition, schema) for condition in rule.conditions],
    }


def _condition(condition: Condition, schema: Schema) -> dict[str, Any]:
    feature = schema[condition.feature]
    start = {
        "feature": schema.names.index(feature.name),
        "missing": condition.missing,
        "text": condition_text(condition, feature),
    }
    # The page rounds results, so that boundaries of arithmetic stay as they are.
    plain = condition if isinstance(feature.derived, Arithmetic) else plain_condition(condition, feature)
    match question(plain, feature):
        case {"values": values, "negated": negated}:
            places = {value: place for place, value in enumerate(feature.values)}
            return {**start, "values": [places[value] for value in values], "negated": negated}
        case {"intervals": intervals, **circle}:
            return {**start, **circle, "intervals": [list(interval) for interval in intervals]}
        case chance:
            return {**start, **chance}
