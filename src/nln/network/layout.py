"""Where each feature lies in the network's arrays, and the weights themselves.

A rule module is one AND node over the features. A binary feature or a probability enters it directly; a categorical
feature through an OR node over its values; an ordered feature through an OR node over fuzzy intervals that all rules
share, on a line or, if it is periodic, on a circle. A missing value has a weight of its own in each rule.
`nln.network.kernels.passes` computes on these arrays, `nln.network.theory` says what they mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from nln.network.kernels.modules import BINARY, CIRCULAR, ORDERED, PROBABILITY, VALUES
from nln.tables.encoding import Codes, EncodedRows, Encoding, Floats, Slots, quantile_bins

Singles = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
_NO_NUMBERS, _NO_WEIGHTS = np.empty(0, np.float32), np.empty((0, 0), np.float32)


class Layout(NamedTuple):
    """Positions of the features' slots, weights and boundaries in the network's arrays."""

    kinds: Integers  # (features,) BINARY, VALUES, ORDERED, CIRCULAR or PROBABILITY
    slot_offsets: Integers  # (features + 1,)
    weight_offsets: Integers  # (features + 1,) in the OR weights; a missing weight is a feature's last
    n_regular: Integers  # (features,) OR weights without the missing weight
    n_bins: Integers  # (features,) slots that lie on an axis or hold a probability
    dichotomy_offsets: Integers  # (features + 1,)
    positions: Singles  # (slots,) place of each bin on its axis, whose intervals are 1 wide on average; or probability
    units: Singles = _NO_NUMBERS  # (features,) length of 1 of the axis in units of the feature, where it is linear


class Weights(NamedTuple):
    """All trained numbers, in single precision where they are trained; gradients and Adam's moments look the same."""

    and_weights: npt.NDArray[Any]  # (features, rules) in [-1, 1]
    or_weights: npt.NDArray[Any]  # (weights, rules) in [0, 1]
    rule_bias: npt.NDArray[Any]  # (rules,) a: probability that the unobserved necessary conditions hold
    output_weights: npt.NDArray[Any]  # (outputs, rules) in [0, 1]
    output_bias: npt.NDArray[Any]  # (outputs,) o: probability of an unobserved sufficient condition
    boundaries: npt.NDArray[Any]  # (dichotomies,)
    sharpness: npt.NDArray[Any]  # (dichotomies,)
    # (most dichotomies of a feature, weights) in [-1, 1]: AND weights of the intervals, if they are trained
    interval_weights: npt.NDArray[Any] = _NO_WEIGHTS

    def zeros(self) -> Weights:
        """Return arrays of the same shapes, all zero."""
        return Weights(*(np.zeros_like(w) for w in self))

    def copy(self) -> Weights:
        """Return a copy that shares nothing."""
        return Weights(*(w.copy() for w in self))


class Scratch(NamedTuple):
    """Scratch arrays of the kernels, allocated once per training."""

    memberships: Singles
    tables: Singles
    g_memberships: Singles
    g_tables: Singles
    dichotomy: Singles
    value: Singles
    g_value: Singles
    low: Integers
    high: Integers
    is_met: npt.NDArray[np.bool_]  # slots that the rows at hand have
    prefix: Singles
    others: Singles
    moves_nodes: bool = True  # whether the gradients of AND and OR weights are needed
    moves_dichotomies: bool = True


class TrainingRows(NamedTuple):
    """Rows as the kernels take them; weights have mean 1."""

    codes: Codes
    targets: Singles
    weights: Singles


