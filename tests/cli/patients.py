"""A table as people send it: spaces in names, several spellings of missing, words among numbers, decimal commas."""

from __future__ import annotations

ROWS = 96
NAMES = ("Patient ID", " Age (years)", "Blood pressure ", "Albumin", "Smoker", "Ward", "Visits", "Outcome")


def patients():
    """The true values of the rows, each the same on every machine."""
    for i in range(ROWS):
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
