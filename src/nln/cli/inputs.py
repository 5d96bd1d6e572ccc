"""What commands read: model files; and the error for what they cannot take."""

from __future__ import annotations

from pathlib import Path

from nln.modelfile import model_from_dict
from nln.rules import LogicProgram, ModelFormatError
from nln.rules.jsonfile import read_json
from nln.rules.jsonform import MODEL_FORMAT


class InputError(Exception):
    """Arguments or files that a command cannot take; the message says what to do."""


def load_program(path: Path) -> LogicProgram:
    """Read the program of a model file or of a program file.

    Parameters
    ----------
    path : Path
        What `NLNClassifier.save` or `LogicProgram.save` wrote.

    Raises
    ------
    InputError
        If there is no such file, or it is something else.

    Examples
    --------
    >>> load_program(Path("no-such-file.json"))
    Traceback (most recent call last):
    nln.cli.inputs.InputError: There is no file no-such-file.json. Give a file that save() of a model or program wrote.
    """
    hint = "Give a file that save() of a model or program wrote."
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
