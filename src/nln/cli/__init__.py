"""The `nln` command: `main` takes the arguments and returns the exit code, and `nln.cli.app` lists the commands.

The exit code is 0 if all went well, 2 if the arguments or the files given are wrong, and 1 if something else failed.
One line on standard error says what went wrong.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that `arguments` name, by default those of this process, and return the exit code."""
    try:
        with _ending_in_order():
            return _run(arguments)
    except KeyboardInterrupt as error:  # before the command began, or after it
        return _fail("Stopped.", 143 if type(error).__name__ == "Terminated" else 130)


def _run(arguments: Sequence[str] | None) -> int:
    try:
        import typer

        from nln.cli.app import build_app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "typer":
            raise
        return _fail('The nln command needs typer, which is not installed: pip install "nln[cli]".', 1)
    from nln.cli.errors import InputError, StoppedError

    # UsageError, which typer takes from click or, since it has a click of its own, from there.
    usage_error: type[Exception] = typer.BadParameter.__mro__[1]
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = build_app(given)(args=given, prog_name="nln", standalone_mode=False)
    except usage_error as error:
        return _fail(_explain_usage(error), 2)
    except (InputError, StoppedError) as error:
        return _fail(str(error), error.code)
    except (OSError, ImportError) as error:
        return _fail(_explain_system(error), 1)
    except typer.Abort:
        return _fail("Stopped.", 1)
    return code if isinstance(code, int) else 0


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let SIGTERM end the command as Ctrl-C does, so that nothing half written stays behind."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may say how signals end
        yield
        return

    def end(number: int, frame: object) -> NoReturn:
        from nln.cli.errors import Terminated

        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _fail(problem: str, code: int) -> int:
    from nln.cli.words import one_line

    if sys.stderr is not None:  # closed by whoever started the command
        print(f"nln: {one_line(problem)}", file=sys.stderr)  # noqa: T201 - this is a command
    return code


def _explain_system(error: OSError | ImportError) -> str:
    """Say what the system refused, and of which file, rather than the number of the error."""
    if not isinstance(error, OSError) or error.strerror is None:
        return str(error)
    return f"{error.filename or 'A file or a stream'} cannot be read or written: {error.strerror}."


def _explain_usage(error: Exception) -> str:
    """Say what is wrong with the arguments, and where the right ones are listed."""
    message: str = getattr(error, "format_message", error.__str__)()
    path = getattr(getattr(error, "ctx", None), "command_path", "nln")
    return f"{message.rstrip('.')}. `{path} --help` lists what it takes."
