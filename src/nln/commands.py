"""The commands of `nln`. Each one is a function with a decorator; its docstring and annotations are its help.

Commands return when all went well and raise `InputError` for a mistake of the user's; `nln.cli` turns what is raised
into a line and an exit code. They never ask questions. What is heavy is imported in the command that needs it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from nln.export import EXPORTERS
from nln.export import export as export_program
from nln.modelfile import model_from_dict
from nln.rules import LogicProgram, ModelFormatError
from nln.rules.jsonfile import read_json, write_whole
from nln.rules.jsonform import MODEL_FORMAT

app = typer.Typer(help="Read, export and report logic programs.", add_completion=False, pretty_exceptions_enable=False)

ModelFile = Annotated[Path, typer.Argument(metavar="MODEL.json", help="File of a model or of a program.")]

_TRUTH = {"true": True, "false": False}


class InputError(Exception):
    """Arguments or files that a command cannot take; the message says what to do."""


@app.command()
def rules(
    model: ModelFile,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON record a rule, in place of the text.")] = False,
) -> None:
    """Print the rules of a model."""
    program = load_program(model)
    _print(json.dumps(program.to_records(), ensure_ascii=False, indent=2) if as_json else str(program))


@app.command()
def export(
    model: ModelFile,
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"One of: {', '.join(EXPORTERS)}.")],
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Option of the format, as dialect=duckdb for sql; may be repeated."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write; standard output by default.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
) -> None:
    """Write the rules of a model in another language."""
    if to not in EXPORTERS:
        raise InputError(f"There is no format {to!r}; known: {', '.join(EXPORTERS)}.")
    options = read_options(option or (), to)
    if output is not None:
        _check_output(output, force)
    program = load_program(model)
    try:
        text = export_program(program, to, **options)
    except ValueError as error:
        raise InputError(f"{model} cannot be written as {to}: {error}") from None
    if output is None:
        _print(text)
        return
    _write(_lines(text), output)


@app.command()
def report(
    model: ModelFile,
    table: Annotated[Path, typer.Argument(metavar="DATA.csv", help="Rows to score, with a header; may end in .gz.")],
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of the true classes; by default the model's target.")
    ] = None,
    include_rows: Annotated[
        str, typer.Option(metavar="N|all|none", help="Rows that the page may hold; records may be private.")
    ] = "none",
    title: Annotated[str | None, typer.Option(help="Heading of the page.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write.")] = Path(
        "report.html"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
) -> None:
    """Write an HTML page about a model: its rules, their scores on a table, and tools to try them."""
    from nln.report import render, summarize  # noqa: PLC0415 - needs an extra
    from nln.tables.csvfile import read_csv  # noqa: PLC0415

    rows = _read_rows(include_rows)
    _check_output(output, force)
    program = load_program(model)
    try:
        columns, truth = read_csv(table, program.schema, target)
    except FileNotFoundError:
        raise InputError(f"There is no file {table}. Give a comma-separated file with a header.") from None
    except ValueError as error:
        raise InputError(str(error)) from None
    found = summarize(program, columns, truth, title=title, include_rows=rows)
    _write(render(found).encode(), output)


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
    nln.commands.InputError: There is no file no-such-file.json. Give a file that save() of a model or a program wrote.
    """
    hint = "Give a file that save() of a model or a program wrote."
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


def read_options(pairs: Iterable[str], name: str) -> dict[str, Any]:
    """Read the options of a format, each with the type that the format's function takes.

    Parameters
    ----------
    pairs : iterable of str
        As on the command line: `key=value`.
    name : str
        A name of `EXPORTERS`.

    Raises
    ------
    InputError
        If the format has no such option, or the value does not fit.

    Examples
    --------
    >>> read_options(["dialect=duckdb", "table=patients"], "sql")
    {'dialect': 'duckdb', 'table': 'patients'}
    >>> read_options(["unicode=true"], "latex")
    {'unicode': True}
    """
    parameters = signature(EXPORTERS[name]).parameters.values()
    known = {p.name: p.default for p in parameters if p.kind is Parameter.KEYWORD_ONLY}
    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise InputError(f"--option takes key=value, not {pair!r}.")
        if key not in known:
            raise InputError(f"{name} has no option {key!r}; known: {', '.join(known) or 'none'}.")
        if key in options:
            raise InputError(f"The option {key!r} is given twice.")
        options[key] = _read_value(key, value, known[key])
    return options


def _read_value(key: str, value: str, default: Any) -> Any:
    if isinstance(default, bool):
        if value not in _TRUTH:
            raise InputError(f"The option {key!r} is true or false, not {value!r}.")
        return _TRUTH[value]
    if isinstance(default, int):
        try:
            return int(value)
        except ValueError:
            raise InputError(f"The option {key!r} is a whole number, not {value!r}.") from None
    return value


def _check_output(path: Path, force: bool) -> None:
    if not path.parent.is_dir():
        raise InputError(f"There is no folder {path.parent} to write {path.name} in. Make it first.")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not a file that could be replaced. Give another name.")
    if path.exists() and not force:
        raise InputError(f"{path} is there already. Give --force to replace it, or another name.")


def _read_rows(text: str) -> bool | int:
    if text in ("all", "none"):
        return text == "all"
    if not (text.isascii() and text.isdigit() and int(text)):
        raise InputError(f"--include-rows takes a number of rows, all or none, not {text!r}.")
    return int(text)


def _write(content: bytes, path: Path) -> None:
    try:
        write_whole(content, path)
    except OSError as error:
        raise OSError(f"{path} cannot be written: {error.strerror}.") from error


def _print(text: str) -> None:
    # As bytes: the text encoding of a pipe depends on the system, and lacks ± and emoji on some.
    sys.stdout.buffer.write(_lines(text))
    sys.stdout.buffer.flush()  # here, where a closed pipe can still be told from other errors


def _lines(text: str) -> bytes:
    return (text if text.endswith("\n") else text + "\n").encode()
