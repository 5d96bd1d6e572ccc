"""The list of the commands. Each is a function in a file of its own; its docstring and annotations are its help.

A command returns if all went well and raises `InputError` if the user gave something that it cannot take; `nln.cli`
turns what is raised into a line and an exit code. Commands never ask questions.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import import_module
from typing import Annotated, Any

import typer

COMMANDS = {
    "fit": "Learn rules from a table, print them and save the model.",
    "predict": "Decide about each row of a table.",
    "explain": "Say why a row got its decision, and what would change it.",
    "evaluate": "Score a model on a table with known classes.",
    "rules": "Print the rules of a model.",
    "report": "Write an HTML page about a model.",
    "card": "Write a model card: data, seed, versions, scores, rules.",
    "export": "Write the rules of a model as SQL, Python, PMML and other languages.",
    "plot": "Draw a figure of a model.",
    "diff": "Show which rules two models share and which differ.",
    "merge": "Merge models for one target into one.",
    "select": "Choose the few rules of a model that do most of its work.",
    "transfer": "Reuse the rules of a model for another target.",
    "audit": "Compare what a model does to groups of rows.",
    "demo": "Learn a data set that needs no download.",
    "doctor": "Check the installation.",
}


HELP = {"help_option_names": ["-h", "--help"]}
"""Settings of the command and of all its commands."""

_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Write only the result and errors: no notes, no progress.")]


def build_app(arguments: Sequence[str]) -> typer.Typer:
    """Build the command line. Only commands that the arguments name are imported; of the others only the line is shown.

    Importing a command loads what it works with, so `nln --help` would otherwise load everything.
    """
    is_completing = "_NLN_COMPLETE" in os.environ  # the shell asks for options, and passes the arguments elsewhere
    app = typer.Typer(
        help="Learn, read, use and share logic programs: IF-THEN rules with probabilities.",
        pretty_exceptions_enable=False,
        context_settings=HELP,
    )
    app.callback()(_nln)
    for name, line in COMMANDS.items():
        is_needed = is_completing or name in arguments
        function = getattr(import_module(f"nln.cli.{name}"), name) if is_needed else _not_imported
        app.command(name, short_help=line, context_settings=HELP)(_with_quiet(function))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        from nln import __version__

        typer.echo(f"nln {__version__}")
        raise typer.Exit


def _nln(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn, read, use and share logic programs: IF-THEN rules with probabilities."""


def _with_quiet(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option `--quiet`."""

    @wraps(function)
    def run(*args: Any, quiet: bool, **options: Any) -> Any:
        from nln.cli.errors import StoppedError, Terminated
        from nln.cli.outputs import quietly, refuse_inputs_as_outputs

        try:
            refuse_inputs_as_outputs(options)
            with quietly(quiet):
                return function(*args, **options)
        except KeyboardInterrupt as error:  # typer would end without a line
            raise StoppedError(143 if isinstance(error, Terminated) else 130) from None
        except EOFError as error:  # typer takes it for the end of what a user types; no command asks for anything
            raise RuntimeError(f"A file ended too early: {error}") from error

    own = inspect.signature(function, eval_str=True)
    option = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=_Quiet)
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), option])  # type: ignore[attr-defined]
    return run


def _not_imported() -> None:
    """Stand for a command that the arguments do not name."""
