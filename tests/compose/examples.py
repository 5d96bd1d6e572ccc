"""Small programs and tables to compose on."""

from __future__ import annotations

import numpy as np

from nln.rules import Feature, LogicProgram, Schema, Target

SCHEMA = Schema(
    (
        Feature("x", "continuous"),
        Feature("colour", "categorical", ("blue", "green", "red")),
        Feature("size", "ordinal", ("S", "M", "L")),
    ),
    Target("class", "binary", ("no", "yes")),
)


def parse(text, schema=SCHEMA):
    return LogicProgram.parse(text, schema=schema)


HERE = parse(
    """
    IF x < 3 AND colour in {blue, red} THEN class = yes (0.95; covers 20 of 40 yes, 25 of 90 rows)
    IF size >= L THEN class = yes (0.9; covers 10 of 40 yes, 12 of 90 rows)
    OTHERWISE class = no (P(class = yes) = 0.05; class = yes from 0.5)
    """
)
THERE = parse(
    """
    IF x < 3 AND colour in {blue, red} THEN class = yes (0.8; covers 5 of 9 yes, 6 of 30 rows)
    IF x >= 8 ± 0.5 THEN class = yes (0.7; covers 3 of 9 yes, 4 of 30 rows)
    OTHERWISE class = no (P(class = yes) = 0.1; class = yes from 0.4)
    """
)


def table(rows=300, seed=0):
    """Columns, and labels that follow three rules with some noise."""
    rng = np.random.default_rng(seed)
    X = {
        "x": np.round(rng.uniform(0, 10, rows), 2).tolist(),
        "colour": rng.choice(["blue", "green", "red"], rows).tolist(),
        "size": rng.choice(["S", "M", "L"], rows).tolist(),
    }
    holds = [
        (x < 3 and c != "green") or s == "L" or x >= 8 for x, c, s in zip(X["x"], X["colour"], X["size"], strict=True)
    ]
    flip = rng.random(rows) < 0.05
    return X, np.where(np.array(holds) != flip, "yes", "no").tolist()
