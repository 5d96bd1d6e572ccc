"""Explanations and counterfactuals of conditions that calculate and count."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nln.rules import Feature, LogicProgram, Schema, Target

SCHEMA = Schema(
    (
        *(Feature(name, "continuous") for name in ("x", "y", "z")),
        Feature("n", "continuous", whole=True),
        *(Feature(name, "categorical", ("p", "q", "r")) for name in ("g", "h")),
    ),
    Target("class", "binary", ("no", "yes")),
)
ROW = {"x": 12.3, "y": 4.0, "z": 5.0, "n": 9, "g": "p", "h": "q"}


def parse(condition: str) -> LogicProgram:
    return LogicProgram.parse(f"IF {condition} THEN class = yes (weight 0.9)", schema=SCHEMA)


def reason(condition: str, **cells: object) -> str:
    return str(parse(condition).explain({**ROW, **cells})).splitlines()[1]


def test_an_explanation_shows_the_parts_and_the_result() -> None:
    assert reason("x * y > z * n") == "Because n * z < x * y (here 9 * 5 - 12.3 * 4 = -4.2)."
    assert reason("z - x < 0 ± 10") == ("Because x - z >= 0 ± 10 (here 12.3 - 5 = 7.3, holds to 83 %).")
    assert reason("x / (z - n) < 0") == "Because x / (n - z) > 0 (here 12.3 / (9 - 5) = 3.075)."
    assert reason("g is not h") == "Because g is not h (here p and q)."
    assert reason("at least 2 of {x > 3; g = p; y > 100}") == (
        "Because at least 2 of {g = p; x > 3; y > 100} (here 2 of 3 hold: g = p, x > 3)."
    )
    assert reason("x - y missing", x=None) == "Because x - y missing (here missing - 4 = missing)."


def test_details_show_them_as_well() -> None:
    found = parse("x * y > z * n AND at most 1 of {x > 3; y > 100}").explain(ROW)
    assert "n * z < x * y [9 * 5 - 12.3 * 4 = -4.2]" in found.details()
    assert "at most 1 of {x > 3; y > 100} [1 of 2 holds: x > 3]" in found.details()
    first = found.to_dict()["outputs"][0]["fired"][0]["conditions"][0]
    assert first["calculation"] == "9 * 5 - 12.3 * 4 = -4.2"
    assert first["value"] == -4.2


def changes(condition: str, **cells: object) -> list[str]:
    program, row = parse(condition), {**ROW, **cells}
    found = program.counterfactuals(row)
    for each in found:
        assert program.predict([each.apply(row)])[0] == each.decision != program.predict([row])[0]
    return [str(each) for each in found]


def test_counterfactuals_change_the_parts() -> None:
    assert changes("x > y", x=3.0, y=3.0) == [
        "class = yes if x from 3 to more than 3",
        "class = yes if y from 3 to below 3",
    ]
    assert changes("n * z > y * y", y=5.0, z=2.0) == [
        "class = yes if n from 9 to 13 or more",
        "class = yes if y from 5 to -4.2426406 to below 4.2426406",
        "class = yes if z from 2 to 2.7777778 or more",
    ]
    assert changes("g is h") == ["class = yes if g from p to q", "class = yes if h from q to p"]
    assert changes("at least 2 of {x > 100; y > 3; g = q}") == [
        "class = yes if x from 12.3 to more than 100",
        "class = yes if g from p to q",
    ]


def test_a_frozen_calculation_freezes_its_columns() -> None:
    program = parse("x > y AND z > 3")
    row = {**ROW, "z": 5.0}
    assert {c.feature for found in program.counterfactuals(row) for c in found.changes} == {"x", "y", "z"}
    (found,) = program.counterfactuals(row, frozen="x - y")
    assert found.changes[0].feature == "z"


@given(
    st.sampled_from(["x - y >= 3", "x * y < z", "x / y > 2", "x * x > y * z", "(x + y) / z <= 1", "x - y = 3"]),
    st.tuples(*[st.integers(-9, 9)] * 3),
    st.integers(0, 2**32 - 1),
)
def test_every_number_that_a_requirement_allows_turns_the_decision(condition, cells, seed):
    if condition == "x * y < z":
        condition = "x * y < z * z"
    program, row = parse(condition), dict(zip("xyz", map(float, cells), strict=True))
    before = program.predict([row])[0]
    rng = np.random.default_rng(seed)
    for found in program.counterfactuals(row):
        (change,) = found.changes
        after = program.predict([{**row, change.feature: float(change.new)}])[0]
        assert after != before
        for number in [*rng.uniform(-30, 30, 50), *range(-12, 13)]:
            if allowed(change.requirement, float(number)):
                assert program.predict([{**row, change.feature: float(number)}])[0] != before, (change, number)


def allowed(requirement: str, number: float) -> bool:
    """Read a requirement as people do."""
    return any(
        all(side(part, number) for part in piece.split(" and "))
        for piece in re.split(r" or (?!less\b|more\b(?! than))", requirement)
    )


def side(text: str, number: float) -> bool:
    if text == "any number":
        return True
    if text.endswith(" or more"):
        return number >= float(text.removesuffix(" or more"))
    if text.endswith(" or less"):
        return number <= float(text.removesuffix(" or less"))
    if text.startswith("more than "):
        return number > float(text.removeprefix("more than "))
    if " to below " in text:
        low, high = text.split(" to below ")
        return float(low) <= number < float(high)
    if text.startswith("below "):
        return number < float(text.removeprefix("below "))
    raise AssertionError(text)
