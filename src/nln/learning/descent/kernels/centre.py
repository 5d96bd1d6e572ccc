"""Where to put a boundary that could lie anywhere in a zone without evidence: in its middle. Compiled with Numba."""

from __future__ import annotations

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