@dataclass(frozen=True)
class NetworkInput:
    """How encoded rows enter the network: bins of ordered features are joined to at most `max_bins`.

    Training on few bins keeps the tables small and the network from starving on scarce data; the descent that follows
    works on all of them.
    """

    layout: Layout
    coarse: tuple[Codes, ...]  # for each feature the network's slot of each encoded slot
    boundaries: Singles  # initial boundaries, regular over the axis
    sharpness: Singles  # initial sharpnesses, 12 / step
    features: Integers  # of the encoding that enter the network
    offsets: Integers  # first slot of each feature of the encoding, and their number
    # for each feature the number at 0 of the network's axis and the length of its unit, where the axis is linear
    scales: tuple[tuple[float, float] | None, ...] = ()

    def codes(self, codes: Codes) -> Codes:
        """The network's codes from those of the encoding, (rows, features) both."""
        own = np.empty((len(codes), len(self.coarse)), np.result_type(np.uint8, *(c.dtype for c in self.coarse)))
        for j, (feature, coarse) in enumerate(zip(self.features, self.coarse, strict=True)):
            own[:, j] = coarse[codes[:, feature]]
        return own

    def rows(self, rows: EncodedRows) -> TrainingRows:
        """Encoded rows as the kernels take them."""
        weights = rows.weights / rows.weights.mean()
        return TrainingRows(self.codes(rows.codes), rows.targets, weights.astype(np.float32))

    def fine_tables(self, tables: Singles) -> Floats:
        """Tables of the encoding's slots from those of the network's: (rules, slots)."""
        fine = np.ones((tables.shape[1], int(self.offsets[-1])))
        for j, (feature, coarse) in enumerate(zip(self.features, self.coarse, strict=True)):
            where = self.layout.slot_offsets[j] + coarse.astype(np.int64)
            fine[:, self.offsets[feature] : self.offsets[feature + 1]] = tables[where].T
        return fine

    def narrowed(self, chosen: Integers) -> NetworkInput:
        """The same with some of the features alone."""
        layout = self.layout
        slots, weights, dichotomies = layout.slot_offsets, layout.weight_offsets, layout.dichotomy_offsets
        moved = np.concatenate([np.arange(dichotomies[j], dichotomies[j + 1]) for j in chosen])
        narrow = Layout(
            kinds=layout.kinds[chosen],
            slot_offsets=_offsets(np.diff(slots)[chosen]),
            weight_offsets=_offsets(np.diff(weights)[chosen]),
            n_regular=layout.n_regular[chosen],
            n_bins=layout.n_bins[chosen],
            dichotomy_offsets=_offsets(np.diff(dichotomies)[chosen]),
            positions=np.concatenate([layout.positions[slots[j] : slots[j + 1]] for j in chosen]),
            units=layout.units[chosen],
        )
        coarse, scales = (tuple(part[j] for j in chosen) for part in (self.coarse, self.scales))
        own, sharpness = self.boundaries[moved], self.sharpness[moved]
        return NetworkInput(narrow, coarse, own, sharpness, self.features[chosen], self.offsets, scales)


def make_input(
    encoding: Encoding, rows: EncodedRows, intervals: int = 16, max_bins: int = 64, *, over_range: bool = False
) -> NetworkInput:
    """Lay out the network's arrays for encoded data; bins are joined so that they hold about equal weight.

    `over_range` is the paper's form: intervals of equal length over the range of a continuous feature, on all bins of
    the encoding, however few values there are; an ordinal feature is a bag of values.
    """
    parts = [
        _range_part(s, intervals)
        if over_range
        else _feature_part(s, rows.codes[:, j], rows.weights, intervals, max_bins)
        for j, s in enumerate(encoding.slots)
    ]
    n_regular = np.array([p.n_regular for p in parts], np.int64)
    n_slots = np.array([len(p.positions) for p in parts], np.int64)
    n_missing = np.array([s.has_missing for s in encoding.slots], np.int64)
    n_boundaries = np.array([len(p.boundaries) for p in parts], np.int64)
    kinds = np.array([p.kind for p in parts], np.int64)
    layout = Layout(
        kinds=kinds,
        slot_offsets=_offsets(n_slots),
        weight_offsets=_offsets(n_regular + n_missing * (kinds != BINARY)),
        n_regular=n_regular,
        n_bins=np.array([p.n_bins for p in parts], np.int64),
        dichotomy_offsets=_offsets(n_boundaries),
        positions=np.concatenate([np.empty(0, np.float32), *(p.positions for p in parts)]).astype(np.float32),
        units=np.array([p.scale[1] if p.scale else 1.0 for p in parts], np.float32),
    )
    boundaries = np.concatenate([np.empty(0), *(p.boundaries for p in parts)]).astype(np.float32)
    sharpness, scales = np.full_like(boundaries, 12.0), tuple(p.scale for p in parts)
    coarse, features = tuple(p.coarse for p in parts), np.arange(len(parts))
    return NetworkInput(layout, coarse, boundaries, sharpness, features, encoding.offsets, scales)


