"""Where the search stands: the table with the calculations so far, and what the starts found with them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nln.learning.derived.table import Folds, TableRows
from nln.learning.descent.boundaries import Boundaries, FeatureBoundaries, feature_boundaries
from nln.learning.descent.kernels.visits import rule_sizes
from nln.learning.descent.layout import SlotLayout, fuzzy_layout, slot_layout
from nln.learning.draft import DescentRows, Draft, no_spans
from nln.learning.options import LanguageOptions
from nln.learning.packed import Drafts
from nln.learning.selection.path import StartPath, smooth
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.rounding import just_after
from nln.rules.schema import Feature, Value
from nln.tables.encoding import Encoding, Floats, Integers, Slots, make_encoding

NEVER = 1e9
"""Literals that a condition on a calculation costs where it is not allowed."""

FITTED_NUMBER = 1.0
"""Squared error that a boundary must save if it is not where the two sides of a comparison are equal."""


@dataclass(frozen=True)
class State:
    """The table with some calculations, and the paths of the starts."""

    table: TableRows  # with the codes of the encoding
    folds: Folds
    encoding: Encoding
    layouts: dict[int, SlotLayout]  # by floor under the widths
    boundaries: Boundaries
    derived: tuple[Feature, ...]
    paths: tuple[StartPath, ...]  # of the starts
    prices: Floats
    chosen: int  # number of the price
    floor: int

    @property
    def drafts(self) -> list[Drafts]:
        """Rules of each start by price."""
        return [path.drafts for path in self.paths]

    @property
    def unseen(self) -> Floats:
        """Loss of each start on the rows that it left out, at the price where the mean is lowest, (starts,)."""
        curves = smooth(np.array([path.losses for path in self.paths])[:, :, None])[:, :, 0]
        found: Floats = curves[:, int(curves.mean(axis=0).argmin())]
        return found

    def place(self, feature: Feature) -> int:
        """Number of a feature in the encoding."""
        return next(j for j, slots in enumerate(self.encoding.slots) if slots.feature.name == feature.name)

    def layout(self, floor: int, allowed: Collection[Feature]) -> SlotLayout:
        """Lay out the slots, with the extra price of each calculation; those not allowed are beyond all prices."""
        schema, names = self.table.schema, {feature.name for feature in allowed}
        features = [slots.feature for slots in self.encoding.slots]
        is_out = [feature in self.derived and feature.name not in names for feature in features]
        extra = [NEVER if out else float(schema.extra(f.name)) for f, out in zip(features, is_out, strict=True)]
        return self.layouts[floor]._replace(extra=np.array(extra))

    def extended(self, more: Sequence[Feature], language: LanguageOptions) -> State:
        """Return the state with more calculations beside the columns; the drafts stay as they are."""
        schema = self.table.schema.with_features(more)
        table, slots, codes = replace(self.table, schema=schema), list[Slots](), list(self.table.calculated)
        for feature in more:  # one after the other: a column of a long table takes much memory
            column = {feature.name: table.column(feature.name)}
            made = make_encoding((feature,), column, table.weights, named=_balances(more))
            codes.append(made.codes(column, table.n_rows))
            slots += made.slots
        new, encoding = Encoding(tuple(slots)), Encoding((*self.encoding.slots, *slots))
        boundaries = {**self.boundaries}
        first = len(self.encoding.slots)
        for j, offered in feature_boundaries(new, language).items():
            boundaries[first + j] = _at_balance(offered, new.slots[j])
        crisp = slot_layout(encoding, language)._replace(least_shares=self.layouts[0].least_shares)
        layouts = {floor: fuzzy_layout(crisp, boundaries, floor) if floor else crisp for floor in self.layouts}
        return replace(
            self,
            table=replace(table, calculated=tuple(codes)),
            encoding=encoding,
            layouts=layouts,
            boundaries=boundaries,
            derived=(*self.derived, *more),
        )

    def widened(self, draft: Draft, *, crisp: bool = False) -> Draft:
        """Return a draft of an earlier state, whose rules ask nothing about newer columns."""
        n_features = len(self.encoding.slots)
        tables, spans = np.ones((draft.n_rules, self.encoding.n_slots)), no_spans(draft.n_rules, n_features)
        tables[:, : draft.tables.shape[1]] = draft.tables
        if draft.spans is not None and not crisp:
            spans[:, : draft.spans.shape[1]] = draft.spans
        return Draft(tables, draft.bias.copy(), draft.output.copy(), draft.output_bias.copy(), spans=spans)

    def stripped(self, draft: Draft, allowed: Collection[Feature]) -> Draft:
        """Return a draft without conditions on calculations that are not allowed, nor rules that then ask nothing."""
        draft, names = self.widened(draft), {feature.name for feature in allowed}
        assert draft.spans is not None
        for j, slots in enumerate(self.encoding.slots):
            if slots.feature in self.derived and slots.feature.name not in names:
                draft.tables[:, self.encoding.offsets[j] : self.encoding.offsets[j + 1]] = 1.0
                draft.spans[:, j] = -1
        return draft.take((draft.tables != 1.0).any(axis=1))

    def used(self, draft: Draft) -> list[Feature]:
        """List the calculations that the rules ask about."""
        offsets = self.encoding.offsets
        parts = {f: slice(offsets[self.place(f)], offsets[self.place(f) + 1]) for f in self.derived}
        return [feature for feature, part in parts.items() if (draft.tables[:, part] != 1.0).any()]

    def size(self, floor: int, drafts: Sequence[Draft]) -> float:
        """Mean number of literals of some drafts, with those of the calculations."""
        layout, widened = self.layout(floor, self.derived), [self.widened(draft) for draft in drafts]
        return float(np.mean([rule_sizes(layout, draft.tables, draft.spans).sum() for draft in widened]))


def rows_of(state: State, rows: Integers) -> DescentRows:
    """Some rows of the table, not merged, as the descent takes them."""
    table = state.table
    codes, targets = np.ascontiguousarray(table.codes_of(rows).T), np.ascontiguousarray(table.targets[rows].T)
    return DescentRows(codes, targets.astype(np.float32), table.weights[rows])


def _balances(features: Sequence[Feature]) -> dict[str, tuple[Value, ...]]:
    """Numbers where a bin must begin: where the two sides of a comparison are equal, and just after it."""
    marks = {f.name: f.derived.landmark for f in features if isinstance(f.derived, Arithmetic)}
    return {name: (mark, just_after(mark)) for name, mark in marks.items() if mark is not None}


def _at_balance(offered: FeatureBoundaries, slots: Slots) -> FeatureBoundaries:
    """Put the boundaries beside 0 of a difference, and beside 1 of a ratio, there if the rows cannot tell.

    Conditions then compare the two sides: `x * y > z * w`. That has no number to fit, so that a boundary elsewhere must
    explain one row more.
    """
    expression = slots.feature.derived
    if not isinstance(expression, Arithmetic):
        return offered
    balance = expression.landmark
    if balance is None:
        return offered
    values, penalties = offered.values.copy(), offered.penalties.copy()
    for cut in range(1, slots.n_known):
        low, high = float(slots.highs[cut - 1]), float(slots.lows[cut])
        if low < balance <= high:
            values[cut], penalties[cut] = balance, -FITTED_NUMBER
        elif low == balance:
            values[cut], penalties[cut] = balance, -FITTED_NUMBER
            values[cut, offered.widths[cut] == 0] = just_after(balance)
    return replace(offered, values=values, penalties=penalties)
