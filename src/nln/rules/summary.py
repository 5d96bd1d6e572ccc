"""Rules as data: a dictionary, a row of a data frame or a line of text for each rule."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nln.rules.language.text import conclusion_text, conditions_text
from nln.rules.language.words import counted, percent, rounded
from nln.rules.rule import Rule, rule_size
from nln.rules.schema import Schema, Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

BACKENDS = ("pandas", "polars")

_FRACTIONS = ("precision", "coverage", "lift", "starts", "weight")
_COLUMNS = ("rule", "label", "conditions", "rows", "precision", "coverage", "lift", "size", "starts", "weight")


def rule_records(program: LogicProgram) -> list[dict[str, Value | None]]:
    """Describe each rule by a dictionary, as `LogicProgram.to_records` describes."""
    return [_record(place, rule, program.schema) for place, rule in enumerate(program.rules, 1)]


def rule_frame(program: LogicProgram, backend: str | None = None) -> Any:
    """Describe each rule by a row of a data frame of the library `backend`, with the columns of `rule_records`."""
    library = frame_library(backend)
    records = rule_records(program)
    columns = {name: [record[name] for record in records] for name in _COLUMNS}
    if library.__name__ == "polars":
        fractions = dict.fromkeys(_FRACTIONS, library.Float64)
        counts = dict.fromkeys(("rule", "size", "rows"), library.Int64)
        return library.DataFrame(
            columns, schema_overrides={**fractions, **counts, "conditions": library.String}, strict=False
        )
    return library.DataFrame(columns).astype(dict.fromkeys(_FRACTIONS, "float64"))


def summary_text(program: LogicProgram) -> str:
    """Write a line for each rule: its number, conclusion, covered rows, precision, conditions and weight."""
    target = program.schema.target
    table = [
        (
            f"rule {place}",
            conclusion_text(target, rule.label),
            *_rows_and_precision(rule),
            f"{conditions_text(rule, program.schema)} (weight {rounded(rule.weight)})",
        )
        for place, rule in enumerate(program.rules, 1)
    ]
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)][:-1]
    return "\n".join("  ".join([*map(str.ljust, line, widths), line[-1]]) for line in table)


def _rows_and_precision(rule: Rule) -> tuple[str, str]:
    if rule.coverage is None:
        return "? rows", ""
    rows, hits = rule.coverage.rows, rule.coverage.hits
    return counted(rows, "row"), percent(hits / rows) if rows else ""


def _record(place: int, rule: Rule, schema: Schema) -> dict[str, Value | None]:
    cover = rule.coverage
    precision = cover.hits / cover.rows if cover and cover.rows else None
    lift = None
    if cover and precision is not None and cover.of_hits:
        lift = precision * cover.of_rows / cover.of_hits
    return {
        "rule": place,
        "label": rule.label,
        "conditions": conditions_text(rule, schema),
        "rows": cover.rows if cover else None,
        "precision": precision,
        "coverage": cover.hits / cover.of_hits if cover and cover.of_hits else None,
        "lift": lift,
        "size": rule_size(rule, schema),
        "starts": rule.starts[0] / rule.starts[1] if rule.starts else None,
        "weight": rule.weight,
    }


def frame_library(backend: str | None = None) -> Any:
    """Import pandas or polars: the one named, or else the first of the two that is installed."""
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f"backend must be 'pandas', 'polars' or None, not {backend!r}.")
    names = (backend,) if backend else BACKENDS
    for name in names:
        try:
            return import_module(name)
        except ImportError:
            continue
    raise ImportError(
        f"A data frame of rules needs {' or '.join(names)}: pip install {names[0]}. to_records() needs neither."
    )
