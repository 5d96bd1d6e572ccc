"""Rules on some rows, and what another rule would save in the place of some of their conditions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from nln.learning.draft import DescentRows, Draft
from nln.tables.encoding import Encoding, Floats


class Context(NamedTuple):
    """What a region saves there; see `kernels.regions`."""

    mass: Floats  # (rows,)
    hits: Floats  # (rows,)
    total: float


class RulesOnRows:
    """The rules of a draft on some rows: their conditions one by one, and the outputs without some rules."""

    def __init__(self, draft: Draft, encoding: Encoding, rows: DescentRows) -> None:
        self.draft, self.rows = draft, rows
        self.targets = rows.targets.astype(np.float64)
        parts = [slice(a, b) for a, b in zip(encoding.offsets, encoding.offsets[1:], strict=False)]
        self.conditions: list[dict[int, Floats]] = [
            {j: table[part] for j, part in enumerate(parts) if (table[part] != 1.0).any()} for table in draft.tables
        ]
        held = [self._held(conditions) for conditions in self.conditions]
        self._misses = [1.0 - a * r for a, r in zip(draft.bias, held, strict=True)]

    @property
    def n_outputs(self) -> int:
        """Number of outputs."""
        return len(self.targets)

    def alone(self, k: int) -> Context:
        """Context of the only rule of an output."""
        weights, y = self.rows.weights, self.targets[k]
        total = float(weights.sum())
        return Context(weights, weights * (y - float(weights @ y) / max(total, 1e-300)), total)

    def without(self, i: int, dropped: Collection[int]) -> Context:
        """Context in the place of a rule's conditions on some features."""
        kept = {j: table for j, table in self.conditions[i].items() if j not in dropped}
        return self.beside(int(self.draft.output[i]), {i}, self._held(kept))

    def beside(self, k: int, lifted: Collection[int], r: Floats) -> Context:
        """Context of a rule r of an output in the place of those lifted."""
        rest = self.rest(k, lifted)
        q1, q2 = rest * (self.targets[k] - 1.0 + rest), rest * rest
        return Context(self.rows.weights * q2 * r * r, self.rows.weights * q1 * r, np.inf)

    def rest(self, k: int, lifted: Collection[int]) -> Floats:
        """Probability that no rule of an output holds but perhaps those lifted."""
        found = np.full(self.rows.n_rows, 1.0 - float(self.draft.output_bias[k]))
        for i in np.flatnonzero(self.draft.output == k).tolist():
            if i not in lifted:
                found = found * self._misses[i]
        return found

    def _held(self, conditions: Mapping[int, Floats]) -> Floats:
        found = np.ones(self.rows.n_rows)
        for j, table in conditions.items():
            found = found * table[self.rows.codes[j]]
        return found
