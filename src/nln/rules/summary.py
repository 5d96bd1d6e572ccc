"""Rules as data: a dictionary, a row of a data frame or a line of text for each rule."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nln.rules.language.text import conclusion_text, conditions_text
from nln.rules.language.words import counted, rounded
from nln.rules.rule import Rule
from nln.rules.schema import Schema, Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

BACKENDS = ("pandas", "polars")

_FRACTIONS = ("coverage", "precision", "lift")
_COLUMNS = ("rule", "label", "conditions", "size", "probability", "coverage", "rows", "precision", "lift")


def rule_records(program: LogicProgram) -> list[dict[str, Value | None]]:
    """Describe each rule by a dictionary, as `LogicProgram.to_records` describes."""
    return [_record(number, rule, program.schema) for number, rule in enumerate(program.rules, 1)]


def rule_frame(program: LogicProgram, backend: str | None = None) -> Any:
    """Describe each rule by a row of a data frame of the library `backend`, with the columns of `rule_records`."""
    library = frame_library(backend)
    records = rule_records(program)
    columns = {name: [record[name] for record in records] for name in _COLUMNS}
    if library.__name__ == "polars":
        fractions = dict.fromkeys((*_FRACTIONS, "probability"), library.Float64)
        counts = dict.fromkeys(("rule", "size", "rows"), library.Int64)
        return library.DataFrame(
            columns, schema_overrides={**fractions, **counts, "conditions": library.String}, strict=False
        )
    return library.DataFrame(columns).astype(dict.fromkeys((*_FRACTIONS, "probability"), "float64"))


def summary_text(program: LogicProgram) -> str:
    """Write a line for each rule: its number, conclusion, probability, covered rows and conditions."""
    target = program.schema.target
    table = [
        (
            f"rule {number}",
            conclusion_text(target, rule.label),
            rounded(rule.probability),
            "? rows" if rule.coverage is None else counted(rule.coverage.rows, "row"),
            conditions_text(rule, program.schema),
        )
        for number, rule in enumerate(program.rules, 1)
    ]
    widths = [max(map(len, cells)) for cells in zip(*table, strict=True)][:-1]
    return "\n".join("  ".join([*map(str.ljust, line, widths), line[-1]]) for line in table)


def _record(number: int, rule: Rule, schema: Schema) -> dict[str, Value | None]:
    cover = rule.coverage
    precision = cover.hits / cover.rows if cover and cover.rows else None
    lift = None
    if cover and precision is not None and cover.of_hits:
        lift = precision * cover.of_rows / cover.of_hits
    return {
        "rule": number,
        "label": rule.label,
        "conditions": conditions_text(rule, schema),
        "size": rule.size,
        "probability": rule.probability,
        "coverage": cover.hits / cover.of_hits if cover and cover.of_hits else None,
        "rows": cover.rows if cover else None,
        "precision": precision,
        "lift": lift,
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
