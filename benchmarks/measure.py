"""Clocks. Ratios are taken within one run, the contestants in turn: a shared machine is never the same twice."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Literal, TypeVar

Name = TypeVar("Name")


@dataclass
class Times:
    """Wall and CPU seconds of one contestant, one entry for each repeat."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def add(self, run: Callable[[], Any]) -> Any:
        """Run once and note how long it took; CPU time is that of all threads of the process."""
        wall, cpu = time.perf_counter(), time.process_time()
        result = run()
        self.wall.append(time.perf_counter() - wall)
        self.cpu.append(time.process_time() - cpu)
        return result


def interleave(contestants: Mapping[Name, Callable[[], Any]], repeats: int) -> dict[Name, Times]:
    """Run all in turn, `repeats` times, after a round that does not count (compilation, caches)."""
    times = {name: Times() for name in contestants}
    for run in contestants.values():
        run()
    for _ in range(repeats):
        for name, run in contestants.items():
            times[name].add(run)
    return times


def ratio(above: list[float], below: list[float]) -> float:
    """Median of the ratios of neighbouring repeats: what both suffer at the same time cancels."""
    return float(median(a / b for a, b in zip(above, below, strict=True)))


def against_best(times: Mapping[str, Times], ours: str, clock: Literal["wall", "cpu"]) -> float:
    """Ratio of our time to that of the best of the others, by the clock given."""
    mine = getattr(times[ours], clock)
    return max(ratio(mine, getattr(t, clock)) for name, t in times.items() if name != ours)


def resident_mb() -> float:
    """Memory that the process has now (where the system does not tell: the most it had)."""
    return _status("VmRSS") or peak_mb()


def peak_mb() -> float:
    """Most memory that the process had.

    `ru_maxrss` starts, on Linux, from what the *parent* had when it started the process, so the high-water mark of
    the process itself is read where there is one.
    """
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def forget_peak() -> None:
    """Start the high-water mark anew from here, where the system allows it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _status(name: str) -> float | None:
    path = Path("/proc/self/status")
    lines = path.read_text().splitlines() if path.is_file() else []
    return next((int(line.split()[1]) * 1.024e-3 for line in lines if line.startswith(f"{name}:")), None)
