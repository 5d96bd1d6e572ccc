"""A table as people send it: spaces in names, several spellings of missing, words among numbers, decimal commas.

And a program written by hand, with a small table for it.
"""

from __future__ import annotations

from nln.rules import Feature, LogicProgram, Schema, Target

SCHEMA = Schema(
    (
        Feature("Age", "continuous"),
        Feature("Blood pressure", "continuous"),
        Feature("Smoker", "categorical", ("no", "yes")),
    ),
    Target("Outcome", "binary", ("healthy", "ill")),
)
PROGRAM = LogicProgram.parse(
    """
IF "Blood pressure" >= 15.5 THEN Outcome = ill (0.9)
IF Age >= 60 AND Smoker = yes THEN Outcome = ill (0.75)
OTHERWISE Outcome = healthy (P(Outcome = ill) = 0.1; Outcome = ill from 0.5)
""",
    schema=SCHEMA,
)
ROWS = """\
ID,Age,Blood pressure,Smoker,Outcome
a,71,12.0,yes,ill
b,35,16.0,no,ill
c,NA,12.5,yes,healthy
d,64,17.5,yes,healthy
e,50,13.0,?,healthy
f,20,11.0,no,
"""

N_ROWS = 96
NAMES = ("Patient ID", " Age (years)", "Blood pressure ", "Albumin", "Smoker", "Ward", "Visits", "Outcome")


def patients():
    """The true values of the rows, each the same on every machine."""
    for i in range(N_ROWS):
        age, pressure, albumin = 20 + (i * 37) % 67, 90 + (i * 53) % 97, (i * 7 + i // 8) % 4
        ill = (albumin >= 2 and age >= 50) or pressure >= 170
        smoker = ("yes", "no", "no")[i % 3]
        yield f"P{i:03d}", age, pressure / 10, albumin, smoker, "A", i % 6, "ill" if ill else "healthy"


def messy():
    """The table as text, with semicolons, a mark at the beginning and all that."""
    lines = ["\ufeff" + ";".join(NAMES)]
    for i, (name, age, pressure, albumin, smoker, ward, visits, outcome) in enumerate(patients()):
        cells = [
            name,
            ("NA", "n/a", "", "-")[i // 9 % 4] if i % 9 == 4 else f" {age}",
            "?" if i % 31 == 3 else str(pressure).replace(".", ","),
            albumin,
            {0: "", 5: f" {smoker} "}.get(i % 13, smoker),
            ward,
            "many" if i == 7 else visits,
            "" if i in (30, 77) else outcome,
        ]
        lines.append(";".join(map(str, cells)))
    return "\r\n".join(lines) + "\r\n"
