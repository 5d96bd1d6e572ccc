"""What commands read: model files and table files; and the error for what they cannot take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from nln.model import model_from_dict
from nln.rules import LogicProgram, ModelFormatError
from nln.rules.storage.files import read_json
from nln.rules.storage.programs import MODEL_FORMAT

if TYPE_CHECKING:
    from nln.rules.schema import Schema
    from nln.tables.files.table_file import Chunk, TableFile


class InputError(Exception):
    """Arguments or files that a command cannot take; the message says what to do."""


def load_program(path: Path) -> LogicProgram:
    """Read the program of a model file or of a program file.

    Parameters
    ----------
    path : Path
        What `NLNClassifier.save`, `LogicProgram.save` or `nln fit` wrote.

    Raises
    ------
    InputError
        If there is no such file, or it is something else.

    Examples
    --------
    >>> load_program(Path("no-such-file.json"))
    Traceback (most recent call last):
    nln.cli.inputs.InputError: There is no file no-such-file.json. Give a file that nln fit or save() wrote.
    """
    hint = "Give a file that nln fit or save() wrote."
    if path.is_dir():
        raise InputError(f"{path} is a folder. {hint}")
    try:
        document = read_json(path)
    except ModelFormatError as error:
        raise InputError(f"{error} {hint}") from None
    except FileNotFoundError:
        raise InputError(f"There is no file {path}. {hint}") from None
    try:
        if isinstance(document, dict) and document.get("format") == MODEL_FORMAT:
            return model_from_dict(document).program_
        return LogicProgram.from_dict(document)
    except ModelFormatError as error:
        raise InputError(f"{path}: {error}") from None


@contextmanager
def users_mistakes() -> Iterator[None]:
    """Take what the package refuses inside as a mistake of the user's.

    Examples
    --------
    >>> with users_mistakes():
    ...     raise ValueError("Column 'x' is no number.")
    Traceback (most recent call last):
    nln.cli.inputs.InputError: Column 'x' is no number.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        raise InputError(str(error)) from None


def open_table(path: Path, missing: Sequence[str] | None = None) -> TableFile:
    """Open a table file; see `nln.tables.files.table_file.TableFile`.

    Parameters
    ----------
    path : Path
        The file; `-` is standard input.
    missing : sequence of str, optional
        What `--missing` gives.

    Raises
    ------
    InputError
        If there is no such file, or it is no table.
    """
    from nln.tables.files.table_file import TableFile

    with users_mistakes():
        return TableFile(path, missing or None)


def read_rows(
    path: Path, schema: Schema, *, target: str | None = None, missing: Sequence[str] | None = None, truth: bool = True
) -> Chunk:
    """Read all rows of a table file by a schema, and print the notes about them.

    Parameters
    ----------
    path : Path
        The file; `-` is standard input.
    schema : Schema
        What the columns mean.
    target : str, optional
        The column of the true classes; the name of the target by default.
    missing : sequence of str, optional
        What `--missing` gives.
    truth : bool
        Whether to read the true classes; rows without them are left out.

    Returns
    -------
    Chunk
        `X`, a mapping of columns that programs and all functions of `nln.compose` take, `y` and the rows' numbers.
    """
    from nln.cli.outputs import print_notes

    table = open_table(path, missing)
    with users_mistakes():
        rows = table.rows(schema, target=target, truth=truth)
    print_notes(table.notes)
    return rows
