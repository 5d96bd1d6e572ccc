"""`write_report`: from a model and a table to a file."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nln.model import read_inputs_for, saved_model
from nln.report.render import render
from nln.report.summary import summarize
from nln.rules import LogicProgram
from nln.rules.cells import encode
from nln.rules.children.reading import Tables
from nln.rules.columns import Inputs, read_truth
from nln.rules.decoding import decode
from nln.rules.storage.files import write_whole


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
    tables: Tables | None = None,
) -> Path:
    """Write one HTML file that shows a model's rules and what they do on a table.

    Parameters
    ----------
    model : NLNClassifier, SavedModel or LogicProgram
        The model to show. The page has a dial between accuracy and simplicity if the model's `path_` has programs.
    X : array-like of shape (n_samples, n_features)
        The rows to score, with the columns seen at fit.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Their true classes or labels.
    path : str or path, default="report.html"
        The file to write. It is written completely or not at all.
    include_rows : bool or int, default=False
        Whether the page may hold rows of the table: none (since records may be private), all, or a sample of this size.
        With rows, scores are updated as rules are edited and errors are listed one by one. Without rows, the page holds
        counts, quantiles and scores only.
    title : str, default=None
        Heading of the page; by default it names the target.
    audit : Audit, default=None
        The result of `nln.audit`, which gets a section of its own.
    force : bool, default=False
        Whether to replace an existing file.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x0", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x0 < 3 THEN class = yes (weight 0.9)", schema=schema)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(program, [[1.0], [5.0]], ["yes", "no"], f"{folder}/report.html").name
    'report.html'
    """
    goal = Path(path)
    if not (isinstance(include_rows, bool) or (isinstance(include_rows, int | np.integer) and include_rows >= 1)):
        raise ValueError(f"include_rows must be True, False or a number of rows of at least 1, not {include_rows!r}.")
    if goal.exists() and not force:
        raise FileExistsError(f"{goal} already exists. Give force=True to replace it, or choose another name.")
    program = model if isinstance(model, LogicProgram) else model.program_
    columns, n_rows, _ = read_all(model, X, tables)
    truth = read_truth(y, program.schema, n_rows)
    found = summarize(
        program,
        columns,
        truth,
        title=title,
        include_rows=include_rows,
        path=getattr(model, "path_", ()),
        audit=audit,
        model=saved_model(model),
    )
    write_whole(render(found).encode(errors="replace"), goal)
    return goal


def read_all(model: Any, X: Any, tables: Tables | None = None) -> Inputs:
    """Read what the programs of the page ask about; other features that the table lacks are missing in all its rows."""
    program: LogicProgram = getattr(model, "program_", model)
    needed = {name for stage in getattr(model, "path_", ()) for name in stage.program.features_used}
    columns, n_rows, _ = read_inputs_for(model, X, needed=needed, if_present=program.schema.names, tables=tables)
    absent = [feature for feature in program.schema.features if feature.name not in columns]
    columns.update(
        {
            feature.name: encode(replace(feature, reading=None), decode(feature.name, [None] * n_rows))
            for feature in absent
        }
    )
    return Inputs(columns, n_rows)
