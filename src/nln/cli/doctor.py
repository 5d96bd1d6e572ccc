"""`nln doctor`: what is installed, what is missing, and whether learning works here."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from nln.cli.arguments import AsJson
from nln.cli.outputs import print_result, text_table

_DEPENDENCIES = ("numpy", "scikit-learn", "narwhals", "lark")
_EXTRAS = {
    "cli": ("typer", "rich", "pyarrow"),
    "export": ("sqlglot",),
    "plots": ("matplotlib",),
    "report": ("jinja2",),
    "demo": ("typer", "rich", "pandas"),
    "torch": ("torch",),
}


def doctor(as_json: AsJson = False) -> None:
    """Check the installation: versions, extras, threads, the compiled kernels, and a small fit."""
    found = examine()
    print_result("\n".join(_lines(found)), found, as_json)


def examine() -> dict[str, Any]:
    """Look at versions (None for a package that is not installed), threads, the kernels and whether a fit works."""
    from nln import __version__

    return {
        "nln": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "dependencies": {name: _version(name) for name in _DEPENDENCIES},
        "extras": {extra: {name: _version(name) for name in names} for extra, names in _EXTRAS.items()},
        "threads": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "kernels": _kernels(),
        "fit": _try_fit(),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _kernels() -> dict[str, Any]:
    """Load the library of compiled kernels; say where it lies and for which level of processors it runs here."""
    from nln.native.loading import load_library, processor_level

    try:
        return {"library": load_library()._name, "level": processor_level(), "error": None}
    except (OSError, RuntimeError) as error:
        return {"library": None, "level": None, "error": str(error)}


def _try_fit() -> str:
    """Learn x AND y from its truth table."""
    rows = [[x, y] for x in (0, 1) for y in (0, 1)] * 10
    try:
        from nln import NLNClassifier

        model = NLNClassifier(starts=1, random_state=0).fit(rows, [x * y for x, y in rows])
        right = model.predict(rows).tolist() == [x * y for x, y in rows]
    except Exception as error:
        return f"failed: {type(error).__name__}: {error}"
    return "works" if right else "failed: it did not learn x AND y"


def _lines(found: dict[str, Any]) -> list[str]:
    rows = [("nln", found["nln"], ""), ("Python", found["python"], sys.executable)]
    rows += [(name, known or "missing", "") for name, known in found["dependencies"].items()]
    for extra, names in found["extras"].items():
        absent = [name for name, known in names.items() if known is None]
        said = ", ".join(f"{name} {known}" for name, known in names.items() if known)
        rows.append(
            (f"nln[{extra}]", "missing" if absent else "installed", f'pip install "nln[{extra}]"' if absent else said)
        )
    kernels = found["kernels"]
    rows.append(("threads", str(found["threads"]), ""))
    rows.append(("kernels", kernels["level"] or "missing", kernels["library"] or ""))
    lines = text_table([*rows, ("a small fit", found["fit"], "")])
    return [*lines, kernels["error"]] if kernels["error"] else lines
