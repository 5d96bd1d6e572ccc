"""Readings as data for the exports that apply them: how text, dates and codes become the values of features."""

from __future__ import annotations

import re
from typing import Any

from nln.rules.dates import DATE_PATTERNS, MONTH_NUMBERS, MONTHS, WEEKDAYS
from nln.rules.program import LogicProgram
from nln.rules.readings import NumberReading, number_pattern
from nln.rules.storage.readings import reading_to_dict


def reading_constants(program: LogicProgram) -> dict[str, Any]:
    """Return what the runtime needs by name: the readings of features used, patterns and names, if there are any."""
    used = {feature.name: feature.reading for feature in program.schema.plain(program.features_used)}
    readings = {name: _reading(reading) for name, reading in used.items() if reading is not None}
    if not readings:
        return {}
    dates = [pattern.pattern for pattern in DATE_PATTERNS]
    names = {"months": list(MONTHS), "weekdays": list(WEEKDAYS), "month_numbers": MONTH_NUMBERS}
    return {"readings": readings, "dates": dates, **names}


def javascript_pattern(pattern: str) -> str:
    """Write a regular expression of Python's as JavaScript takes it."""
    return re.sub(r"\(\?P=(\w+)\)", r"\\k<\1>", pattern).replace("(?P<", "(?<")


def _reading(reading: Any) -> dict[str, Any]:
    if isinstance(reading, NumberReading):
        pattern = number_pattern(reading.decimal).pattern
        return {"kind": "number", "unit": reading.unit, "allowed": reading.allowed, "pattern": pattern}
    return reading_to_dict(reading)
