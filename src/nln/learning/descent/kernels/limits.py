"""What constraints forbid or force in one rule.

Without constraints the limits are None, and Numba leaves out the code behind `limits is not None`.
"""

from __future__ import annotations

import numpy as np

from nln.compiled import compiled
from nln.learning.descent.kernels.best_table import best_missing, best_step, best_table, table_cost
from nln.learning.descent.kernels.spans import extra_literals
from nln.learning.descent.kernels.statistics import feature_sums, is_used, put_table, rows_within_one


@compiled
def asks_value(layout, table, j):
    """Whether a rule asks for the value of a feature; `not missing` alone does not."""
    first = layout.offsets[j]
    return is_used(table[first : first + layout.n_known[j] + layout.has_other[j]])


@compiled
def is_blocked(layout, table, j):
    """Whether a rule asks about a feature that must not stand beside feature j."""
    for p in range(layout.n_known.shape[0]):
        if layout.limits.pairs[j, p] and is_used(table[layout.offsets[p] : layout.offsets[p + 1]]):
            return True
    return False


@compiled
def must_ask(layout, table, j):
    """Whether feature j is required and no other required feature is asked for."""
    required = layout.limits.required
    if not required[j]:
        return False
    for p in range(layout.n_known.shape[0]):
        if p != j and required[p] and asks_value(layout, table, p):
            return False
    return True


@compiled
def best_literal(s1, s2, layout, j, price, direction, out):
    """Write the best condition of one literal to `out`; return whether the feature can be asked for at all."""
    n_known, has_other = layout.n_known[j], layout.has_other[j]
    if n_known + has_other < 2:
        return False
    gain = 2.0 * s1 - s2
    axis = layout.axis[layout.offsets[j] : layout.offsets[j + 1]]
    if layout.ordered[j]:
        best = np.inf
        for rising in (True, False):
            trial = np.ones(n_known)
            if direction == 0 or (direction > 0) == rising:
                cost = best_step(gain, n_known, price, rising, True, axis, trial)
                if cost < best:
                    best = cost
                    out[:n_known] = trial
    else:
        listed, excluded = np.argmax(gain[:n_known]), np.argmin(gain[:n_known])
        rest = gain[: n_known + has_other].sum() - gain[excluded]
        negated = layout.negation < np.inf and rest - layout.negation * price > gain[listed]
        out[: n_known + has_other] = 1.0 if negated else 0.0
        out[excluded if negated else listed] = 0.0 if negated else 1.0
    if layout.has_missing[j]:
        last = n_known + has_other
        out[last] = best_missing(s1[last], s2[last], price, layout.partial_missing)[0]
    return True


@compiled
def conform_rule(codes, layout, table, bias, output, state):
    """Make a lifted rule keep to the limits at the least loss, its state with it; return whether it can.

    Tables of monotone features become the mean of the closest monotone tables above and below; the descent makes them
    crisp. A rule without a required feature gets the one that costs least, and of a forbidden pair the condition that
    is missed less is taken away.
    """
    for j in range(codes.shape[0]):
        direction = layout.limits.direction[output, j]
        if direction != 0:
            new = table[layout.offsets[j] : layout.offsets[j + 1]].copy()
            _make_monotone(new[: layout.n_known[j]], direction)
            put_table(codes, layout, table, j, new, state)
    if not _add_required(codes, layout, table, bias, output, state):
        return False
    clashing = np.zeros(codes.shape[0], np.bool_)
    while True:
        for j in range(codes.shape[0]):
            clashing[j] = is_blocked(layout, table, j)
        where = _least_missed(codes, layout, layout.limits, table, bias, state, clashing)
        if where < 0:
            return True
        _take_away(codes, layout, table, where, state)


@compiled
def swap_conditions(codes, layout, table, bias, price, output, state):
    """Replace conditions by others on features of lower price factors where that is better; return how many.

    If two features say the same, no step on one feature alone leads from the one to the other.
    """
    swapped, factors = 0, layout.limits.factors
    for j in range(codes.shape[0]):
        for f in range(codes.shape[0]):
            here = table[layout.offsets[j] : layout.offsets[j + 1]]
            there = table[layout.offsets[f] : layout.offsets[f + 1]]
            if factors[f] >= factors[j] or is_used(there) or not is_used(here):
                continue
            if must_ask(layout, table, j) and not layout.limits.required[f]:
                continue
            old, new = here.copy(), there.copy()
            before = _put_best(codes, layout, j, old, bias, price, 0, state, False)
            _take_away(codes, layout, table, j, state)
            after = _put_best(codes, layout, f, new, bias, price, layout.limits.direction[output, f], state, True)
            known = layout.n_known[f] + layout.has_other[f]
            if after < before - 1e-9 and is_used(new[:known]) and not is_blocked(layout, table, f):
                put_table(codes, layout, table, f, new, state)
                swapped += 1
            else:
                put_table(codes, layout, table, j, old, state)
    return swapped


