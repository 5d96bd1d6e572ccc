"""What commands write: results on standard output, notes and progress on standard error, files whole or not at all."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from nln.cli.errors import InputError
from nln.cli.words import one_line, visible
from nln.model import model_of
from nln.rules import LogicProgram
from nln.rules.language.text import LEGEND, STARTS_LEGEND
from nln.rules.storage.files import model_bytes, writing_whole
from nln.rules.storage.parts import part_name

if TYPE_CHECKING:
    from rich.console import Console

    from nln.tables.files.table_file import Chunk


_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quietly(quiet: bool) -> Iterator[None]:
    """Write no notes, tables or progress to standard error inside the block, if `quiet`."""
    token = _quiet.set(quiet)
    try:
        yield
    finally:
        _quiet.reset(token)


def is_quiet() -> bool:
    """Whether the user asked for the result and errors only, or closed standard error."""
    return _quiet.get() or sys.stderr is None


def check_output(path: Path | None, force: bool) -> None:
    """Refuse a file that cannot be written, before any work is done; None is standard output."""
    if path is None:
        return
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to write {path.name} in. Make it first.")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file, so it cannot be replaced. Give another name.")
    if path.exists() and not force:
        raise InputError(f"{path} already exists. Give --force to replace it, or another name.")
    part = Path(part_name(os.path.dirname(os.path.realpath(path))))
    try:  # asking for permissions does not tell: the disk may be read-only or full
        part.write_bytes(b"nln")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}. Give another name.") from None
    finally:
        with suppress(OSError):
            part.unlink()


def refuse_inputs_as_outputs(options: Mapping[str, Any]) -> None:
    """Refuse to replace a file that the command reads, also with --force."""
    outputs = [path for name in ("output", "report") if (path := options.get(name)) is not None]
    given = [value if isinstance(value, list) else [value] for name, value in options.items() if name != "force"]
    inputs = [path for each in given for path in each if isinstance(path, Path) and path not in outputs]
    inputs += [path for path in outputs if sum(path in each for each in given) > 1]
    for output in outputs:
        for read in inputs:
            if output.exists() and read.exists() and output.samefile(read):
                raise InputError(f"{output} is a file that the command reads. Give another name to write to.")


def write_output(content: bytes, path: Path) -> None:
    """Write a file whole or not at all, and say so; an error names it."""
    with writing_output(path) as file:
        file.write(content)


def write_model(program: LogicProgram, path: Path | None) -> None:
    """Write a program as a model file, which all commands and `nln.load_model` read; None is no file."""
    if path is not None:
        write_output(model_bytes(model_of(program).to_dict()), path)


@contextmanager
def writing_output(path: Path | None) -> Iterator[BinaryIO]:
    """Open standard output, or a file that appears, with a line that says so, when the block ends without an error."""
    if path is None and sys.stdout is None:
        raise OSError("Standard output is closed, so the result has nowhere to go. Give -o FILE.")
    if path is None:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with writing_whole(path) as file:
            yield file
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error.strerror}.") from error
    if not is_quiet():
        print(f"Wrote {path}.", file=sys.stderr)  # noqa: T201 - this is a command


def print_json(document: Any) -> None:
    """Write a document to standard output as JSON."""
    print_text(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


def print_text(text: str) -> None:
    """Write text to standard output, always in UTF-8."""
    # As bytes: the text encoding of a pipe depends on the system, and some lack ± and emoji.
    if sys.stdout is None:
        raise OSError("Standard output is closed, so the result has nowhere to go.")
    sys.stdout.buffer.write(as_lines(text))
    sys.stdout.buffer.flush()  # here, where a closed pipe can still be told from other errors


def as_lines(text: str) -> bytes:
    """Encode a text, with a line end after its last line."""
    # Names of files may hold bytes that are no text.
    return (text if text.endswith("\n") else text + "\n").encode(errors="backslashreplace")


def print_result(found: Any, document: Any, as_json: bool) -> None:
    """Write what a command found to standard output: its document as JSON, or its text."""
    print_json(document) if as_json else print_text(str(found))


def print_program(program: LogicProgram, document: Any, as_json: bool) -> None:
    """Write a program's rules, or a document as JSON, and to standard error what the numbers of a rule mean."""
    print_result(program, document, as_json)
    if program.rules and not as_json:
        say(f"{LEGEND} {STARTS_LEGEND}" if any(rule.is_rarely_found for rule in program.rules) else LEGEND)


def print_notes(notes: Iterable[str]) -> None:
    """Write each note as one line to standard error."""
    if is_quiet():
        return
    for note in notes:
        print(f"nln: note: {one_line(note)}", file=sys.stderr)  # noqa: T201 - this is a command


def errors_console() -> Console:
    """Return the rich console that draws on standard error."""
    from rich.console import Console

    return Console(stderr=True)


def say(line: str) -> None:
    """Write a line to standard error; the terminal breaks it where it is full."""
    if not is_quiet():
        errors_console().print(visible(line), markup=False, highlight=False, soft_wrap=True)


@contextmanager
def spinner(name: str) -> Iterator[None]:
    """Show what is being done beside a spinner until the block ends, if standard error is a terminal."""
    if not _is_terminal():
        yield
        return
    from rich.text import Text

    with errors_console().status(Text(name)):
        yield


def counting_rows(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Pass chunks on and show how many rows are done, if standard error is a terminal."""
    if not _is_terminal():
        yield from chunks
        return
    from rich.text import Text

    done = 0
    with errors_console().status(Text("reading")) as status:
        for chunk in chunks:
            yield chunk
            done += len(chunk.rows)
            status.update(Text(f"{done:,} rows"))


def _is_terminal() -> bool:
    """Whether standard error is a terminal; rich would say the same, but takes its time to load."""
    return not is_quiet() and (sys.stderr.isatty() or bool(os.environ.get("FORCE_COLOR")))


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> None:
    """Write a table to standard error, drawn if that is a terminal; the columns of `right` are aligned to the right."""
    if is_quiet():
        return
    from rich.table import Table
    from rich.text import Text

    title, rows = visible(title), [[visible(cell) for cell in row] for row in rows]
    console = errors_console()
    if not console.is_terminal:
        for line in (title, *text_table([head, *rows], right=right)):
            print(line, file=sys.stderr)  # noqa: T201 - this is a command
        return
    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False)
    for place, name in enumerate(head):
        table.add_column(Text(name), justify="right" if place in right else "left")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def text_table(rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> list[str]:
    """Align cells to lines of plain text; the columns of `right` are aligned to the right."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place in right else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
