"""The peers' virtual environment, and a worker process in it that answers requests."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from benchmarks.record import write_atomically
from benchmarks.settings import Settings, SkippedError, say

ROOT = Path(__file__).parents[1]
DEFAULT = ROOT / ".benchmarks-venv"
REQUIREMENTS = Path(__file__).with_name("peers-requirements.txt")
WALL_LIMIT = 20
"""How many times its CPU seconds a request may take on the wall before the process is given up."""


def python_of(settings: Settings) -> Path:
    """Return the Python of the peers' environment, which is made if it is not there.

    The quick form makes none: where there is no environment it takes this Python, with the peers that it has.
    """
    folder = settings.env or DEFAULT
    python = folder / "bin" / "python"
    stamp = folder / "requirements.txt"
    wanted = REQUIREMENTS.read_text(encoding="utf-8")
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return python
    if settings.quick:
        return Path(sys.executable)
    say(f"making the peers' environment in {folder}")
    steps = [
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(REQUIREMENTS)],
    ]
    for step in steps:
        done = subprocess.run(step, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SkippedError(
                f"The peers' environment could not be made: `{' '.join(step)}` said: {done.stderr[-500:]}"
            )
    write_atomically(stamp, wanted)
    return python


class Worker:
    """A process of `benchmarks.peer_worker` that is started when needed and again after it was ended.

    Parameters
    ----------
    python : Path
        The Python that runs it.
    """

    def __init__(self, python: Path) -> None:
        self._python = python
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def versions(self) -> dict[str, str]:
        """Versions of the peers' packages."""
        reply = self.ask({"ask": "versions", "seconds": 60})
        if "packages" not in reply:
            raise SkippedError(f"{self._python} cannot run the peers: {reply['reason']}.")
        found: dict[str, str] = reply["packages"]
        return found

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request; the status is `timed out` if the process uses up its seconds, `failed` if it just ends."""
        process = self._started()
        line, code = self._exchange(process, json.dumps(request) + "\n", WALL_LIMIT * max(request["seconds"], 1))
        if line:
            reply: dict[str, Any] = json.loads(line)
            return reply
        self._end()
        if code in (None, -signal.SIGXCPU):
            return {"status": "timed out", "reason": f"more than {request['seconds']} s of CPU time"}
        return {"status": "failed", "reason": f"the process ended with code {code}"}

    @staticmethod
    def _exchange(process: subprocess.Popen[str], text: str, seconds: float) -> tuple[str, int | None]:
        """Write a line and read one; an empty line comes with the code of a process that has ended."""
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("The worker has no pipes.")
        try:
            process.stdin.write(text)
            process.stdin.flush()
        except BrokenPipeError:
            return "", process.wait()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                return "", None
        line = process.stdout.readline()
        return line, None if line else process.wait()

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            limits = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
            self._process = subprocess.Popen(
                [str(self._python), "-m", "benchmarks.peer_worker"],
                cwd=ROOT,
                env={**os.environ, **limits},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self._process

    def _end(self) -> None:
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):  # a request that was never read
                    pipe.close()
        self._process = None
