"""Recovery of calculations: truths that calculate or count on generated tables, and false alarms where none does."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.made_truths import ROWS, TRUTHS, flipped, named, plain_table
from benchmarks.record import Cell, Part
from benchmarks.settings import Settings
from benchmarks.tables import seeds
from nln import LanguageOptions, NLNClassifier

SEEDS, PLAIN_TABLES = 10, 50
NOISE = (0.05, 0.1)
FRESH = 10_000
RIGHT = 99.0
"""Share of fresh rows, in percent, that an exact recovery decides as the truth does."""
LANGUAGE = LanguageOptions(arithmetic=True, counts=True)

PROTOCOL = (
    f"Generated tables: {ROWS:,} rows, a share of the labels wrong, {SEEDS} seeds, `LanguageOptions(arithmetic=True, "
    "counts=True)`. A truth is recovered exactly if there are as many rules, they ask about the true calculations (of "
    f"the same columns) and columns and about nothing else, and they decide at least {RIGHT:.0f} % of {FRESH:,} fresh "
    f"rows without wrong labels as the truth does. The {PLAIN_TABLES} tables of the false alarms have 300 to 3,000 "
    "rows and 5 to 10 columns: noise, one or several conjunctions, values alone, mixed columns with missing values."
)


def plan(settings: Settings) -> list[Cell]:
    """List one cell for each truth, share of wrong labels and seed."""
    return [
        Cell(f"{name}, {share:.0%} wrong, seed {seed}", partial(evaluate, name, share, seed))
        for name in (list(TRUTHS)[:1] if settings.quick else TRUTHS)
        for share in NOISE
        for seed in seeds(settings, SEEDS)
    ]


def evaluate(name: str, share: float, seed: int) -> dict[str, Any]:
    """Fit one table and compare what the rules ask about, and what they decide, with the truth."""
    rng, truth = np.random.default_rng([3, seed]), TRUTHS[name]
    X, fresh = truth.draw(rng, ROWS), truth.draw(rng, FRESH)
    y = flipped(truth.holds(X), share, rng)
    begin = time.process_time()
    model = NLNClassifier(random_state=seed, language=LANGUAGE).fit(X, y)
    seconds, program = time.process_time() - begin, model.program_
    asked = {named(program.schema[feature]) for feature in program.features_used}
    right = 100 * float(np.mean(model.predict(fresh) == np.asarray(truth.holds(fresh), int)))
    is_exact = asked == truth.asked and program.n_rules == truth.n_rules and right >= RIGHT
    return {"exact": is_exact, "right": right, "rules": program.n_rules, "seconds": seconds, "program": str(program)}


def summarize(found: Mapping[str, Any]) -> Part:
    """One row for each truth and share of wrong labels."""
    rows, values = [], {}
    for name, truth in TRUTHS.items():
        for share in NOISE:
            cells = [cell for key, cell in found.items() if key.startswith(f"{name}, {share:.0%} wrong, ")]
            if not cells:
                continue
            row = {
                "exact (%)": 100 * float(np.mean([cell["exact"] for cell in cells])),
                "fresh rows right (%)": float(np.mean([cell["right"] for cell in cells])),
                "rules": float(np.mean([cell["rules"] for cell in cells])),
                "fit CPU (s)": float(np.mean([cell["seconds"] for cell in cells])),
            }
            rows.append({"truth": name, "rule": f"`{truth.rule}`", "wrong labels (%)": round(100 * share), **row})
            values |= {f"{name}, {share:.0%}: {key}": value for key, value in row.items()}
    values["exact (%)"] = 100 * float(np.mean([cell["exact"] for cell in found.values()]))
    return {"table": rows, "values": values}


def plan_plain(settings: Settings) -> list[Cell]:
    """List one cell for each table whose truth neither calculates nor counts."""
    count = 2 if settings.quick else PLAIN_TABLES
    return [Cell(f"table {number}", partial(evaluate_plain, number, settings.seed)) for number in range(count)]


def evaluate_plain(number: int, seed: int) -> dict[str, Any]:
    """Fit one table, and list the calculations that its rules ask about."""
    X, y, kind = plain_table(number)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="No rule was learned")
        program = NLNClassifier(random_state=seed, language=LANGUAGE).fit(X, y).program_
    taken = [name for name in program.features_used if program.schema[name].derived is not None]
    return {"kind": kind, "rows": len(X), "taken": taken}


def summarize_plain(found: Mapping[str, Any]) -> Part:
    """Count the tables where something was taken, by kind of table."""
    kinds = dict.fromkeys(cell["kind"] for cell in found.values())
    of_kind = {kind: [cell for cell in found.values() if cell["kind"] == kind] for kind in kinds}
    rows = [
        {"kind": kind, "tables": len(cells), "something taken": sum(bool(cell["taken"]) for cell in cells)}
        for kind, cells in of_kind.items()
    ]
    taken = sum(bool(cell["taken"]) for cell in found.values())
    notes = [f"{key}: {', '.join(cell['taken'])}" for key, cell in found.items() if cell["taken"]]
    return {"table": rows, "values": {"tables": len(found), "something taken": taken}, "notes": notes}
