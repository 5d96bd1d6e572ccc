"""The paper's ablation of rule reset and discretization, and its comparison of independence assumptions."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import paper_numbers as paper
from benchmarks.ablation_methods import COORDINATE
from benchmarks.environment import source_digest
from benchmarks.quote import stored
from benchmarks.record import Part
from benchmarks.scores import F1
from benchmarks.settings import Settings

SPREAD = "± over seeds"


def ablation(settings: Settings) -> Part:
    """Mean and spread of F1 by reset and discretization, for each table and on average, as in the paper."""
    parts = stored("ablation")
    rows: list[dict[str, Any]] = []
    for key, theirs in paper.ABLATION.items():
        head = {"reset": key[0], "discretization": key[1]}
        rows.append({**head, "from": "paper", **_columns(theirs)})
        rows.append({**head, "from": "here", **_columns(_ours(parts, *key))})
    ours = _columns(_ours(parts, "on", COORDINATE))
    rows.append({"reset": "on", "discretization": COORDINATE, "from": "here", **ours})
    values = {f"reset {r['reset']}, {r['discretization']}: average": r["average"] for r in rows if r["from"] == "here"}
    fits = {name: _seeds(part) for name, part in parts.items()}
    notes = [
        "F1 (%) ± the standard deviation over the seeds of the five-fold means; the average is that of the tables "
        "and of their deviations, as in the paper. Seeds here: " + ", ".join(f"{n} {k}" for n, k in fits.items()) + ".",
        "Thresholds come from training rows here. `coordinate` is ours, from the same networks.",
    ]
    made = stored("ablation", "environment")["sources"]
    if made != source_digest():
        notes.append(
            f"The ablation was measured by other sources ({made}) than the rest of this file ({source_digest()}), "
            "whose preset may differ: `python -m benchmarks ablation` measures it again."
        )
    return {"table": rows, "values": values, "notes": notes}


def _ours(parts: Any, reset: str, method: str) -> tuple[tuple[float, float], ...]:
    found = []
    for name in paper.ABLATION_TABLES[:-1]:
        rows = parts.get(name, {}).get("table", [])
        row = next((r for r in rows if (r["reset"], r["discretization"]) == (reset, method) and F1 in r), None)
        found.append((row[F1], row[SPREAD]) if row else (np.nan, np.nan))
    f1, spread = np.array(found).mean(axis=0)
    return (*found, (float(f1), float(spread)))


def _columns(pairs: tuple[tuple[float, float], ...]) -> dict[str, str | None]:
    return {
        name: None if np.isnan(mean) else f"{mean:.2f} ± {spread:.2f}"
        for name, (mean, spread) in zip(paper.ABLATION_TABLES, pairs, strict=True)
    }


def _seeds(part: Any) -> int:
    return len({key.split(", ")[1] for key in part.get("cells", {})})


def independence(settings: Settings) -> Part:
    """Squared error of exact ("min") and independent ("max") probabilities, by depth, for each width."""
    found = stored("independence")["the paper's networks"]["table"]
    by_depth: dict[int, dict[str, Any]] = {}
    for row in found:
        line = by_depth.setdefault(row["depth"], {"depth": row["depth"]})
        line[f"width {row['width']}: min"] = row["squared error, exact"]
        line[f"width {row['width']}: max"] = row["squared error, independent"]
    gap = max(row["squared error, independent"] - row["squared error, exact"] for row in found)
    notes = [
        "The paper shows this as a figure without numbers. min: the exact probabilities, with independent inputs only; "
        "max: those that take the concepts of every layer to be independent. Equal at depth 1, as in the paper. The "
        f"largest difference of the squared errors at any depth and width is {gap:.4f}.",
    ]
    return {"table": list(by_depth.values()), "values": {"largest difference": gap}, "notes": notes}
