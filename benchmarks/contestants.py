"""The classifiers that the benchmarks run in this process: nln, nln in plain style, and peers that need little."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.peer_models import PEERS
from nln import NLNClassifier


class Ours(NLNClassifier):
    """nln, with its defaults unless parameters are given."""

    def rule_counts(self) -> dict[str, float]:
        """Number of rules and their mean size."""
        return {"rules": float(self.program_.n_rules), "size": float(self.program_.size)}


OURS, PLAIN = "nln", "nln plain"
OWN = (OURS, PLAIN)
"""Methods whose numbers depend on the sources of the package."""
CONTESTANTS: dict[str, Callable[[int], Any]] = {
    OURS: lambda seed: Ours(random_state=seed),
    PLAIN: lambda seed: Ours(random_state=seed, language="plain"),
    **{name: PEERS[name] for name in ("pruned tree", "XGBoost")},
}
