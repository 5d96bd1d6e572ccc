"""JSON files, which are written whole or not at all and read strictly.

Writing lays a program out so that a change of one rule changes only the lines of that rule. Reading never recurses
deeper than `MAX_DEPTH` and refuses what JSON parsers disagree about: repeated keys, NaN and numbers that overflow.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, NoReturn

from nln.rules.storage.parts import part_name, remove_stale_parts
from nln.rules.storage.reading import ModelFormatError

MAX_BYTES = 64 * 2**20
"""The largest file that is read or written."""

MAX_DEPTH = 32
"""The deepest nesting that is read; a model needs 9 levels."""

_BLOCK_OBJECTS = ("", "made", "program", "path[]", "rules[]")
_BLOCK_ARRAYS = ("features", "outputs", "rules", "conditions", "history", "notes", "path")

# Possessive, and accepts a string that does not end: linear in the length of any text.
_TOKENS = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)


def dump_json(document: dict[str, Any]) -> str:
    """Write the JSON form of a program or a model: a block for each rule, a line for each condition or feature."""
    return "".join(_layout(document, "", "\n")) + "\n"


def load_json(text: str) -> Any:
    """Read JSON text; repeated keys, NaN, infinite numbers and deep nesting are a `ModelFormatError`."""
    _check_depth(text)
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float, parse_int=_int
        )
    except json.JSONDecodeError as error:
        raise ModelFormatError(
            f"This is not JSON, or not all of it: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from None


def write_json(document: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the JSON form of a program or a model to a file, as `write_whole` does."""
    write_whole(model_bytes(document), path)


def model_bytes(document: dict[str, Any]) -> bytes:
    """Give the bytes of a program's or a model's file; what no reader would take is refused."""
    try:
        data = dump_json(document).encode()
    except UnicodeEncodeError as error:
        raise ModelFormatError(
            f"A name or a value is not Unicode text: {error.object[error.start - 20 :][:40]!r}."
        ) from None
    if len(data) > MAX_BYTES:
        raise ModelFormatError(f"The model takes {len(data)} bytes as JSON; a model file holds at most {MAX_BYTES}.")
    return data


def write_whole(data: bytes, path: str | os.PathLike[str]) -> None:
    """Write a file that is at any moment either the old one or the new one; a replaced file keeps its permissions."""
    with writing_whole(path) as file:
        file.write(data)


@contextmanager
def writing_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file to write piece by piece; it takes the place of `path` if the block ends without an error."""
    goal = os.path.realpath(path)
    folder = os.path.dirname(goal)
    part = part_name(folder)
    remove_stale_parts(folder)
    try:
        with open(part, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            os.chmod(part, stat.S_IMODE(os.stat(goal).st_mode))
        os.replace(part, goal)
    except OSError as error:
        if error.errno is None or error.filename not in (None, part):
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None  # not that of the part
    finally:
        with suppress(OSError):
            os.unlink(part)
    _sync_folder(folder)


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON file in UTF-8 as `load_json` does; an error names the file."""
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise ModelFormatError(f"{os.fspath(path)} has more than {MAX_BYTES} bytes, which no model file has.")
    try:
        return load_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ModelFormatError(f"{os.fspath(path)} is not UTF-8 text: byte {error.start} is wrong.") from None
    except ModelFormatError as error:
        raise ModelFormatError(f"{os.fspath(path)}: {error}") from None


def _layout(data: Any, key: str, line: str) -> Iterator[str]:
    """Yield the pieces of a document; `line` is a new line with the indent of the data."""
    inner = line + "  "
    if isinstance(data, dict) and data and key in _BLOCK_OBJECTS:
        for i, (name, item) in enumerate(data.items()):
            yield f"{',' if i else '{'}{inner}{_flat(name)}: "
            yield from _layout(item, name, inner)
        yield line + "}"
    elif isinstance(data, list) and data and key in _BLOCK_ARRAYS:
        for i, item in enumerate(data):
            yield f"{',' if i else '['}{inner}"
            yield from _layout(item, f"{key}[]", inner)
        yield line + "]"
    else:
        yield _flat(data)


def _flat(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _check_depth(text: str) -> None:
    depth = 0
    for token in _TOKENS.finditer(text):
        character = text[token.start()]
        depth += (character in "[{") - (character in "]}")
        if depth > MAX_DEPTH:
            line = text.count("\n", 0, token.start()) + 1
            raise ModelFormatError(f"Line {line} is nested more than {MAX_DEPTH} levels deep, which no model file is.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        times = Counter(key for key, _ in pairs)
        twice = next(key for key in times if times[key] > 1)
        raise ModelFormatError(f"An object has the key {twice!r} twice.")
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise ModelFormatError(f"{name} is not a number in JSON.")


def _float(digits: str) -> float:
    result = float(digits)
    if math.isinf(result):
        raise ModelFormatError(f"The number {digits[:40]} is too large for 64 bits.")
    return result


def _int(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:
        raise ModelFormatError(f"A whole number has {len(digits)} digits, which is too many.") from None


def _sync_folder(folder: str) -> None:
    """Make the new name last through a power cut, where the system lets a folder be opened."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
