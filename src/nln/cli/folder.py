"""`nln fit` on a folder or a pattern of files whose table is too long to be read whole."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.outputs import say, spinner
from nln.model import SavedModel
from nln.rules import LogicProgram
from nln.tables.files.folder import TableFolder, find_files
from nln.tables.files.table_file import left_out, unknown_column

if TYPE_CHECKING:
    from nln.large.folder import FolderEngine

_MMAP_THRESHOLD, _LARGE = -3, 2**18
"""Number of the option of `mallopt`, and bytes from which an array is large."""

LONG = 2**17
"""Rows of a table that is read whole."""


def return_memory() -> None:
    """Let large arrays go back to the system when they are freed.

    The allocator of Linux keeps them by default once it has seen some, and between arrays that stay, what it keeps is
    lost: a table that is read some rows at a time would then take several times its codes.
    """
    with suppress(OSError, AttributeError):  # another system, another allocator
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)


def open_folder(path: Path, missing: Sequence[str] | None) -> TableFolder | None:
    """Open the files of a folder or a pattern; None if the path names one file."""
    with refusals_as_input_errors():
        files = find_files(path)
        return None if files is None else TableFolder(str(path), files, missing or None)


def is_long(folder: TableFolder) -> bool:
    """Whether the table is too long to be read whole."""
    with refusals_as_input_errors(), spinner(f"reading {folder.name}"):
        return folder.has_more_than(LONG)


def first_rows(folder: TableFolder) -> Any:
    """Return some rows, which show what the values of columns look like."""
    return next(iter(folder.batches())).slice(0, 1000)


def open_engine(
    folder: TableFolder, targets: Sequence[str], ignore: Sequence[str], weights: str | None
) -> FolderEngine:
    """Check the columns that options name, and get ready to read the others."""
    from nln.large.folder import FolderEngine

    used = [*targets, *ignore, *([weights] if weights else [])]
    for name in used:
        if name not in folder.names:
            raise InputError(unknown_column(name, folder.names, folder.name))
        if used.count(name) > 1:
            raise InputError(f"The column {name!r} is given twice, as --target, --ignore or --weights. Give it once.")
    engine = FolderEngine(folder, targets, ignore, weights)
    if not engine.features:
        raise InputError(f"{folder.name} has no columns left to learn from. Give --ignore for fewer columns.")
    return engine


def check_options(**given: object) -> None:
    """Refuse options that need the whole table at once."""
    for option, value in given.items():
        if value is not None:
            raise InputError(
                f"--{option} needs a table of at most {LONG} rows. This one is longer and is read some rows at a time. "
                f"Leave --{option} away, or give fewer files."
            )


def fit_folder(engine: FolderEngine, parameters: Mapping[str, Any]) -> tuple[SavedModel, dict[str, Any]]:
    """Learn from all rows, some at a time; return the model and its scores on them."""
    from nln.classifier import NLNClassifier
    from nln.large.fit import fit_parts

    return_memory()
    model = NLNClassifier(**parameters)
    fit_parts(model, engine, named=True, sample_rows=LONG, tell=say)
    if engine.left_out:
        engine.folder.notes.append(left_out(engine.left_out))
    return model._saved(), score_parts(model.program_, engine)


def score_parts(program: LogicProgram, engine: FolderEngine) -> dict[str, Any]:
    """Score a program on all rows, some at a time: `rules`, `rows`, `accuracy`, `f1`."""
    from nln.rules.columns import read_inputs, read_truth
    from nln.rules.evaluate import probabilities
    from nln.scores import count_hits, decided_outputs, score_counts

    counts, rows = np.zeros((3, len(program.schema.target.outputs))), 0
    for part in engine.parts_by(program.schema):
        columns = read_inputs(part.X, program.schema, only=program.features_used).columns
        P = probabilities(program, columns, rows=part.n_rows)
        counts += count_hits(decided_outputs(program, P), read_truth(part.y, program.schema, part.n_rows))
        rows += part.n_rows
    kind, (hits, wrong, positive) = program.schema.target.kind, counts
    accuracy = score_counts("accuracy", kind, hits, wrong, positive, float(rows))
    f1 = score_counts("f1", kind, hits, wrong, positive, float(rows))
    return {"rules": program.n_rules, "rows": rows, "accuracy": accuracy, "f1": f1}
