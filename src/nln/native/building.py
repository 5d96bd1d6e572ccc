"""Compile the C sources to one shared library. It needs the standard library alone: the build of a wheel uses it too.

The library's name holds a digest of the sources and of how they are compiled, so a library is never older than its
sources, and several processes may build it at the same time: each writes a file of its own and renames it.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).parent / "c"
LIBRARIES = Path(__file__).parent / "lib"
"""Where the library lies in a wheel, and where it is built in a source tree."""

FLAGS = ("-std=c11", "-O3", "-g0", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden", "-Wno-psabi")
"""Strict arithmetic, one rounding per operation: the same numbers on every processor."""
_SHARED = () if sys.platform == "win32" else ("-fPIC",)
FIRST = "-DFIRST_LEVEL"
_X86_LEVELS = {"baseline": (FIRST,), "v3": ("-mavx2", "-mbmi", "-mbmi2")}
WIDE = "_wide"
"""Ending of the level's name in kernels for codes of two bytes."""
_ENDING = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


class NoCompiler(RuntimeError):
    """No C compiler is at hand, or it failed."""


def levels() -> dict[str, tuple[str, ...]]:
    """Levels of processors that the kernels are compiled for, with their flags; the first runs everywhere."""
    return _X86_LEVELS if platform.machine().lower() in ("x86_64", "amd64") else {"baseline": (FIRST,)}


def units() -> dict[str, tuple[str, ...]]:
    """All that is compiled, by the name that keeps it apart: each level for codes of one byte and of two."""
    units = dict(levels())
    for level, flags in levels().items():
        units[level + WIDE] = (*(flag for flag in flags if flag != FIRST), "-DWIDE")
    return units


def library_name() -> str:
    """Name of the library that belongs to the sources as they are."""
    digest = hashlib.sha256(repr((FLAGS, units())).encode())
    for path in sorted(SOURCES.iterdir()):
        if path.suffix in (".c", ".h"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"kernels-{digest.hexdigest()[:16]}{_ENDING}"


def find_compiler() -> list[str] | None:
    """Command of a C compiler: that of CC, the system's, or the one that the package `ziglang` brings.

    On Windows compilers differ in what they need beside them, and some spill vectors to where these must not lie.
    """
    system: tuple[str, ...] = () if sys.platform == "win32" else ("cc", "clang", "gcc")
    for name in (os.environ.get("CC"), *system):
        if name and shutil.which(name.split()[0]):
            return name.split()
    if importlib.util.find_spec("ziglang") is None:
        return None
    # Zig compiles for the processor at hand unless it is told not to.
    return [sys.executable, "-m", "ziglang", "cc", "-mcpu=baseline"]


def build_library(folder: Path) -> Path:
    """Compile the sources into a folder, which is made if need be; return the library's path."""
    compiler = find_compiler()
    if compiler is None:
        raise NoCompiler(
            "nln was installed without its compiled kernels, and there is no C compiler to build them. Install a wheel "
            "of nln (`pip install --only-binary nln nln`), or a compiler: `pip install ziglang` brings one."
        )
    folder.mkdir(parents=True, exist_ok=True)
    library = folder / library_name()
    with tempfile.TemporaryDirectory(prefix="nln-", dir=folder) as scratch:
        objects = [Path(scratch) / f"{unit}.o" for unit in units()]
        source = str(SOURCES / "kernels.c")
        running = [
            _start([*compiler, *FLAGS, *_SHARED, *flags, f"-DLEVEL={unit}", "-c", source, "-o", str(to)])
            for (unit, flags), to in zip(units().items(), objects, strict=True)
        ]
        _finish(*running)
        built = Path(scratch) / library.name
        _finish(_start([*compiler, "-shared", *map(str, objects), "-o", str(built), *_math_library()]))
        os.replace(built, library)
    return library


def _math_library() -> list[str]:
    return [] if sys.platform == "win32" else ["-lm"]


def _start(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _finish(*running: subprocess.Popen[str]) -> None:
    """Wait for all of these, and raise what the first one that failed has said."""
    texts = [process.communicate()[0] for process in running]
    for process, said in zip(running, texts, strict=True):
        if process.returncode:
            command = process.args if isinstance(process.args, list) else [str(process.args)]
            raise NoCompiler(f"The kernels of nln cannot be compiled: {' '.join(map(str, command))}\n{said[-2000:]}")
