"""What is said about a part: each table, means over tables, means by kind of table, wins and losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.contestants import OURS
from benchmarks.record import Part
from benchmarks.scores import MACRO_F1, mean
from benchmarks.settings import Settings
from benchmarks.suite.contestants import CONTESTANTS
from benchmarks.suite.parts import PARTS, TABLES, kinds
from benchmarks.suite.ranks import average_ranks

Row = dict[str, Any]

TIES: dict[str, float] = {MACRO_F1: 0.5, "accuracy (%)": 0.5, "AUC": 0.005, "log-loss": 0.005}
"""The four scores, and up to which difference two contestants tie."""
LOWER_IS_BETTER = ("log-loss",)
READ = ("rules", "size", "fit CPU (s)")


def summarize(found: Mapping[str, Any]) -> Part:
    """Take the mean over the folds of each contestant and table, table by table."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for key, cell in found.items():
        method, table, _ = key.split(", ")
        groups.setdefault((table, method), []).append(cell)
    names = [name for part in PARTS.values() for name in part]
    rows = [_row(name, method, groups[name, method]) for name in names for method in _present(groups, name)]
    values = {f"{row['table']}: {row['method']}: {key}": row[key] for row in rows for key in TIES}
    return {"table": rows, "values": values}


def _present(groups: Mapping[tuple[str, str], Any], table: str) -> list[str]:
    return [method for method in CONTESTANTS if (table, method) in groups]


def _row(table: str, method: str, cells: Sequence[Row]) -> Row:
    """One line: the mean over the folds that were finished, or else that of predicting the classes' shares."""
    done = [cell for cell in cells if cell["status"] == "done"]
    scored = mean([{key: cell[key] for key in (*TIES, *READ) if key in cell} for cell in done])
    if not done:
        scored = mean([{key: cell["constant"][key] for key in TIES} for cell in cells])
    lost = [cell["status"] for cell in cells if cell["status"] not in ("done", "not tried")]
    remark = ", ".join(f"{lost.count(status)} {status}" for status in dict.fromkeys(lost))
    n_rows, n_columns, n_classes = TABLES[table].shape
    shape = {"rows": n_rows, "columns": n_columns, "classes": n_classes}
    return {"table": table} | shape | {"method": method, "fits": len(done)} | scored | {"remark": remark}


def finished(rows: Sequence[Row], n_tables: int) -> dict[str, dict[str, Row]]:
    """Rows by contestant and table, of the contestants that have run on all tables."""
    groups: dict[str, dict[str, Row]] = {}
    for row in rows:
        groups.setdefault(row["method"], {})[row["table"]] = row
    return {method: groups[method] for method in CONTESTANTS if len(groups.get(method, {})) == n_tables}


def compare(rows: Mapping[str, Mapping[str, Row]], _: Settings) -> Part:
    """Means over the tables, and average ranks."""
    ranks = {key: average_ranks(scores_of(rows, key), lower=key in LOWER_IS_BETTER) for key in TIES}
    table: list[Row] = []
    for position, (method, each) in enumerate(rows.items()):
        line: Row = {"method": method, **_means(list(each.values()))}
        line |= {f"rank: {key.removesuffix(' (%)')}": float(ranks[key][position]) for key in TIES}
        line["without a fit"] = sum(row["fits"] == 0 for row in each.values())
        table.append(line)
    values = {f"{line['method']}: {key}": line[key] for line in table for key in line if key != "method"}
    for rival in list(rows)[1:]:
        gains = _gains(rows, rival)
        values |= {f"{OURS} - {rival}: {key}": float(found.mean()) for key, found in gains.items() if len(found)}
    return {"table": table, "values": {**values, "tables": len(next(iter(rows.values())))}}


def _gains(rows: Mapping[str, Mapping[str, Row]], rival: str) -> dict[str, Any]:
    """Scores of nln less those of a rival, for each table on which the rival finished a fit."""
    both = [(row, rows[rival][name]) for name, row in rows[OURS].items() if rows[rival][name]["fits"]]
    return {key: np.array([own[key] - theirs[key] for own, theirs in both]) for key in TIES}


def _means(rows: Sequence[Row]) -> Row:
    found = mean([{key: row[key] for key in (*TIES, *READ) if key in row} for row in rows])
    return {key: found.get(key) for key in (*TIES, *READ)}


def by_kind(rows: Mapping[str, Mapping[str, Row]], _: Settings) -> Part:
    """Means over the tables of each kind."""
    table = []
    for kind in kinds(next(iter(TABLES.values()))):
        for method, each in rows.items():
            some = [row for name, row in each.items() if kinds(TABLES[name])[kind]]
            if some:
                table.append({"tables": f"{len(some)}, {kind}", "method": method, **_means(some)})
    return {"table": table}


def against(rows: Mapping[str, Mapping[str, Row]], _: Settings) -> Part:
    """Mean difference of nln to each contestant; tables on which it is better, about as good, and worse."""
    table = []
    for rival in list(rows)[1:]:
        gains = _gains(rows, rival)
        line: Row = {"nln against": rival, "tables": len(gains[MACRO_F1])}
        line |= {f"{key}: more": float(found.mean()) if len(found) else None for key, found in gains.items()}
        for key, tie in TIES.items():
            better = gains[key] * (-1 if key in LOWER_IS_BETTER else 1)
            line[key] = f"{(better > tie).sum()} / {(abs(better) <= tie).sum()} / {(better < -tie).sum()}"
        table.append(line)
    ties = ", ".join(f"{tie} ({key})" for key, tie in TIES.items())
    note = (
        "Only tables on which the other one finished a fit count. `more` is the mean of nln less that of the other "
        f"one; then come wins, ties and losses of nln. Scores tie up to a difference of {ties}."
    )
    return {"table": table, "notes": [note]}


def scores_of(rows: Mapping[str, Mapping[str, Row]], key: str) -> Any:
    """One score as an array, (tables, contestants)."""
    names = list(next(iter(rows.values())))
    return np.array([[each[name][key] for each in rows.values()] for name in names])
