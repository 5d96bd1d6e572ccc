"""Rules for rows that no rule explains, on tables whose starts saw a sample only.

A rule that covers one row in ten thousand is in no sample of the size that starts descend on. So after the descent on
all rows, the buckets give the rows whose labels no rule predicts, all of them if they are not too many, and a sample of
the others that stands for the rest. On these, the closed form prices every region of one feature and of every pair of
features: with q1 and q2 as in the descent, a rule on a region saves (sum q1)^2 / sum q2. The best regions become rules,
which grow on the sample, then on all rows, and stay if the objective is lower. Left-out rows of a sample cannot tell
what a rule is worth that the sample does not show. So a literal of these rules costs the lowest price that was tried,
or as many rows as a rule must cover, if that is more: fewer could be together by chance.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.best_table import CHANCE
from nln.learning.descent.layout import SlotLayout
from nln.learning.draft import DescentRows, Draft, no_spans, pool_drafts
from nln.tables.encoding import Codes, Floats, Integers

if TYPE_CHECKING:
    from nln.learning.parted.descent import PartedDescent

MOST_ROWS = 2**16
"""Most rows that are taken of those without an explanation, and of the others."""
_LOOKS = 3
"""Most times that rules are looked for."""
_SOWN = 8
"""Rules that are tried for each output at a time."""
_MOST_FEATURES = 64
"""Features that are paired, those that alone save most."""
_SHARES = np.unique(
    np.concatenate([[1 / 256, 1 / 128, 1 / 64], np.arange(1, 24) / 24, [63 / 64, 127 / 128, 255 / 256]])
)
"""Shares of the rows below the boundaries that are tried: also those far out, where rare things are."""


class Regions(NamedTuple):
    """What a condition on one feature may be, roughly."""

    feature: int
    cells: Integers  # (slots,) cell of each slot
    inside: Floats  # (regions, cells) whether the region holds the cell


class Found(NamedTuple):
    """A region of one feature or two, and what a rule on it would save."""

    saved: float
    bias: float
    conditions: tuple[tuple[Regions, int], ...]


def explain_missed(descent: PartedDescent, price: float, rng: np.random.Generator) -> PartedDescent:
    """Add rules for rows that no rule explains, as long as the objective falls; return a descent at rest."""
    if descent.layout.limits is not None or descent.draft.n_fixed:
        return descent
    for _ in range(_LOOKS):
        grown = _grow(descent.layout, descent.missed_rows(MOST_ROWS), descent.draft, price, rng)
        if not grown.n_rules:
            break
        trial = descent.anew(pool_drafts([descent.draft, grown])._replace(output_bias=descent.draft.output_bias.copy()))
        trial.grow(np.arange(descent.draft.n_rules, trial.draft.n_rules), price, rng)
        trial.keep(trial.alive.copy())
        if trial.objective(price) >= descent.objective(price) - 1e-6:
            break
        descent = trial
    return descent


def _grow(layout: SlotLayout, rows: DescentRows, draft: Draft, price: float, rng: np.random.Generator) -> Draft:
    """Find the best regions, and let them grow beside the rules that are there; return those that earn their price."""
    known = Descent(layout, rows, draft)
    tables, bias, output = list[Floats](), list[float](), list[int]()
    for k, P in enumerate(known.probabilities()):
        absent = 1.0 - P
        q1, q2 = rows.weights * absent * (rows.targets[k] - 1.0 + absent), rows.weights * absent * absent
        for found in _best(_regions(layout, rows), rows.codes, q1, q2, layout.evidence, price)[:_SOWN]:
            tables.append(_table(layout, found))
            bias.append(found.bias)
            output.append(k)
    if not tables:
        return draft.take(np.empty(0, np.int64))
    spans = no_spans(len(tables), len(rows.codes))
    sown = Draft(np.array(tables), np.array(bias), np.array(output, np.int64), draft.output_bias.copy(), spans=spans)
    pooled = pool_drafts([draft, sown])._replace(output_bias=draft.output_bias.copy())
    descent = Descent(layout, rows, pooled)
    new = np.arange(draft.n_rules, pooled.n_rules)
    descent.grow(new, price, rng)
    return descent.draft.take(new[descent.alive[new]])


def _regions(layout: SlotLayout, rows: DescentRows) -> list[Regions]:
    """Rough conditions on each feature: below or above a boundary, or one value."""
    found = []
    for j, n_known in enumerate(layout.n_known.tolist()):
        if layout.ordered[j] == CHANCE or n_known < 2:
            continue
        n_slots = int(layout.offsets[j + 1] - layout.offsets[j])
        if layout.ordered[j]:
            mass = np.bincount(rows.codes[j], rows.weights, n_slots)[:n_known]
            middle = (np.cumsum(mass) - mass / 2) / max(mass.sum(), 1e-300)
            _, cells = np.unique(np.searchsorted(_SHARES, middle), return_inverse=True)
            n_cells = int(cells.max()) + 1
            below = np.tri(n_cells - 1, n_cells)
            inside = np.concatenate([below, 1.0 - below])
        else:
            cells, n_cells = np.arange(n_known), n_known
            inside = np.concatenate([np.eye(n_known), 1.0 - np.eye(n_known)])
        # The last cell has missing and rare values; no region holds it.
        every = np.concatenate([cells, np.full(n_slots - n_known, n_cells)])
        found.append(Regions(j, every, np.pad(inside, ((0, 0), (0, 1)))))
    return found


def _best(regions: list[Regions], codes: Codes, q1: Floats, q2: Floats, evidence: float, price: float) -> list[Found]:
    """The best region of each feature and of each pair that saves more than its literals cost, best first."""
    cells = {r.feature: r.cells[codes[r.feature]] for r in regions}
    single = []
    for r in regions:
        n = r.inside.shape[1]
        sums = [r.inside @ np.bincount(cells[r.feature], q, n) for q in (q1, q2)]
        found = _most(sums[0][:, None], sums[1][:, None], evidence)
        if found is not None:
            single.append((Found(*found[:2], ((r, found[2]),)), r))
    single.sort(key=lambda pair: -pair[0].saved)
    best = [found for found, _ in single if found.saved > price]
    for one, other in combinations([r for _, r in single[:_MOST_FEATURES]], 2):
        shape = one.inside.shape[1], other.inside.shape[1]
        place = cells[one.feature] * shape[1] + cells[other.feature]
        tables = (np.bincount(place, q, shape[0] * shape[1]).reshape(shape) for q in (q1, q2))
        first, second = (one.inside @ table @ other.inside.T for table in tables)
        found = _most(first, second, evidence)
        if found is not None and found[0] > 2.0 * price:
            best.append(Found(*found[:2], ((one, found[2]), (other, found[3]))))
    return sorted(best, key=lambda found: -found.saved)


def _most(first: Floats, second: Floats, evidence: float) -> tuple[float, float, int, int] | None:
    """Where a rule saves most: what it saves, its bias, and the numbers of the regions; None where none saves."""
    second = second + evidence
    bias = np.clip(first / second, 0.0, 1.0)
    saved = 2.0 * first * bias - second * bias * bias
    where = int(saved.argmax())
    one, other = np.unravel_index(where, saved.shape)
    return (float(saved[one, other]), float(bias[one, other]), int(one), int(other)) if saved.max() > 0.0 else None


def _table(layout: SlotLayout, found: Found) -> Floats:
    """Write a region as the tables of a rule."""
    table = np.ones(int(layout.offsets[-1]))
    for regions, number in found.conditions:
        j = regions.feature
        table[layout.offsets[j] : layout.offsets[j + 1]] = regions.inside[number][regions.cells]
    return table
