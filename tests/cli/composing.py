"""Small model files and tables, written to a folder, for the commands that work with programs."""

from __future__ import annotations

import csv

import numpy as np

from nln.model import model_of
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.compose.examples import HERE, SCHEMA, THERE, table

HIRED = Schema(
    (
        Feature("sex", "binary", ("female", "male")),
        Feature("title", "categorical", ("Mr", "Mrs")),
        Feature("years", "continuous"),
    ),
    Target("hired", "binary", ("no", "yes")),
)
HIRING = LogicProgram.parse(
    """
    IF years >= 8 THEN hired = yes (0.78)
    IF title = Mr AND years >= 4 THEN hired = yes (0.66)
    IF sex = male AND years < 2 THEN hired = yes (0.1)
    OTHERWISE hired = no (P(hired = yes) = 0.1; hired = yes from 0.5)
    """,
    schema=HIRED,
)


def write_csv(path, columns):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def people(rows=400):
    """People who are hired by their years, men sooner than women; `region` is a column that no rule knows."""
    rng = np.random.default_rng(0)
    sex = rng.choice(["female", "male"], rows)
    title = np.where((sex == "male") != (rng.random(rows) < 0.05), "Mr", "Mrs")
    years = rng.integers(0, 20, rows)
    chance = np.where(years >= 8, 0.8, np.where((sex == "male") & (years >= 4), 0.7, 0.1))
    hired = np.where(rng.random(rows) < chance, "yes", "no")
    return {"sex": sex, "title": title, "years": years, "region": rng.choice(["01", "02"], rows), "hired": hired}


def write_files(folder):
    """Two programs for one target with a table, and a model file about hiring with another table."""
    HERE.save(folder / "here.json")
    model_of(THERE).save(folder / "there.json")
    X, y = table()
    kind = ["none" if label == "no" else "low" if x < 3 else "high" for x, label in zip(X["x"], y, strict=True)]
    write_csv(folder / "data.csv", {**X, "class": y, "kind": kind})
    model_of(HIRING).save(folder / "hiring.json")
    write_csv(folder / "people.csv", people())
    other = Schema(SCHEMA.features, Target("class", "binary", ("no", "maybe")))
    LogicProgram(other, (), (0.1,), (0.5,)).save(folder / "other.json")
    return folder
