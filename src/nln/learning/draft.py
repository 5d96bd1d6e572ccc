"""Rules and rows while rules are learned: a draft has one table per rule over the encoding's slots.

Learning works on drafts, people on programs. Both types are plain tuples of arrays that the compiled passes take.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from nln.learning.descent.layout import Integers
from nln.tables.encoding import Codes, EncodedRows, Floats


class DescentRows(NamedTuple):
    """Rows as the descent takes them: each feature's codes lie together."""

    codes: Codes  # (features, rows)
    targets: npt.NDArray[np.float32]  # (outputs, rows)
    weights: Floats  # (rows,)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.weights)

    def take(self, rows: npt.NDArray[np.integer]) -> DescentRows:
        """Return the rows given, in the order given."""
        codes, targets = np.take(self.codes, rows, axis=1), np.take(self.targets, rows, axis=1)
        return DescentRows(codes, targets, self.weights[rows])


def descent_rows(rows: EncodedRows) -> DescentRows:
    """Turn encoded rows into the layout of the descent."""
    codes, targets = np.ascontiguousarray(rows.codes.T), np.ascontiguousarray(rows.targets.T)
    return DescentRows(codes, targets, rows.weights)


class Draft(NamedTuple):
    """Rules as tables; the descent changes the arrays in place."""

    tables: Floats  # (rules, slots) membership of each slot in each rule; all ones where a rule asks nothing
    bias: Floats  # (rules,) probability a of each rule
    output: Integers  # (rules,) the one output that each rule concludes
    output_bias: Floats  # (outputs,) probability o of each output when no rule fires
    n_fixed: int = 0  # this many of the first rules keep their tables and are not dropped
    # (rules, features, 2) places of the lower and upper boundary of fuzzy conditions, -1 for none; None: all are crisp
    spans: Integers | None = None

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self.bias)

    def copy(self) -> Draft:
        """Return a copy that shares nothing."""
        return self.take(np.arange(self.n_rules))._replace(n_fixed=self.n_fixed)

    def take(self, rules: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> Draft:
        """Return a draft of some of the rules, none of which is fixed any more."""
        spans = None if self.spans is None else self.spans[rules]
        parts = self.tables[rules], self.bias[rules], self.output[rules], self.output_bias.copy()
        return Draft(*parts, spans=spans)

    def learned(self) -> Draft:
        """Return a draft without the fixed rules."""
        return self if self.n_fixed == 0 else self.take(np.arange(self.n_fixed, self.n_rules))


def no_spans(n_rules: int, n_features: int) -> Integers:
    """Spans of rules without fuzzy conditions."""
    return np.full((n_rules, n_features, 2), -1, np.int64)


def pool_drafts(drafts: list[Draft]) -> Draft:
    """Put the rules of several drafts into one, without the fixed rules, which are the same in all."""
    drafts = [d.learned() for d in drafts]
    return _join(drafts)._replace(output_bias=np.mean([d.output_bias for d in drafts], axis=0))


def with_initial_rules(draft: Draft, initial: Draft | None) -> Draft:
    """Put initial rules before those of a draft, in the place of its fixed ones; output biases are the draft's."""
    if initial is None:
        return draft
    learned = draft.learned()
    return _join([initial, learned])._replace(output_bias=learned.output_bias, n_fixed=initial.n_fixed)


def _join(drafts: list[Draft]) -> Draft:
    """Rules of several drafts one after the other, with the output biases of the first."""
    tables, bias, output = (np.concatenate([d[part] for d in drafts]) for part in range(3))
    spans, fuzzy = None, [d.spans for d in drafts if d.spans is not None]
    if fuzzy:  # a draft without spans is crisp
        n_features = fuzzy[0].shape[1]
        spans = np.concatenate([no_spans(d.n_rules, n_features) if d.spans is None else d.spans for d in drafts])
    return Draft(tables, bias, output, drafts[0].output_bias, spans=spans)
