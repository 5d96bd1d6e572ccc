"""A program in the making: one table a rule over the encoding's slots. Learning works on drafts, people on programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.descent.kernels.best_table import CHANCE, CIRCLE
from nln.learning.descent.kernels.limits import Limits
from nln.learning.options import LanguageOptions
from nln.tables.encoding import Codes, EncodedRows, Encoding, Floats

Integers = npt.NDArray[np.int64]

_ORDERED = {"continuous": 1, "ordinal": 1, "periodic": CIRCLE, "probability": CHANCE}


class SlotLayout(NamedTuple):
    """The encoding as the compiled passes take it."""

    offsets: Integers
    n_known: Integers
    has_other: npt.NDArray[np.int64]
    has_missing: npt.NDArray[np.int64]
    ordered: Integers  # 0: a bag of values, 1: bins of an axis, CIRCLE, CHANCE
    axis: Floats  # (slots,) number at the centre of each bin
    negation: float = 0.5  # literals that a negation costs: what holds reads better than what does not
    unions: bool = True  # whether a condition may be a union of intervals
    max_conditions: int = 0  # most conditions of a rule; 0 is no limit
    limits: Limits | None = None  # what constraints allow
    # where fuzzy boundaries may lie (see `spans`); without any, boundaries are crisp
    place_offsets: Integers = np.empty(0, np.int64)  # (features + 1,)
    places: Integers = np.empty(0, np.int64)  # the bin above each place
    place_penalties: Floats = np.empty(0)
    upper_offsets: Integers = np.empty(0, np.int64)  # (features + 1,)
    upper: Floats = np.empty(0)  # membership of each bin above each place, feature by feature


def slot_layout(
    encoding: Encoding, language: LanguageOptions | None = None, limits: Limits | None = None
) -> SlotLayout:
    """Arrays that describe the slots of an encoding, and what the language and constraints allow on them."""
    language = language or LanguageOptions()
    axis = np.zeros(encoding.n_slots)
    for first, slots in zip(encoding.offsets, encoding.slots, strict=False):
        if slots.has_bins:
            axis[first : first + slots.n_known] = slots.centers
    return SlotLayout(
        encoding.offsets,
        np.array([s.n_known for s in encoding.slots], np.int64),
        np.array([s.has_other for s in encoding.slots], np.int64),
        np.array([s.has_missing for s in encoding.slots], np.int64),
        np.array([_ORDERED.get(s.feature.kind, 0) for s in encoding.slots], np.int64),
        axis,
        negation=0.5 if language.negation else np.inf,
        unions=language.unions,
        max_conditions=int(language.max_conditions or 0),
        limits=limits,
    )


@dataclass(frozen=True)
class DescentRows:
    """Rows as the descent takes them: one contiguous row of codes a feature."""

    codes: Codes  # (features, rows)
    targets: npt.NDArray[np.float32]  # (outputs, rows)
    weights: Floats

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.weights)


def descent_rows(rows: EncodedRows) -> DescentRows:
    """Turn encoded rows into the layout of the descent."""
    codes, targets = np.ascontiguousarray(rows.codes.T), np.ascontiguousarray(rows.targets.T)
    return DescentRows(codes, targets, rows.weights)


@dataclass
class Draft:
    """Rules as tables.

    Parameters
    ----------
    tables : ndarray, (rules, slots)
        Membership of each slot in each rule; all ones where a rule does not ask for a feature.
    bias : ndarray, (rules,)
        Probability a of each rule.
    output : ndarray of int, (rules,)
        The one output each rule concludes.
    output_bias : ndarray, (outputs,)
        Probability o of each output when no rule fires.
    n_fixed : int
        So many of the first rules keep their tables and are not dropped.
    spans : ndarray of int, (rules, features, 2), or None
        Places of the lower and the upper boundary of fuzzy conditions, -1 for none; None where all are crisp.
    """

    tables: Floats
    bias: Floats
    output: Integers
    output_bias: Floats
    n_fixed: int = 0
    spans: Integers | None = None

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self.bias)

    def copy(self) -> Draft:
        """Return a copy that shares nothing."""
        copied = self.take(np.arange(self.n_rules))
        copied.n_fixed = self.n_fixed
        return copied

    def take(self, rules: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Draft:
        """Return a draft of some of the rules, none of which is fixed any more."""
        spans = None if self.spans is None else self.spans[rules]
        parts = self.tables[rules], self.bias[rules], self.output[rules], self.output_bias.copy()
        return Draft(*parts, spans=spans)

    def learned(self) -> Draft:
        """Return a draft without the fixed rules."""
        return self if self.n_fixed == 0 else self.take(np.arange(self.n_fixed, self.n_rules))


def join_spans(drafts: list[Draft]) -> Integers | None:
    """Boundaries of fuzzy conditions of several drafts; a draft without any is crisp."""
    shapes = {d.spans.shape[1:] for d in drafts if d.spans is not None}
    if not shapes:
        return None
    none = [np.full((d.n_rules, *next(iter(shapes))), -1, np.int64) for d in drafts]
    return np.concatenate([n if d.spans is None else d.spans for d, n in zip(drafts, none, strict=True)])


def pool_drafts(drafts: list[Draft]) -> Draft:
    """All rules of several drafts in one but the fixed ones, which are the same in all; the descent chooses."""
    drafts = [d.learned() for d in drafts]
    return Draft(
        np.concatenate([d.tables for d in drafts]),
        np.concatenate([d.bias for d in drafts]),
        np.concatenate([d.output for d in drafts]),
        np.mean([d.output_bias for d in drafts], axis=0),
        spans=join_spans(drafts),
    )


def with_rules(draft: Draft, given: Draft | None) -> Draft:
    """Put given rules before those of a draft, in the place of its fixed ones; output biases are the draft's."""
    if given is None:
        return draft
    learned = draft.learned()
    return Draft(
        np.concatenate([given.tables, learned.tables]),
        np.concatenate([given.bias, learned.bias]),
        np.concatenate([given.output, learned.output]),
        learned.output_bias,
        given.n_fixed,
        join_spans([given, learned]),
    )