class _Part(NamedTuple):
    """One feature's share of the layout."""

    kind: int
    n_bins: int
    n_regular: int
    coarse: Codes
    positions: Floats
    boundaries: Floats
    scale: tuple[float, float] | None = None


def _value_part(slots: Slots) -> _Part:
    same, no_axis = np.arange(slots.n_slots, dtype=slots.code_type), np.zeros(slots.n_slots)
    is_binary = slots.feature.kind == "binary" and slots.n_slots == 2
    regular = 0 if is_binary else slots.n_slots - slots.has_missing
    return _Part(BINARY if is_binary else VALUES, 0, regular, same, no_axis, np.empty(0))


def _range_part(slots: Slots, intervals: int) -> _Part:
    if not (slots.is_ordered and slots.feature.is_numeric):
        return _value_part(slots)
    low, length = slots.lows[0], slots.highs[-1] - slots.lows[0]
    n_intervals = intervals if length > 0 and np.isfinite(length) else 1
    step = float(length / n_intervals) if n_intervals > 1 else 1.0
    positions = (slots.centers - low) / step if n_intervals > 1 else np.zeros(slots.n_known)
    if slots.has_missing:
        positions = np.append(positions, 0.0)
    same, boundaries = np.arange(slots.n_slots, dtype=slots.code_type), np.arange(1.0, n_intervals)
    scale = (float(low), step)
    return _Part(ORDERED, slots.n_known, n_intervals, same, positions, boundaries, scale)


def _feature_part(slots: Slots, codes: Codes, weights: Floats, intervals: int, max_bins: int) -> _Part:
    if not slots.has_bins:
        return _value_part(slots)
    mass = np.bincount(codes, weights, minlength=slots.n_slots)[: slots.n_known].astype(np.float64)
    coarse = quantile_bins(mass, max_bins)
    n_bins = int(coarse[-1]) + 1
    kind = {"periodic": CIRCULAR, "probability": PROBABILITY}.get(slots.feature.kind, ORDERED)
    n_intervals = 0 if kind == PROBABILITY else min(intervals, n_bins)
    positions = (np.arange(n_bins, dtype=np.float64) + 0.5) * (n_intervals / n_bins)
    if kind == PROBABILITY:
        positions = np.bincount(coarse, mass * slots.centers) / np.maximum(np.bincount(coarse, mass), 1e-300)
    lookup = coarse.astype(np.uint8)
    if slots.has_missing:
        lookup = np.append(lookup, np.uint8(n_bins))
        positions = np.concatenate([positions, [0.0]])
    # The intervals of a line have one boundary less than those of a circle, where the last meets the first.
    boundaries = np.arange(0.0 if kind == CIRCULAR else 1.0, n_intervals)
    return _Part(kind, n_bins, n_intervals, lookup, positions, boundaries)


