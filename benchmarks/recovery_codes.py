"""Recovery of groups of codes: a truth about prefixes, learned with the hierarchy of the codes and without it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.made_truths import Random, flipped
from benchmarks.record import Cell, Part
from benchmarks.settings import Settings
from benchmarks.tables import seeds
from nln import Hierarchy, NLNClassifier

ROWS, FRESH, SEEDS, WRONG, RIGHT = 5_000, 10_000, 30, 0.1, 99.0
CHAPTERS, GROUPS, MOST_CODES = "ABEIJK", 12, 12
LEVELS = Hierarchy(lengths=(1, 3, 6))
ASKED = {"icd_first_1", "icd_first_3", "age"}

PROTOCOL = (
    f"Codes: {ROWS:,} rows, {WRONG:.0%} of the labels wrong, {SEEDS} seeds. A code is one of {len(CHAPTERS)} letters, "
    f"two digits, a point and one or two digits, with 1 to {MOST_CODES} codes for each of {len(CHAPTERS) * GROUPS} "
    "groups; the truth is `icd starts with E11 or I05, OR icd starts with K AND age >= 60`, and two columns of noise "
    "stand beside it. The same tables with `Hierarchy(lengths=(1, 3, 6))` and without. Exact: two rules that ask about "
    f"these two levels and age alone, and decide at least {RIGHT:.0f} % of {FRESH:,} fresh rows without wrong labels "
    "as the truth does. Literals are the values and boundaries of all rules."
)


def draw_codes(rng: Random) -> list[str]:
    """Draw the codes of a table: some hundreds, one to twelve in each group."""
    groups = [f"{chapter}{group:02}" for chapter in CHAPTERS for group in range(GROUPS)]
    return [f"{group}.{place}" for group in groups for place in range(rng.integers(1, MOST_CODES + 1))]


def draw(rng: Random, codes: list[str], rows: int) -> pd.DataFrame:
    """Draw the rows of a table."""
    return pd.DataFrame(
        {
            "icd": rng.choice(codes, rows),
            "age": rng.integers(18, 95, rows),
            "sodium": rng.normal(140, 4, rows).round(),
            "ward": rng.choice(["north", "south", "west"], rows),
        }
    )


def holds(X: pd.DataFrame) -> Any:
    """Tell where the truth holds."""
    return X.icd.str[:3].isin(["E11", "I05"]) | (X.icd.str.startswith("K") & (X.age >= 60))


def plan(settings: Settings) -> list[Cell]:
    """List one cell for each seed and way to learn."""
    return [
        Cell(f"{way}, seed {seed}", partial(evaluate, way, seed))
        for seed in seeds(settings, SEEDS)
        for way in ("hierarchy", "codes alone")
    ]


def evaluate(way: str, seed: int) -> dict[str, Any]:
    """Fit one table and compare what the rules ask about, and what they decide, with the truth."""
    rng = np.random.default_rng([5, seed])
    codes = draw_codes(rng)
    X, fresh = draw(rng, codes, ROWS), draw(rng, codes, FRESH)
    y = flipped(holds(X), WRONG, rng)
    types: Any = {"icd": LEVELS if way == "hierarchy" else "categorical"}
    begin = time.process_time()
    model = NLNClassifier(random_state=seed, feature_types=types).fit(X, y)
    seconds, program = time.process_time() - begin, model.program_
    right = 100 * float(np.mean(model.predict(fresh) == np.asarray(holds(fresh), int)))
    return {
        "exact": set(program.features_used) == ASKED and program.n_rules == 2 and right >= RIGHT,
        "right": right,
        "codes": len(codes),
        "rules": program.n_rules,
        "literals": sum(map(program.size_of, program.rules)),
        "seconds": seconds,
        "program": str(program),
    }


def summarize(found: Mapping[str, Any]) -> Part:
    """One row for each way to learn."""
    rows, values = [], {}
    for way in ("hierarchy", "codes alone"):
        cells = [cell for key, cell in found.items() if key.startswith(f"{way}, ")]
        if not cells:
            continue
        row = {
            "exact (%)": 100 * float(np.mean([cell["exact"] for cell in cells])),
            "fresh rows right (%)": float(np.mean([cell["right"] for cell in cells])),
            "rules": float(np.mean([cell["rules"] for cell in cells])),
            "literals": float(np.mean([cell["literals"] for cell in cells])),
            "fit CPU (s)": float(np.mean([cell["seconds"] for cell in cells])),
        }
        rows.append({"learned with": way, "fits": len(cells), **row})
        values |= {f"{way}: {key}": value for key, value in row.items()}
    values["codes"] = float(np.mean([cell["codes"] for cell in found.values()]))
    return {"table": rows, "values": values}
