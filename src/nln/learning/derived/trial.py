"""One start with new calculations: rules are sown on them, descend, meet the old rules, and follow the prices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nln.learning.derived.contexts import Context, RulesOnRows
from nln.learning.derived.kernels.regions import best_region, histogram
from nln.learning.derived.state import State
from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import SlotLayout
from nln.learning.draft import DescentRows, Draft, no_spans, pool_drafts
from nln.learning.selection.path import StartPath, run_path
from nln.learning.task import sample_rows
from nln.rules.derived.child_count import ChildCount
from nln.rules.schema import Feature
from nln.tables.encoding import Floats, Integers

MOST_REPLACED = 4
"""Most rules in which a calculation is sown in the place of conditions on its parents."""
SOWN_BIAS = 0.9


def try_start(
    state: State,
    s: int,
    allowed: Sequence[Feature],
    sown: Sequence[Feature],
    floors: Sequence[int],
    begin: int,
    rng: np.random.Generator,
) -> list[StartPath]:
    """Follow the prices from number `begin` on with the calculations that start s may use, for each floor."""
    is_left_out, weights = state.folds.numbers == s, state.folds.weights
    kept = (sample_rows(np.flatnonzero(rows), rng) for rows in (~is_left_out, is_left_out))
    seen, left_out = (state.table.encoded(state.encoding, rows, weights) for rows in kept)
    prices, found = state.prices[begin:], []
    for floor in floors:
        layout = state.layout(floor, allowed)
        old, model = (state.widened(state.drafts[s][p], crisp=not floor) for p in (begin, state.chosen))
        descent = begin_descent(state, layout, seen, old, model, float(prices[0]), sown, rng)
        found.append(run_path(descent, state.boundaries, left_out, prices, rng))
    return found


def begin_descent(
    state: State,
    layout: SlotLayout,
    seen: DescentRows,
    old: Draft,
    model: Draft,
    price: float,
    sown: Sequence[Feature],
    rng: np.random.Generator,
) -> Descent:
    """Descend from rules that are sown on calculations; old rules join afterwards and must earn their place."""
    first = Descent(layout, seen, sow(state, layout, seen, model, price, sown))
    first.run(price, rng)
    both = Descent(layout, seen, pool_drafts([first.draft, old]))
    both.visit(rng.permutation(np.arange(first.draft.n_rules, both.draft.n_rules)), price, rng)
    return both


def sow(
    state: State, layout: SlotLayout, seen: DescentRows, model: Draft, price: float, sown: Sequence[Feature]
) -> Draft:
    """Make rules on the best region of each calculation: for each output, and in the place of conditions of rules."""
    rules, tables, outputs = RulesOnRows(model, state.encoding, seen), list[Floats](), list[int]()
    for feature in sown:
        assert feature.derived is not None
        j = state.place(feature)
        parents = {k for k, slots in enumerate(state.encoding.slots) if slots.feature.name in feature.derived.features}
        whole = np.ones(state.encoding.n_slots)
        for k in range(rules.n_outputs):
            gain, table = _with_region(layout, j, seen, rules.alone(k), whole, price)
            if gain > 0:
                tables.append(table)
                outputs.append(k)
        replaced = []
        for i, conditions in enumerate(rules.conditions):
            if (not parents or parents & set(conditions)) and set(conditions) - parents - {j}:
                rest = model.tables[i].copy()
                for parent in parents:
                    rest[layout.offsets[parent] : layout.offsets[parent + 1]] = 1.0
                gain, table = _with_region(layout, j, seen, rules.without(i, parents), rest, price)
                replaced += [(-gain, i, table)] if gain > 0 else []
        for _, i, table in sorted(replaced, key=lambda found: found[:2])[:MOST_REPLACED]:
            tables.append(table)
            outputs.append(int(model.output[i]))
    count = len(tables)
    base = 0.1 * (rules.targets @ seen.weights) / max(float(seen.weights.sum()), 1e-300)
    stacked = np.array(tables).reshape(count, state.encoding.n_slots)
    bias, output = np.full(count, SOWN_BIAS), np.array(outputs, np.int64)
    if any(isinstance(feature.derived, ChildCount) for feature in sown):
        bias, base = _as_counted(layout, stacked, output, seen)
    spans = no_spans(count, len(state.encoding.slots))
    return Draft(stacked, bias, output, base, spans=spans)


def _as_counted(layout: SlotLayout, tables: Floats, outputs: Integers, seen: DescentRows) -> tuple[Floats, Floats]:
    """Biases of rules, and of outputs, by the shares of labels where each rule holds and where none does.

    Labels may be frequent elsewhere, and rare where a rule holds. From biases far off, the rule would rather hold
    everywhere or nowhere.
    """
    held = np.ones((len(tables), seen.n_rows), np.bool_)
    for j, codes in enumerate(seen.codes):
        held &= tables[:, layout.offsets[j] + codes.astype(np.int64)] > 0.5
    base, bias = np.zeros(len(seen.targets)), np.full(len(tables), SOWN_BIAS)
    for k, y in enumerate(seen.targets):
        own = np.flatnonzero(outputs == k)
        elsewhere = seen.weights * ~held[own].any(axis=0)
        base[k] = float(elsewhere @ y) / float(elsewhere.sum()) if elsewhere.any() else 0.0
        for i in own:
            inside = seen.weights * held[i]
            share = float(inside @ y) / max(float(inside.sum()), 1e-300)
            bias[i] = min(max((share - base[k]) / max(1.0 - base[k], 1e-9), 0.05), 0.99)
    return bias, base


def _with_region(
    layout: SlotLayout, j: int, seen: DescentRows, context: Context, rest: Floats, price: float
) -> tuple[float, Floats]:
    """What the best region of a feature saves in a context, and the table of the rule with it."""
    n_bins, n_slots = int(layout.n_known[j]), int(layout.offsets[j + 1] - layout.offsets[j])
    mass, hits = histogram(seen.codes[j], n_slots, context.mass, context.hits)
    gain, low, high, inside = best_region(mass, hits, n_bins, context.total, price, layout.extra[j])
    table, bins = rest.copy(), np.arange(n_slots)
    within = (low <= bins) & (bins <= high)
    table[layout.offsets[j] : layout.offsets[j + 1]] = np.where(bins < n_bins, within == inside, False)
    return float(gain), table