def _offsets(sizes: Integers) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def initial_weights(
    inputs: NetworkInput,
    n_rules: int,
    n_outputs: int,
    rng: np.random.Generator,
    low: float = -1.0,
    most_features: int | None = None,
    *,
    learned_intervals: bool = False,
) -> Weights:
    """Draw a network at random; `draw_rules` says how."""
    layout = inputs.layout
    weights = Weights(
        and_weights=np.empty((len(layout.kinds), n_rules), np.float32),
        or_weights=np.empty((int(layout.weight_offsets[-1]), n_rules), np.float32),
        rule_bias=np.empty(n_rules, np.float32),
        output_weights=rng.random((n_outputs, n_rules), np.float32),
        output_bias=np.zeros(n_outputs, np.float32),
        boundaries=inputs.boundaries.copy(),
        sharpness=inputs.sharpness.copy(),
        interval_weights=neighbour_weights(layout) if learned_intervals else _NO_WEIGHTS.copy(),
    )
    draw_rules(layout, weights, np.arange(n_rules), rng, low, most_features)
    return weights


def neighbour_weights(layout: Layout) -> Singles:
    """AND weights of intervals as training begins: 1 on the lower neighbour, -1 on the upper one, 0 elsewhere."""
    most = int(np.diff(layout.dichotomy_offsets)[layout.kinds == ORDERED].max(initial=0))
    weights = np.zeros((most, int(layout.weight_offsets[-1]) if most else 0), np.float32)
    for j in np.flatnonzero(layout.kinds == ORDERED):
        first, d = int(layout.weight_offsets[j]), np.arange(layout.n_regular[j] - 1)
        weights[d, first + d + 1], weights[d, first + d] = 1.0, -1.0
    return weights


def draw_rules(
    layout: Layout,
    weights: Weights,
    rules: Integers,
    rng: np.random.Generator,
    low: float = -1.0,
    most_features: int | None = None,
) -> None:
    """Give the rules named fresh random weights, in place; output weights stay.

    OR weights are U(0, 1), AND weights U(low, 1) for what enters directly and 1 for modules. On a wide table a rule
    that asks about every feature holds nowhere, and learns nothing: all but `most_features` features, drawn for each
    rule, get the AND weight 0.
    """
    is_direct = (layout.kinds == BINARY) | (layout.kinds == PROBABILITY)
    weights.or_weights[:, rules] = rng.random((weights.or_weights.shape[0], len(rules)), np.float32)
    drawn = np.ones((len(is_direct), len(rules)), np.float32)
    drawn[is_direct] = rng.uniform(low, 1.0, (int(is_direct.sum()), len(rules)))
    if most_features is not None and len(is_direct) > most_features:
        places = rng.random(drawn.shape).argsort(axis=0)
        np.put_along_axis(drawn, places[most_features:], 0.0, axis=0)
    weights.and_weights[:, rules] = drawn
    weights.rule_bias[rules] = 1.0


def make_scratch(layout: Layout, n_rules: int, *, moves_nodes: bool = True, moves_dichotomies: bool = True) -> Scratch:
    """Allocate the kernels' scratch arrays, and say which weights are going to move."""
    n_slots, n_features = int(layout.slot_offsets[-1]), len(layout.kinds)
    most = int(np.diff(layout.dichotomy_offsets).max(initial=0))
    by_slot, by_interval = (n_slots, n_rules), (n_slots, most + 1)
    return Scratch(
        memberships=np.zeros(by_slot, np.float32),
        tables=np.zeros(by_slot, np.float32),
        g_memberships=np.zeros(by_slot, np.float32),
        g_tables=np.zeros(by_slot, np.float32),
        dichotomy=np.zeros((n_slots, most + 2), np.float32),
        value=np.zeros(by_interval, np.float32),
        g_value=np.zeros(by_interval, np.float32),
        low=np.zeros(n_slots, np.int64),
        high=np.zeros(n_slots, np.int64),
        is_met=np.ones(n_slots, np.bool_),
        prefix=np.zeros((n_features + 1, n_rules), np.float32),
        others=np.zeros(n_rules, np.float32),
        moves_nodes=moves_nodes,
        moves_dichotomies=moves_dichotomies,
    )
