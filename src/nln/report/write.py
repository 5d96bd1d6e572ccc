"""`write_report`: from a model and a table to a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from nln.report.render import render
from nln.report.summary import summarize
from nln.rules import LogicProgram
from nln.rules.program import read_truth
from nln.rules.storage.files import write_whole
from nln.tables import Table, align, read_columns, read_table


def write_report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] = "report.html",
    *,
    include_rows: bool | int = False,
    title: str | None = None,
    audit: Any = None,
    force: bool = False,
) -> Path:
    """Write one HTML file that shows a model's rules and what they do on a table.

    Parameters
    ----------
    model : NLNClassifier, SavedModel or LogicProgram
        The model to show. The page has a dial between accuracy and simplicity if the model's `path_` has programs.
    X : data frame or 2-D array
        The rows to score, with the columns seen at fit.
    y : 1-D array, series, or table of zeros and ones
        Their true classes or labels.
    path : str or path, default="report.html"
        The file to write. It is written completely or not at all.
    include_rows : bool or int, default=False
        Whether the page may hold rows of the table: none (since records may be private), all, or a sample of this size.
        With rows, scores are updated as rules are edited and errors are listed one by one. Without rows, the page holds
        counts, quantiles and scores only.
    title : str, optional
        Heading of the page; by default it names the target.
    audit : Audit, optional
        The result of `nln.audit`, which gets a section of its own.
    force : bool, default=False
        Whether to replace an existing file.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x0", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x0 < 3 THEN class = yes (0.9)", schema=schema)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(program, [[1.0], [5.0]], ["yes", "no"], f"{folder}/report.html").name
    'report.html'
    """
    goal = Path(path)
    _check_rows(include_rows)
    if goal.exists() and not force:
        raise FileExistsError(f"{goal} already exists. Give force=True to replace it, or choose another name.")
    program = model if isinstance(model, LogicProgram) else model.program_
    table = _read(model, X)
    columns = read_columns(table, program.schema)
    truth = read_truth(y, program.schema, table.n_rows)
    options = {"title": title, "include_rows": include_rows, "path": getattr(model, "path_", ()), "audit": audit}
    found = summarize(program, columns, truth, **options)
    write_whole(render(found).encode(), goal)
    return goal


def _check_rows(include_rows: Any) -> None:
    if isinstance(include_rows, bool) or (isinstance(include_rows, int | np.integer) and include_rows >= 1):
        return
    raise ValueError(f"include_rows must be True, False or a number of rows of at least 1, not {include_rows!r}.")


def _read(model: Any, X: Any) -> Table:
    """Read a table with the columns that the model saw at fit, in that order."""
    table = read_table(X)
    if isinstance(model, LogicProgram):
        return align(table, model.schema.names, named=table.named)
    named = hasattr(model, "feature_names_in_")
    names = model.feature_names_in_ if named else [f"x{i}" for i in range(model.n_features_in_)]
    return align(table, tuple(names), named=named, estimator=type(model).__name__)