@compiled
def _put_best(codes, layout, j, part, bias, price, direction, state, search):
    """Objective of a feature's table, after putting the best one there if `search`."""
    paid, (_, count) = price * layout.limits.factors[j], rows_within_one(state.zeros, state.room)
    s1, s2 = feature_sums(codes[j], part, bias, state, count)
    kind = (layout.n_known[j], layout.has_other[j], layout.has_missing[j], layout.ordered[j])
    extra = extra_literals(layout, j)
    if search:
        axis = layout.axis[layout.offsets[j] : layout.offsets[j + 1]]
        best_table(
            s1, s2, *kind, paid, layout.negation, layout.unions, axis, part, direction, layout.partial_missing, extra
        )
    return table_cost(part, s1, s2, *kind, paid, layout.negation, extra)


@compiled
def trim_rule(codes, layout, limits, table, bias, state):
    """Take away the conditions that are missed least until no more are left than allowed; return how many."""
    taken, every = 0, np.ones(codes.shape[0], np.bool_)
    while count_conditions(layout, table) > layout.max_conditions:
        _take_away(codes, layout, table, _least_missed(codes, layout, limits, table, bias, state, every), state)
        taken += 1
    return taken


@compiled
def count_conditions(layout, table):
    """Number of features that a rule asks about."""
    count = 0
    for j in range(layout.n_known.shape[0]):
        count += is_used(table[layout.offsets[j] : layout.offsets[j + 1]])
    return count


@compiled
def _make_monotone(part, direction):
    n = part.shape[0]
    above, below = part.copy(), part.copy()  # smallest monotone table above, largest below
    for v in range(1, n):
        here, last = (v, v - 1) if direction > 0 else (n - 1 - v, n - v)
        above[here] = max(above[here], above[last])
        there, following = (n - 1 - v, n - v) if direction > 0 else (v, v - 1)
        below[there] = min(below[there], below[following])
    for v in range(n):
        part[v] = 0.5 * (above[v] + below[v])


@compiled
def _add_required(codes, layout, table, bias, output, state):
    """Let the rule ask for a required feature if it asks for none; return whether it does in the end."""
    needed = False
    for j in range(codes.shape[0]):
        if layout.limits.required[j]:
            needed = True
            if asks_value(layout, table, j):
                return True
    if not needed:
        return True
    (_, count), least, where = rows_within_one(state.zeros, state.room), np.inf, -1
    chosen = np.ones(0)
    for j in range(codes.shape[0]):
        if not layout.limits.required[j]:
            continue
        old = table[layout.offsets[j] : layout.offsets[j + 1]]
        new, (s1, s2) = np.ones(old.shape[0]), feature_sums(codes[j], old, bias, state, count)
        if not best_literal(s1, s2, layout, j, 0.0, layout.limits.direction[output, j], new):
            continue
        loss = (s2 * (new * new - old * old) - 2.0 * s1 * (new - old)).sum()
        if loss < least:
            least, where, chosen = loss, j, new
    if where < 0:
        return False
    put_table(codes, layout, table, where, chosen, state)
    return True


@compiled
def _least_missed(codes, layout, limits, table, bias, state, candidates):
    """The condition that is missed least, of those on the candidate features; -1 if there is none."""
    (_, count), least, where = rows_within_one(state.zeros, state.room), np.inf, -1
    for j in range(codes.shape[0]):
        old = table[layout.offsets[j] : layout.offsets[j + 1]]
        if not candidates[j] or not is_used(old):
            continue
        if limits is not None:
            if must_ask(layout, table, j):
                continue
        s1, s2 = feature_sums(codes[j], old, bias, state, count)
        loss = (s2 * (1.0 - old * old) - 2.0 * s1 * (1.0 - old)).sum()
        if loss < least:
            least, where = loss, j
    return where


@compiled
def _take_away(codes, layout, table, j, state):
    put_table(codes, layout, table, j, np.ones(layout.offsets[j + 1] - layout.offsets[j]), state)
