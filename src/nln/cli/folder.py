"""`nln fit` on a folder or a pattern of files whose table is too long to be read whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nln.cli.errors import InputError
from nln.large.fit import SAMPLE_ROWS, fit_parts
from nln.large.folder import FolderEngine
from nln.model import SavedModel
from nln.rules import LogicProgram
from nln.rules.columns import read_inputs, read_truth
from nln.rules.evaluate import probabilities
from nln.scores import count_hits, decided_outputs, score_counts
from nln.tables.files.folder import TableFolder
from nln.tables.files.table_file import left_out, unknown_column


def check_columns(folder: TableFolder, used: Sequence[str]) -> None:
    """Refuse names that are no columns, and names that are given twice."""
    for name in used:
        if name not in folder.names:
            raise InputError(unknown_column(name, folder.names, folder.name))
        if used.count(name) > 1:
            raise InputError(f"The column {name!r} is given twice, as --target, --ignore or --weights. Give it once.")


def check_options(**given: object) -> None:
    """Refuse options that need the whole table at once."""
    for option, value in given.items():
        if value is not None:
            raise InputError(
                f"--{option} needs a table of at most {SAMPLE_ROWS} rows, and this one is longer, so it is read some rows "
                f"at a time. Leave --{option} away, or give fewer files."
            )


def fit_folder(engine: FolderEngine, parameters: Mapping[str, Any]) -> tuple[SavedModel, dict[str, Any]]:
    """Learn from all rows, some at a time; return the model and its scores on them."""
    from nln.classifier import NLNClassifier

    model = NLNClassifier(**parameters)
    fit_parts(model, engine, named=True)
    if engine.left_out:
        engine.folder.notes.append(left_out(engine.left_out))
    return model._saved(), score_parts(model.program_, engine)


def score_parts(program: LogicProgram, engine: FolderEngine) -> dict[str, Any]:
    """Score a program on all rows, some at a time: `rules`, `rows`, `accuracy`, `f1`."""
    counts, rows = np.zeros((3, len(program.schema.target.outputs))), 0
    for part in engine.parts_by(program.schema):
        columns, n_rows = read_inputs(part.X, program.schema, only=program.features_used)
        P = probabilities(program, columns, rows=part.n_rows)
        counts += count_hits(decided_outputs(program, P), read_truth(part.y, program.schema, part.n_rows))
        rows += part.n_rows
    kind = program.schema.target.kind
    accuracy, f1 = (score_counts(metric, kind, *counts, float(rows)) for metric in ("accuracy", "f1"))
    return {"rules": program.n_rules, "rows": rows, "accuracy": accuracy, "f1": f1}
