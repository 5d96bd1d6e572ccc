"""Two sites that cannot share rows: each learns on its half of Adult, and the programs are merged.

F1 is that of income above 50K on the test file. The price of pruning is the lowest of a ladder that leaves half of the
sites' rules on the training file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from benchmarks.data import fetch
from benchmarks.goals import Goal
from benchmarks.record import Part, Record
from benchmarks.settings import Settings
from nln import LogicProgram, NLNClassifier
from nln.compose import Merged, adjust, merge
from nln.datasets import fetch_adult

PRICES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Squared error, in rows, that a literal must save when the merged program is pruned."""

GOALS = (
    Goal("merged without data: F1 (%) above the better site", "sites", "pooled: gain of F1", 0, "at least"),
    Goal("merged and adjusted: F1 (%) above the better site", "sites", "adjusted: gain of F1", 0, "at least"),
    Goal("merged and pruned: rules, as a share of both sites'", "sites", "pruned: share of rules", 0.5, "at most"),
    Goal("merged and pruned: F1 (%) above the better site", "sites", "pruned: gain of F1", 0, "at least"),
)


def run(settings: Settings, record: Record) -> None:
    """Learn, merge, score."""
    record.part("sites", _measure)
    record.judge(GOALS)


def _measure(settings: Settings) -> Part:
    options = {"download_if_missing": not settings.quick}
    X, y = fetch(fetch_adult, settings, "train", **options)
    test = fetch(fetch_adult, settings, "test", **options)
    order = np.random.default_rng(settings.seed).permutation(len(X))
    halves = (order[: len(X) // 2], order[len(X) // 2 :])
    sites = [NLNClassifier(random_state=settings.seed).fit(X.iloc[h], y.iloc[h]).program_ for h in halves]
    pooled = merge(sites, names=["site 1", "site 2"])
    pruned, price = _pruned(sites, X, y)
    programs = {
        "site 1": sites[0],
        "site 2": sites[1],
        "merged without data": pooled.program,
        "merged, adjusted": adjust(pooled.program, X, y, method="error"),
        "merged, pruned, adjusted": pruned.program,
    }
    table = [{"program": name, **_score(program, *test)} for name, program in programs.items()]
    f1, rules = [row["F1 (%)"] for row in table], [row["rules"] for row in table]
    values = {
        "pooled: gain of F1": f1[2] - max(f1[:2]),
        "adjusted: gain of F1": f1[3] - max(f1[:2]),
        "pruned: gain of F1": f1[4] - max(f1[:2]),
        "pruned: share of rules": rules[4] / sum(rules[:2]),
    }
    return {"table": table, "values": values, "notes": [f"Price {price:g}.", f"```\n{pruned}\n```"]}


def _pruned(sites: list[LogicProgram], X: Any, y: Any) -> tuple[Merged, float]:
    """Merge at the lowest price that leaves half of the rules, or at the highest."""
    half = sum(site.n_rules for site in sites) / 2
    for price in PRICES:
        merged = merge(sites, X=X, y=y, names=["site 1", "site 2"], price=price, method="error")
        if merged.program.n_rules <= half:
            break
    return merged, price


def _score(program: LogicProgram, X: Any, y: Any) -> dict[str, Any]:
    truth, decided = y.to_numpy(), program.predict(X)
    positive = program.schema.target.labels[1]
    return {
        "rules": program.n_rules,
        "literals": sum(rule.size for rule in program.rules),
        "F1 (%)": 100 * float(f1_score(truth, decided, pos_label=positive)),
        "macro F1 (%)": 100 * float(f1_score(truth, decided, average="macro")),
        "accuracy (%)": 100 * float(accuracy_score(truth, decided)),
    }
