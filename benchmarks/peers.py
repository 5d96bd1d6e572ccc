"""The tables of `tabular` for other people's classifiers, in an environment of their own, beside nln."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks import peer_models, peer_worker, scores
from benchmarks.contestants import OURS
from benchmarks.peer_environment import Worker, python_of
from benchmarks.peer_models import PEERS
from benchmarks.peer_worker import TARGET
from benchmarks.record import Cell, Part, Record
from benchmarks.scores import NOTE, TUNED_F1, mean
from benchmarks.settings import Settings, SkippedError
from benchmarks.tables import TABLES, Split, folds, table_names
from benchmarks.tabular import PROTOCOL, SEEDS, by_method, cells_of
from nln.rules.thresholds import best_class_thresholds, best_threshold
from nln.tables.encoding import Floats

Labels = npt.NDArray[Any]

SECONDS = 120
"""CPU seconds that a fit of a peer may take."""

ENOUGH = 60
"""CPU seconds on one table after which a peer is not tried on more of its folds."""

SLOW = ("EBM",)
"""Peers that run when all others are done with all tables."""

QUICK_PEERS = ("XGBoost", "pruned tree")
"""Peers of the quick form: those that the main environment has."""

FILES = tuple(Path(str(module.__file__)) for module in (peer_models, peer_worker, scores))

PEER_NOTES = (
    f"A fit of a peer may take {SECONDS} s of CPU time, on one thread, and a peer that has taken {ENOUGH} s on a table "
    "is not tried on its remaining folds. The column `fits` says how many fits a row is the mean of.",
    f"`{TUNED_F1}` is the F1 with the thresholds that give the best mean F1 of both sides, or of all classes, on the "
    "training rows, as nln chooses its own; the other columns take each method's own decision.",
    "RIPPER has one rule set for each class where there are more than two, and takes medians for missing numbers, as "
    "do FIGS and BoostedRules, which see categories one-hot. Rules of a tree are its leaves, those of BoostedRules its "
    "stumps. XGBoost, LightGBM and EBM have no rules.",
)


def run(settings: Settings, record: Record) -> None:
    """Run one part a table."""
    record.explain(PROTOCOL, *PEER_NOTES, NOTE)
    try:
        with Worker(python_of(settings)) as worker, tempfile.TemporaryDirectory() as folder:
            _run_tables(settings, record, worker, Path(folder) / "table.csv")
    except SkippedError as error:  # without the environment nothing can be measured
        record.part("environment", partial(_fail, str(error)))


def _run_tables(settings: Settings, record: Record, worker: Worker, path: Path) -> None:
    summary = partial(summarize, worker.versions())
    # Peers first: unlike ours, what they score outlives a change of our sources.
    for postpone in ((OURS, *SLOW), SLOW, ()):
        for name in table_names(settings):
            record.cells(name, partial(plan, name, worker, path), summary, files=FILES, postpone=postpone)


def _fail(reason: str, _: Settings) -> Part:
    raise SkippedError(reason)


def plan(name: str, worker: Worker, path: Path, settings: Settings) -> list[Cell]:
    """Write the table where the worker finds it, and list one cell for each method and fold."""
    X, y = TABLES[name](settings)
    y = y.astype(str)
    X.assign(**{TARGET: y}).to_csv(path, index=False)
    request = {
        "path": str(path),
        "text": [column for column in X.columns if X[column].dtype.kind not in "fiub"],
        "seed": settings.seed,
        "seconds": SECONDS,
    }
    spent = dict.fromkeys(PEERS, 0.0)
    cells = cells_of(OURS, name, settings, SEEDS)
    for peer in QUICK_PEERS if settings.quick else PEERS:
        for fold, split in enumerate(folds(X, y, settings)):
            measure = partial(evaluate, worker, {**request, "peer": peer}, y.to_numpy(), split, spent)
            cells.append(Cell(f"{peer}, fold {fold}", measure, of_nln=False))
    return cells


def evaluate(
    worker: Worker, request: Mapping[str, Any], y: Any, split: Split, spent: dict[str, float]
) -> dict[str, Any]:
    """Let the worker fit a peer on the training rows of a fold, and score what it predicts for the test rows.

    Parameters
    ----------
    worker : Worker
        Who fits.
    request : mapping
        What it is asked, without the rows.
    y : ndarray
        The classes of all rows.
    split : pair of ndarray
        Training and test rows.
    spent : dict
        CPU seconds that each peer has taken on this table so far; what this fit takes is added.
    """
    peer, (train, test) = request["peer"], split
    if spent[peer] >= ENOUGH:
        return {"status": "not tried"}
    reply = worker.ask({**request, "train": train.tolist(), "test": test.tolist()})
    if reply["status"] == "not installed":
        raise SkippedError(reply["reason"])
    if reply["status"] != "done":
        spent[peer] += request["seconds"] if reply["status"] == "timed out" else 0.0
        return {"status": reply["status"], "reason": reply["reason"]}
    classes, probability = reply["classes"], np.asarray(reply["probability"])
    found = scores.scores(y[test], reply["predicted"], probability, classes)
    decided = _decide(np.array(classes), probability, y[train], np.asarray(reply["training probability"]))
    found[TUNED_F1] = scores.scores(y[test], decided, probability, classes)[scores.F1]
    times = {key: reply[key] for key in ("fit CPU (s)", "predict CPU (s)")}
    spent[peer] += sum(times.values())
    return {"status": "done", **found, **reply["counts"], **times}


def _decide(classes: Labels, probability: Floats, y: Labels, on_training: Floats) -> Labels:
    """Decide at thresholds that are best on the training rows, as nln chooses its own."""
    truth, ones = y[:, None] == classes, np.ones(len(y))
    if len(classes) == 2:
        threshold = best_threshold(truth[:, 1], on_training[:, 1], ones, "f1")
        decided: Labels = classes[(probability[:, 1] >= threshold).astype(int)]
        return decided
    thresholds = best_class_thresholds(truth, on_training, ones) or np.ones(len(classes))
    decided = classes[(probability / thresholds).argmax(axis=1)]
    return decided


def summarize(versions: Mapping[str, str], found: Mapping[str, Any]) -> Part:
    """Take the mean over the folds that each method finished, and say what became of the others."""
    rows = [_row(method, each) for method, each in by_method(found).items()]
    values = {f"{row['method']}: {key}": row[key] for row in rows for key in row if isinstance(row[key], float)}
    packages = ", ".join(f"{name} {number}" for name, number in versions.items())
    return {"table": rows, "values": values, "notes": [f"Packages of the peers: {packages}."]}


def _row(method: str, each: list[dict[str, Any]]) -> dict[str, Any]:
    """One line of the table; nln's own F1 is at a threshold from the training rows already."""
    done = [found for found in each if found.get("status", "done") == "done"]
    row = mean([{key: value for key, value in found.items() if key != "status"} for found in done])
    if method == OURS:
        row[TUNED_F1] = row[scores.F1]
    lost = [found["status"] for found in each if found.get("status", "done") not in ("done", "not tried")]
    remark = ", ".join(f"{lost.count(status)} {status}" for status in dict.fromkeys(lost))
    order = (scores.F1, TUNED_F1, scores.MACRO_F1)
    first = {key: row[key] for key in order if key in row}
    return {"method": method, "fits": len(done), **first, **row, "remark": remark}
