"""How much memory and time a table takes, estimated before anything is learned."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import numpy as np

from nln.learning.options import COORDINATE, LearningSettings
from nln.learning.selection.telling import MOST_COLUMNS
from nln.tables.encoding import EncodedRows, Encoding

GIGABYTE = 2.0**30

LONG_WORK = 1e8
"""From so many cells of rule tables on, over all starts, learning may take more than ten minutes."""

MANY_OUTPUTS = 200
"""From so many classes or labels on as well: each is learned by itself."""

_LIMIT_FILES = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Where Linux says how much memory a container may have."""


def check_sizes(encoding: Encoding, rows: EncodedRows, settings: LearningSettings, *, whole: bool = False) -> None:
    """Refuse a table that the memory cannot hold, and warn of one that takes long; both say what to do.

    A `whole` table is not narrowed to some of its columns, however wide it is.
    """
    starts, outputs = settings.starts_for(*rows.targets.shape), rows.targets.shape[1]
    seen = seen_slots(encoding, settings, starts, whole=whole)
    n_slots = sum(seen)
    needed, available = needed_bytes(n_slots, settings.n_rules, starts, settings.n_jobs), available_bytes()
    columns = f"the {len(seen)} columns have {n_slots} values and bins"
    advice = "Learn from fewer columns (`nln fit` shows which go closely with the target), or with a lower n_rules"
    if available is not None and needed > available:
        raise ValueError(
            f"Learning would take about {needed / GIGABYTE:.1f} GB of memory, and there are "
            f"{available / GIGABYTE:.1f}: {columns}, and {starts} starts keep them for each of {settings.n_rules} "
            f"rules. {advice}, starts or n_jobs."
        )
    if n_slots * settings.n_rules * starts >= LONG_WORK:
        warnings.warn(f"Learning may take more than ten minutes: {columns}. {advice} or starts.", stacklevel=3)
    if outputs >= MANY_OUTPUTS:
        warnings.warn(
            f"Learning may take more than ten minutes: each of the {outputs} classes or labels is learned by itself. "
            "Join those that are rare or alike, or learn from some of them at a time.",
            stacklevel=3,
        )


def seen_slots(encoding: Encoding, settings: LearningSettings, starts: int, *, whole: bool) -> list[int]:
    """Slots of each column that learning looks at: of all, or the most that the starts may choose from many."""
    slots = sorted(np.diff(encoding.offsets).tolist(), reverse=True)
    calculates = settings.language.most_mentions or settings.language.most_members
    is_narrowed = settings.discretization == COORDINATE and not (calculates or whole)
    return slots[: starts * MOST_COLUMNS] if is_narrowed else slots


def needed_bytes(n_slots: int, n_rules: int, starts: int, threads: int) -> int:
    """Estimate the peak: every start keeps a draft, and those at work hold three more.

    A draft is a table of `n_rules` x `n_slots` numbers of 8 bytes.
    """
    return 8 * n_rules * n_slots * (starts + 3 * min(threads, starts))


def available_bytes() -> int | None:
    """Return the memory of the machine, or less if the process or its container may not have all; None if unknown."""
    limits = [_physical(), *map(_limit_of, _LIMIT_FILES)]
    try:
        import resource

        soft = resource.getrlimit(resource.RLIMIT_AS)[0]
        limits.append(soft if soft != resource.RLIM_INFINITY else None)
    except ImportError:  # Windows
        pass
    return min((limit for limit in limits if limit is not None), default=None)


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _limit_of(file: str) -> int | None:
    try:
        return int(Path(file).read_text(encoding="ascii"))
    except (OSError, ValueError):  # there is none, or it says "max"
        return None
