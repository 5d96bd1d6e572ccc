"""Find the library of compiled kernels, or build it where the sources are newer, and load it."""

from __future__ import annotations

import ctypes
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

from nln.native.building import LIBRARIES, build_library, levels, library_name

LEVEL = "NLN_PROCESSOR_LEVEL"
"""Environment variable that chooses one of `levels()`, to show that all of them compute the same."""


def user_folder() -> Path | None:
    """Folder for a library that cannot lie beside its sources; None for a user without a home."""
    variable, usual = ("LOCALAPPDATA", "AppData/Local") if sys.platform == "win32" else ("XDG_CACHE_HOME", ".cache")
    try:
        return Path(os.environ.get(variable) or Path.home() / usual) / "nln"
    except RuntimeError:  # service accounts
        return None


@cache
def load_library() -> ctypes.CDLL:
    """Load the library of kernels; build it if it is not there."""
    folders = [folder for folder in (LIBRARIES, user_folder()) if folder is not None]
    for folder in folders:
        if (folder / library_name()).is_file():
            return ctypes.CDLL(str(folder / library_name()))
    for folder in folders:
        try:
            built = build_library(folder)
        except OSError:  # a folder that cannot be written, or a full disk
            continue
        _remove_others(built)
        return ctypes.CDLL(str(built))
    # Nothing can be kept: the library lives as long as this process.
    with tempfile.TemporaryDirectory(prefix="nln-", ignore_cleanup_errors=True) as passing:
        return ctypes.CDLL(str(build_library(Path(passing))))


def _remove_others(library: Path) -> None:
    """Remove libraries of older sources beside a new one; another process may still use or remove them."""
    for other in library.parent.glob(f"kernels-*{library.suffix}"):
        if other.name != library.name:
            other.unlink(missing_ok=True)


@cache
def processor_level() -> str:
    """Level of the kernels that run here: the highest that the processor has."""
    chosen = os.environ.get(LEVEL)
    if chosen in levels():
        return str(chosen)
    highest = int(load_library().highest_level())
    return list(levels())[min(highest, len(levels()) - 1)]
