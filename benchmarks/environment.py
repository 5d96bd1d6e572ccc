"""Where numbers were measured: the machine, the packages, the state of the sources."""

from __future__ import annotations

import hashlib
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import nln

PACKAGES = ("numpy", "scikit-learn", "narwhals", "pandas", "polars", "pyarrow", "xgboost", "torch")
"""Packages whose version can move a number."""


def environment() -> dict[str, Any]:
    """Describe machine, packages and sources; everything but the date decides whether numbers can be compared."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {
            "cpu": cpu_model(),
            "cores": available_cores(),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "python": platform.python_version(),
        "packages": _versions(),
        "sources": source_digest(),
    }


def is_same(stored: dict[str, Any], current: dict[str, Any]) -> bool:
    """Whether numbers of two environments can stand in one table."""
    return stored.get("sources") == current["sources"] and is_same_machine(stored, current)


def is_same_machine(stored: dict[str, Any], current: dict[str, Any]) -> bool:
    """Whether all but nln is the same; packages installed since then, or that nln no longer has, do no harm."""
    packages = {name: number for name, number in stored.get("packages", {}).items() if name in PACKAGES}
    same = all(stored.get(name) == current[name] for name in ("machine", "python"))
    return same and packages.items() <= current["packages"].items()


def cpu_model() -> str:
    """Name of the processor."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.is_file() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def source_digest() -> str:
    """Short hash of the package's Python and C files: the version alone does not change with every edit."""
    root = Path(nln.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".c", ".h")):
        digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def _versions() -> dict[str, str]:
    found = {}
    for name in ("nln", *PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
