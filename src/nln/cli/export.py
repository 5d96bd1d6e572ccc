"""`nln export`: the rules of a model in another language."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from nln.cli.arguments import Force, ModelFile, Output
from nln.cli.errors import InputError
from nln.cli.inputs import load_program
from nln.cli.outputs import as_lines, check_output, print_text, write_output
from nln.export import EXPORTERS
from nln.export import export as export_program

SPELLINGS = {
    "js": "javascript",
    "lp": "asp",
    "md": "markdown",
    "pl": "prolog",
    "py": "python",
    "tex": "latex",
    "txt": "text",
}
"""Other names of formats, most of them the endings of their files."""

_TRUTH = {"true": True, "false": False}


def export(
    model: ModelFile,
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"One of: {', '.join(EXPORTERS)}.")],
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUE", help="Option of the format, such as dialect=duckdb for sql; repeat for more."
        ),
    ] = None,
    output: Output = None,
    force: Force = False,
) -> None:
    """Write the rules of a model in another language."""
    to = SPELLINGS.get(to.lower(), to.lower())
    if to not in EXPORTERS:
        raise InputError(f"There is no format {to!r}; known: {', '.join(EXPORTERS)}.")
    options = read_options(option or (), to)
    check_output(output, force)
    program = load_program(model)
    try:
        found: str | bytes = export_program(program, to, **options)
    except ValueError as error:
        raise InputError(f"{model} cannot be written as {to}: {error}") from None
    if output is not None:
        write_output(found if isinstance(found, bytes) else as_lines(found), output)
    elif isinstance(found, bytes):
        raise InputError(f"{to} is a file, not text. Give its name with -o.")
    else:
        print_text(found)


def read_options(pairs: Iterable[str], name: str) -> dict[str, Any]:
    """Read `key=value` pairs as the options of a format, each with the type that the format's function takes."""
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
            raise InputError(f"The option {key!r} is given twice. Give it once.")
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
