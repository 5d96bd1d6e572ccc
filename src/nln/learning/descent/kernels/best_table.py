"""The best thing a rule can ask of one feature, given the closed-form sums: exact, compiled with Numba.

The objective is the squared error plus a price for each literal: a listed value, a boundary, an `or missing`, a `not
missing`; a negation (`!=`, `not in`) costs `negation` literals more, infinitely many where the language forbids it.
Ties fall to the shorter condition, and values without evidence fall on its side.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled
from nln.learning.descent.kernels.best_arcs import best_arc, best_arcs, best_chance, centre_boundaries
from nln.learning.descent.kernels.statistics import ZERO, is_used

CIRCLE, CHANCE = 2, 3
"""Values of `ordered` besides 0 (a bag of values) and 1 (an axis): a circle of bins, and bins of a probability."""


@compiled
def literals(table, n_known, has_other, has_missing, ordered, negation):
    """Length of the condition that a table stands for, entries above one half being in.

    `missing` and `not missing` have length 1; a contradiction, for which the rule is dropped, has length 0.
    """
    asked, possible, inside, boundaries = False, False, 0.0, 0.0
    for v in range(n_known + has_other):
        asked = asked or table[v] != 1.0
        possible = possible or table[v] > 0.0
    for v in range(n_known):
        inside += table[v] > 0.5
        boundaries += v > 0 and (table[v] > 0.5) != (table[v - 1] > 0.5)
    if ordered == CIRCLE:  # the last bin meets the first
        boundaries += (table[0] > 0.5) != (table[n_known - 1] > 0.5)
    if ordered == CHANCE:
        count = 1.0
    elif ordered:
        count = boundaries
    elif has_other:  # rare and unseen values belong to `not in`
        count = n_known - inside + negation if table[n_known] > 0.5 else inside
    else:
        count = min(inside, n_known - inside + negation)
    count = max(count, 1.0) if asked else 1.0
    if not possible:
        count = 0.0
    if not has_missing:
        return count if asked else 0.0
    missing = table[n_known + has_other]
    if not asked and missing == 1.0:
        return 0.0
    return count + (missing > 0.0)


@compiled
def is_soft(table, n_slots):
    """Whether some of the first slots is neither in nor out."""
    for v in range(n_slots):
        if ZERO < table[v] < 1.0 - ZERO:
            return True
    return False


@compiled
def best_values(gain, n_known, has_other, price, negation, out):
    """Best value set of a categorical feature: members listed, or exceptions listed. Returns its cost.

    `gain[v] = 2 s1[v] - s2[v]` is what having v in is worth. Listing the members, v is in iff gain > price; listing the
    exceptions, v is out iff gain < -price. If no exception is worth its price, the worst value may still be one,
    because the alternative, `not missing`, costs a literal as well.
    """
    listed, excluded, n_excluded, worst = 0.0, 0.0, 0, 0
    for v in range(n_known):
        listed -= max(gain[v] - price, 0.0)
        excluded += min(-gain[v], price)
        n_excluded += gain[v] < -price
        if gain[v] < gain[worst]:
            worst = v
    if has_other:
        excluded -= gain[n_known]
    one_out = n_excluded == 0 and gain[worst] + negation * price < 0.0
    if one_out:
        excluded += gain[worst] + price
    if n_excluded == 0 and not one_out:
        excluded += price
    else:  # at a price of 0 an infinite number of literals would give NaN
        excluded += negation * price if negation < np.inf else np.inf
    members = listed <= excluded
    for v in range(n_known):
        out[v] = 1.0 if (gain[v] > price if members else gain[v] >= -price) else 0.0
    if has_other:
        out[n_known] = 0.0 if members else 1.0
    if one_out and not members:
        out[worst] = 0.0
    return listed if members else excluded


@compiled
def best_intervals(gain, n_bins, price, axis, out):
    """Best union of intervals of an ordered feature by a Viterbi pass, a price for each boundary. Returns its cost.

    The states are outside, inside, and inside from the start on; to stay there to the end means `not missing`, which
    costs a literal as a boundary does. Each boundary is then put in the middle of the flat zone around it.
    """
    outside, inside, whole = 0.0, np.inf, -gain[0]
    entered, left, ended = np.zeros(n_bins, np.bool_), np.zeros(n_bins, np.bool_), np.zeros(n_bins, np.bool_)
    for v in range(1, n_bins):
        entered[v] = outside + price < inside
        ended[v] = whole <= inside
        left[v] = min(inside, whole) + price < outside
        stay_out = outside
        outside = min(inside, whole) + price if left[v] else outside
        inside = (stay_out + price if entered[v] else inside) - gain[v]
        whole -= gain[v]
    whole += price
    cost = min(whole, inside, outside)
    is_whole, is_inside = whole == cost, inside == cost
    for v in range(n_bins - 1, -1, -1):
        out[v] = 1.0 if is_whole or is_inside else 0.0
        if is_whole:
            continue
        if is_inside:
            is_inside = not entered[v]
        elif left[v]:
            is_whole, is_inside = ended[v], not ended[v]
    centre_boundaries(gain, n_bins, axis, out)
    return cost


@compiled
def best_interval(gain, n_bins, price, axis, out):
    """Best single interval of an ordered feature, a price for each boundary. Returns its cost.

    Asking for the whole axis means `not missing`, which costs a literal as a boundary does.
    """
    below = np.zeros(n_bins + 1)  # gains of the bins below each place
    for v in range(n_bins):
        below[v + 1] = below[v] + gain[v]
    best, first, last = 0.0, 0, 0  # out[first:last] is inside; nothing inside costs nothing
    low, start = 0.0, 0  # cheapest place to begin so far
    for stop in range(1, n_bins):
        if low - below[stop] + price < best:
            best, first, last = low - below[stop] + price, start, stop
        if below[stop] + price < low:
            low, start = below[stop] + price, stop
    for begin in range(n_bins):
        if below[begin] - below[n_bins] + price < best:
            best, first, last = below[begin] - below[n_bins] + price, begin, n_bins
    for v in range(n_bins):
        out[v] = 1.0 if first <= v < last else 0.0
    centre_boundaries(gain, n_bins, axis, out)
    return best


@compiled
def best_step(gain, n_bins, price, rising, proper, axis, out):
    """Best single boundary of an ordered feature: all bins from it on are inside (rising), or all below it. Its cost.

    Unless it must be a `proper` boundary, nothing or the whole axis may be inside; the latter means `not missing`.
    """
    total, below = gain[:n_bins].sum(), 0.0
    best, place = (np.inf, 0) if proper else (0.0, n_bins if rising else 0)
    for cut in range(n_bins + 1):
        if not proper or 0 < cut < n_bins:
            cost = price - (total - below if rising else below)
            if cost < best:
                best, place = cost, cut
        if cut < n_bins:
            below += gain[cut]
    for v in range(n_bins):
        out[v] = 1.0 if (v >= place) == rising else 0.0
    centre_boundaries(gain, n_bins, axis, out)
    return best


@compiled
def best_missing(s1, s2, price, partial=True):
    """Best membership of a missing value and its cost; none unless it earns its price, all unless `partial`."""
    if s1 <= 0.0 or s2 <= 0.0:
        return 0.0, 0.0
    p = min(s1 / s2, 1.0) if partial else 1.0
    cost = s2 * p * p - 2.0 * s1 * p + price
    return (p, cost) if cost < 0.0 else (0.0, 0.0)


@compiled
def best_table(
    s1,
    s2,
    n_known,
    has_other,
    has_missing,
    ordered,
    price,
    negation,
    unions,
    axis,
    out,
    direction=0,
    partial=True,
    extra=0.0,
):
    """Write the best table of a feature to `out`; all ones if asking nothing is as good.

    `axis` holds the place of each bin, of a probability its value. With a direction only one boundary is allowed: a
    lower one (1), or an upper one (-1). `partial` says whether missing values may satisfy a condition in part, and
    `extra` how many literals it costs to ask about the feature at all.
    """
    n_slots = n_known + has_other + has_missing
    gain = 2.0 * s1 - s2
    unused = 0.0
    for v in range(n_slots):
        unused -= gain[v]
    if not ordered:
        cost = best_values(gain, n_known, has_other, price, negation, out)
    elif ordered == CHANCE:
        cost = best_chance(s1, s2, n_known, price, axis, out)
    elif ordered == CIRCLE:
        cost = best_arcs(gain, n_known, price, out) if unions else best_arc(gain, n_known, price, out)
    elif direction != 0:
        cost = best_step(gain, n_known, price, direction > 0, False, axis, out)
    elif unions:
        cost = best_intervals(gain, n_known, price, axis, out)
    else:
        cost = best_interval(gain, n_known, price, axis, out)
    if has_missing:
        p, saved = best_missing(s1[n_slots - 1], s2[n_slots - 1], price, partial)
        out[n_slots - 1] = p
        cost += saved
    if unused <= cost + price * extra + 1e-12:
        out[:n_slots] = 1.0


@compiled
def table_cost(table, s1, s2, n_known, has_other, has_missing, ordered, price, negation, extra=0.0):
    """Objective of a table: squared error and the price of its literals, `extra` ones included if it asks anything."""
    total = price * literals(table, n_known, has_other, has_missing, ordered, negation)
    if is_used(table):
        total += price * extra
    for v in range(table.shape[0]):
        total += s2[v] * table[v] * table[v] - 2.0 * s1[v] * table[v]
    return total
