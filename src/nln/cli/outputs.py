"""What commands write: text on standard output, and files whole or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nln.cli.inputs import InputError
from nln.modelfile import model_of
from nln.rules import LogicProgram
from nln.rules.jsonfile import dump_json, write_whole


def check_output(path: Path, force: bool) -> None:
    """Refuse a place where the output cannot go, before any work is done."""
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to write {path.name} in. Make it first.")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file that could be replaced. Give another name.")
    if path.exists() and not force:
        raise InputError(f"{path} is there already. Give --force to replace it, or another name.")


def write_output(content: bytes, path: Path) -> None:
    """Write a file whole or not at all; an error names it."""
    try:
        write_whole(content, path)
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error.strerror}.") from error


def write_model(program: LogicProgram, path: Path) -> None:
    """Write a program as a model file, which all commands and `nln.load_model` read."""
    write_output(dump_json(model_of(program).to_dict()).encode(), path)


def print_json(document: Any) -> None:
    """Write one JSON document to standard output."""
    print_text(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2))


def print_text(text: str) -> None:
    """Write text to standard output, in UTF-8 whatever the system says."""
    # As bytes: the text encoding of a pipe depends on the system, and lacks ± and emoji on some.
    sys.stdout.buffer.write(as_lines(text))
    sys.stdout.buffer.flush()  # here, where a closed pipe can still be told from other errors


def print_notes(notes: Iterable[str]) -> None:
    """Write notes to standard error, a line each."""
    for note in notes:
        line = " ".join(note.split())
        print(f"nln: note: {line}", file=sys.stderr)  # noqa: T201 - this is a command


def as_lines(text: str) -> bytes:
    """Encode a text, with a line end after its last line."""
    return (text if text.endswith("\n") else text + "\n").encode()
