"""How loops are compiled: with Numba, cached on disk so that only the first run pays, free of the interpreter lock."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from numba import njit
from numba.core import event
from numba.core.caching import FunctionCache

_AGAIN = "so every process compiles anew, for about a minute. Set NUMBA_CACHE_DIR to a folder that can be written."

_notes: dict[str, None] = {}
"""What a user should know about the cache, until it is told."""


class _LenientCache(FunctionCache):  # type: ignore[misc]  # Numba has no types
    """Numba's cache of one function, without which learning goes on: a file may be damaged, or the disk full."""

    def load_overload(self, sig, target_context):
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # unpickling half a file may raise anything
            why = error.strerror if isinstance(error, OSError) and error.strerror else "a file is damaged"
            _notes[f"Compiled code in {self.cache_path} cannot be read ({why}) and is compiled again."] = None
            with suppress(Exception):
                self.flush()
            return None

    def save_overload(self, sig, data):
        try:
            super().save_overload(sig, data)
        except Exception as error:
            why = getattr(error, "strerror", None) or error
            _notes[f"Compiled code cannot be kept in {self.cache_path} ({why}), {_AGAIN}"] = None


def _compiler(**options):
    """Make a decorator that compiles a function and keeps the result on the disk, if there is a place for it."""

    def compile_function(function):
        dispatcher = njit(nogil=True, error_model="numpy", **options)(function)
        try:
            dispatcher._cache = _LenientCache(function)
        except RuntimeError:  # what Numba raises if neither the package's folder nor the user's can be written
            _notes[f"Compiled code cannot be kept, since no folder for it can be written, {_AGAIN}"] = None
        return dispatcher

    return compile_function


compiled = _compiler()
"""Compile a function with exact arithmetic."""

fast = _compiler(fastmath=True)
"""Compile a function that may reorder its arithmetic, so that sums over the rules use vector instructions."""

FUNCTIONS = 90
"""About so many functions are compiled when a machine learns for the first time."""


class _Compilations(event.Listener):  # type: ignore[misc]  # Numba has no types
    def __init__(self, tell: Callable[[int], None]) -> None:
        self.tell, self.done = tell, 0

    def on_start(self, event: event.Event) -> None:
        if _is_ours(event):
            self.tell(self.done)

    def on_end(self, event: event.Event) -> None:
        if _is_ours(event):
            self.done += 1
            self.tell(self.done)


def _is_ours(found: event.Event) -> bool:
    return bool(found.data["dispatcher"].py_func.__module__.startswith("nln."))


@contextmanager
def watching_compilation(tell: Callable[[int], None]) -> Iterator[None]:
    """Tell how many functions have been compiled, whenever one begins or ends: nothing if the cache has all of them.

    Numba looks into its cache first and reports only what it has to compile, so nobody needs to know what lies ahead.
    """
    with event.install_listener("numba:compile", _Compilations(tell)):
        yield


def warn_of_cache() -> None:
    """Warn once of each thing that is wrong with the cache; what was learned is the same."""
    while _notes:
        warnings.warn(_notes.popitem()[0], stacklevel=3)
