"""The `nln` command: arguments in, exit code out. `nln.cli.app` lists the commands.

The exit code is 0 if all went well, 2 if the arguments or the files given are wrong, 1 if something else failed. What
went wrong stands on one line of standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows `nln` on the command line; by default that of this process.

    Returns
    -------
    int
        The exit code.

    Examples
    --------
    >>> main(["rules", "no-such-file.json"])  # says so on standard error
    2
    """
    try:
        import typer

        from nln.cli.app import app
        from nln.cli.errors import InputError
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "typer":
            raise
        return _fail('The nln command needs typer, which is not installed: pip install "nln[cli]".', 1)
    # UsageError, which typer takes from click or, since it has a click of its own, from there.
    usage_error: type[Exception] = typer.BadParameter.__mro__[1]
    try:
        code = app(args=arguments, prog_name="nln", standalone_mode=False)
    except usage_error as error:
        return _fail(_usage(error), 2)
    except InputError as error:
        return _fail(str(error), 2)
    except (OSError, ImportError) as error:
        return _fail(str(error), 1)
    except typer.Abort:
        return _fail("Stopped.", 1)
    return code if isinstance(code, int) else 0


def _fail(problem: str, code: int) -> int:
    line = " ".join(problem.split())
    print(f"nln: {line}", file=sys.stderr)  # noqa: T201 - this is a command
    return code


def _usage(error: Exception) -> str:
    """Say what is wrong with the arguments, and how to find out what is right."""
    message: str = getattr(error, "format_message", error.__str__)()
    path = getattr(getattr(error, "ctx", None), "command_path", "nln")
    return f"{message.rstrip('.')}. `{path} --help` lists what it takes."
