"""How loops are compiled: with Numba, cached on disk so that only the first run pays, free of the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from numba import njit
from numba.core import event

compiled = njit(cache=True, nogil=True, error_model="numpy")
"""Compile a function with exact arithmetic."""

fast = njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
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
