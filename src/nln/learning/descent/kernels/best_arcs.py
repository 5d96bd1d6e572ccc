"""The best union of arcs of a periodic feature, the best use of a probability, and where boundaries lie in flat zones.

Exact, compiled with Numba.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled


@compiled
def centre_boundaries(gain, n_bins, axis, out):
    """Move each boundary of the crisp table `out` to the middle of the bins around it whose gain is 0, in place."""
    v = 1
    while v < n_bins:
        if out[v] == out[v - 1]:
            v += 1
            continue
        first, last = v, v  # the boundary may lie below any slot of first..last
        while first > 1 and gain[first - 1] == 0.0 and out[first - 1] == out[v - 1] and out[first - 2] == out[v - 1]:
            first -= 1
        while last < n_bins - 1 and gain[last] == 0.0 and out[last] == out[v] and out[last + 1] == out[v]:
            last += 1
        middle = 0.5 * (axis[first - 1] + axis[last])
        best = first
        for b in range(first, last + 1):
            here = abs(0.5 * (axis[b - 1] + axis[b]) - middle)
            if here < abs(0.5 * (axis[best - 1] + axis[best]) - middle):
                best = b
        lower, upper = out[v - 1], out[v]
        for b in range(first - 1, last + 1):
            out[b] = lower if b < best else upper
        v = last + 1


@compiled
def best_arcs(gain, n_bins, price, out):
    """Best union of arcs of a circle of bins by Viterbi passes, a price for each boundary. Returns its cost.

    One pass for each state of the first bin, which it must leave and which the last bin must meet: a boundary between
    the two costs as any other. Nothing inside costs nothing; the whole circle means `not missing`, which costs a
    literal. Each boundary is then put in the middle of the flat zone around it, counted in bins.
    """
    best = _all_or_nothing(gain, n_bins, price, out)
    trial = np.empty(n_bins)
    for start in range(2):
        cost = _arcs_from(gain, n_bins, price, start, trial)
        if cost < best:
            best = cost
            out[:n_bins] = trial
    _centre_circle(gain, n_bins, out)
    return best


@compiled
def _all_or_nothing(gain, n_bins, price, out):
    """The whole circle, which costs a literal, or nothing of it. Returns its cost."""
    total = 0.0
    for v in range(n_bins):
        total += gain[v]
    out[:n_bins] = 1.0 if price - total < 0.0 else 0.0
    return min(0.0, price - total)


@compiled
def _arcs_from(gain, n_bins, price, start, out):
    """Best arcs whose first bin is outside (`start` 0) or inside (1), with at least two boundaries.

    The states are: not left the first state yet, in the other one, back in the first.
    """
    came = np.zeros((n_bins, 3), np.int64)
    stayed, other, back = -gain[0] * start, np.inf, np.inf
    for v in range(1, n_bins):
        same, opposite = -gain[v] * start, -gain[v] * (1 - start)
        came[v, 1] = 1
        came[v, 2] = 2
        from_first = min(stayed, back) + price
        if from_first < other:
            came[v, 1] = 0 if stayed <= back else 2
        if other + price < back:
            came[v, 2] = 1
        other, back = min(from_first, other) + opposite, min(other + price, back) + same
        stayed += same
    cost = min(other + price, back)
    state = 1 if other + price <= back else 2
    for v in range(n_bins - 1, -1, -1):
        out[v] = 1 - start if state == 1 else start
        state = came[v, state]
    return cost


@compiled
def best_arc(gain, n_bins, price, out):
    """Best single arc, a price for each of its two boundaries, the whole circle or nothing. Returns its cost."""
    best = _all_or_nothing(gain, n_bins, price, out)
    first, length = 0, 0
    for begin in range(n_bins):
        inside = 0.0
        for size in range(1, n_bins):
            inside += gain[(begin + size - 1) % n_bins]
            if 2.0 * price - inside < best:
                best, first, length = 2.0 * price - inside, begin, size
    if length > 0:
        for v in range(n_bins):
            out[v] = 1.0 if (v - first) % n_bins < length else 0.0
    _centre_circle(gain, n_bins, out)
    return best


@compiled
def _centre_circle(gain, n_bins, out):
    """Centre the boundaries of a circle: cut it open at a bin with evidence, which no boundary moves over."""
    cut = -1
    for v in range(n_bins):
        if gain[v] != 0.0:
            cut = v
            break
    if cut < 0:
        return
    line, places, bins = np.empty(n_bins + 1), np.empty(n_bins + 1), np.empty(n_bins + 1)
    for v in range(n_bins + 1):
        line[v], places[v], bins[v] = gain[(cut + v) % n_bins], v, out[(cut + v) % n_bins]
    centre_boundaries(line, n_bins + 1, places, bins)
    for v in range(n_bins):
        out[(cut + v) % n_bins] = bins[v]


@compiled
def best_chance(s1, s2, n_known, price, chances, out):
    """Best use of a probability: its value 1 or 0 asked for, `not missing`, or never. Returns its cost.

    `chances` holds the probability of the value 1 in each bin; the table is that, or 1 minus it.
    """
    yes, no, every = price, price, price
    for v in range(n_known):
        p = chances[v]
        yes += s2[v] * p * p - 2.0 * s1[v] * p
        no += s2[v] * (1.0 - p) * (1.0 - p) - 2.0 * s1[v] * (1.0 - p)
        every += s2[v] - 2.0 * s1[v]
    best = min(0.0, yes, no, every)
    for v in range(n_known):
        if best == 0.0:
            out[v] = 0.0
        elif best == yes:
            out[v] = chances[v]
        else:
            out[v] = 1.0 - chances[v] if best == no else 1.0
    return best
