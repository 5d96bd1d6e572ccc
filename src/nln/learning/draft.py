"""A program in the making: one table a rule over the encoding's slots. Learning works on drafts, people on programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.language import LanguageOptions
from nln.learning.limits import Limits
from nln.tables.encoding import Codes, EncodedRows, Encoding, Floats

Integers = npt.NDArray[np.int64]


class SlotLayout(NamedTuple):
    """The encoding as the compiled passes take it."""

    offsets: Integers
    n_known: Integers
    has_other: npt.NDArray[np.int64]
    has_missing: npt.NDArray[np.int64]
    ordered: npt.NDArray[np.bool_]
    axis: Floats  # (slots,) number at the centre of each bin
    negation: float = 0.5  # literals that a negation costs: what holds reads better than what does not
    unions: bool = True  # whether a condition may be a union of intervals
    max_conditions: int = 0  # most conditions of a rule; 0 is no limit
    limits: Limits | None = None  # what constraints allow


def slot_layout(
    encoding: Encoding, language: LanguageOptions | None = None, limits: Limits | None = None
) -> SlotLayout:
    """Arrays that describe the slots of an encoding, and what the language and constraints allow on them."""
    language = language or LanguageOptions()
    axis = np.zeros(encoding.n_slots)
    for first, slots in zip(encoding.offsets, encoding.slots, strict=False):
        if slots.is_ordered:
            axis[first : first + slots.n_known] = slots.centers
    return SlotLayout(
        encoding.offsets,
        np.array([s.n_known for s in encoding.slots], np.int64),
        np.array([s.has_other for s in encoding.slots], np.int64),
        np.array([s.has_missing for s in encoding.slots], np.int64),
        np.array([s.is_ordered for s in encoding.slots], bool),
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
    """

    tables: Floats
    bias: Floats
    output: Integers
    output_bias: Floats
    n_fixed: int = 0

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self.bias)

    def copy(self) -> Draft:
        """Return a copy that shares nothing."""
        return Draft(self.tables.copy(), self.bias.copy(), self.output.copy(), self.output_bias.copy(), self.n_fixed)

    def take(self, rules: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Draft:
        """Return a draft of some of the rules, none of which is fixed any more."""
        return Draft(self.tables[rules], self.bias[rules], self.output[rules], self.output_bias.copy())

    def learned(self) -> Draft:
        """Return a draft without the fixed rules."""
        return self if self.n_fixed == 0 else self.take(np.arange(self.n_fixed, self.n_rules))


def pool_drafts(drafts: list[Draft]) -> Draft:
    """All rules of several drafts in one but the fixed ones, which are the same in all; the descent chooses."""
    drafts = [d.learned() for d in drafts]
    return Draft(
        np.concatenate([d.tables for d in drafts]),
        np.concatenate([d.bias for d in drafts]),
        np.concatenate([d.output for d in drafts]),
        np.mean([d.output_bias for d in drafts], axis=0),
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
    )
