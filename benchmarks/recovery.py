"""Rule recovery: on tables whose true rules are known, how many of them are found and how many too many."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import compare_rules, made_truths, recovery_codes, recovery_made
from benchmarks.compare_rules import Holds, learned_rules
from benchmarks.paper_numbers import RECOVERY, RECOVERY_COLUMNS
from benchmarks.record import Cell, Part, Record
from benchmarks.scores import F1, mean, scores
from benchmarks.settings import Settings
from benchmarks.tables import FOLDS, TABLES, Split, folds, seeds
from nln import NLNClassifier
from nln.datasets._tic_tac_toe import LINES

SEEDS = 5

PROTOCOL = (
    f"{FOLDS} stratified folds, {SEEDS} seeds, default parameters. A learned rule recovers a true one if both hold on "
    "the same rows of the whole input space (19,683 boards, 432 robots), however they are written. Excess is the "
    "number of rules above that of the true ones, in true ones (the paper's 24.0 % is 18.6 rules for 15); `other` is "
    "the share of the learned rules that mean no true one."
)


def _lines(space: Any) -> Holds:
    """Eight lines of three."""
    x = space.to_numpy() == "x"
    return np.column_stack([x[:, list(line)].all(axis=1) for line in LINES])


def _exactly_two(space: Any) -> Holds:
    """Fifteen rules of six conditions: these two attributes have their first value, the four others have not."""
    first = space.to_numpy() == "1"
    pairs = combinations(range(6), 2)
    return np.column_stack([(first == np.isin(np.arange(6), pair)).all(axis=1) for pair in pairs])


TRUTH: dict[str, tuple[Callable[[Any], Holds], str]] = {
    "tic-tac-toe": (_lines, "positive"),
    "monk2": (_exactly_two, "1"),
}
"""Where the true rules hold on rows, and the class that they are about."""


def run(settings: Settings, record: Record) -> None:
    """Run one part a table, then generated tables: truths that calculate or count, some that do not, and codes."""
    record.explain(PROTOCOL, recovery_made.PROTOCOL, recovery_codes.PROTOCOL)
    for name in TRUTH:
        record.cells(name, partial(plan, name), partial(summarize, name))
    files = (Path(made_truths.__file__),)
    record.cells("calculations", recovery_made.plan, recovery_made.summarize, files=files)
    record.cells("false alarms", recovery_made.plan_plain, recovery_made.summarize_plain, files=files)
    record.cells("codes", recovery_codes.plan, recovery_codes.summarize, files=(*files, Path(recovery_codes.__file__)))


def plan(name: str, settings: Settings) -> list[Cell]:
    """List one cell for each seed and fold."""
    X, y = TABLES[name](settings)
    return [
        Cell(f"seed {seed}, fold {fold}", partial(evaluate, name, seed, X, y, split))
        for seed in seeds(settings, SEEDS)
        for fold, split in enumerate(folds(X, y, settings))
    ]


def evaluate(name: str, seed: int, X: Any, y: Any, split: Split) -> dict[str, float]:
    """Fit on the training rows of a fold and compare the rules with the true ones."""
    train, test = split
    begin = time.process_time()
    model = NLNClassifier(random_state=seed).fit(X.iloc[train], y.iloc[train])
    seconds = time.process_time() - begin
    space, (truth, label) = whole_space(X), TRUTH[name]
    true = truth(space)
    found = compare_rules.recovery(true, [label] * true.shape[1], *learned_rules(model, space))
    quality = scores(y.iloc[test], model.predict(X.iloc[test]), model.predict_proba(X.iloc[test]), model.classes_)
    return {**found, "rules": float(model.program_.n_rules), F1: quality[F1], "fit CPU (s)": seconds}


def whole_space(X: Any) -> Any:
    """All combinations of the values of the columns."""
    return pd.DataFrame(product(*(sorted(X[name].unique()) for name in X.columns)), columns=X.columns)


def summarize(name: str, found: Mapping[str, Any]) -> Part:
    """Take the mean over seeds and folds, beside the paper's numbers."""
    values = mean(list(found.values()))
    perfect = [cell["recovered (%)"] == 100 and cell["other (%)"] == 0 for cell in found.values()]
    values["exactly the true rules (% of fits)"] = 100 * float(np.mean(perfect))
    theirs = dict(zip(RECOVERY_COLUMNS, RECOVERY["NLN"][name], strict=True))
    rows = [{"method": "nln", "fits": len(found), **values}, {"method": "paper", **theirs}]
    return {"table": rows, "values": values}
