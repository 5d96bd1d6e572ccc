"""Who takes part in the suite, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.contestants import CONTESTANTS as MODELS
from benchmarks.contestants import OURS, Ours
from benchmarks.suite.logistic import OneHotLogistic


def _sized(size: str) -> Callable[[int], Any]:
    return lambda seed: Ours(random_state=seed, size=size)


OWN: dict[str, Callable[[int], Any]] = {
    OURS: MODELS[OURS],
    **{f"{OURS} {size}": _sized(size) for size in ("short", "accurate")},
}
"""Forms of nln, the default first: it is the one that all others are compared with. Another form (a size, a style) is
one more entry, whose name begins with that of the default."""

LOCAL: dict[str, Callable[[int], Any]] = {**OWN, "logistic regression": OneHotLogistic}
"""Contestants that run in this process."""

_DEFAULT, *_SIZES = OWN
CONTESTANTS = (_DEFAULT, "XGBoost", "LightGBM", "logistic regression", "pruned tree", *_SIZES, "RIPPER", "EBM")
"""All of them, the slowest last; those that are not in `LOCAL` are peers, which run in an environment of their own."""

QUICK = (*OWN, "logistic regression", "pruned tree")
"""Those of the quick form: all that they need is in the main environment."""
