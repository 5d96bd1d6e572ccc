"""What one start sees of a table: all columns or, of a wide table, some; and the way of its rules there and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nln.learning.descent.boundaries import Boundaries
from nln.learning.descent.layout import Integers, SlotLayout
from nln.learning.draft import DescentRows, Draft, no_spans
from nln.tables.encoding import Encoding, Floats

Layouts = dict[int, SlotLayout]
"""Slots that the descent works on, by the floor under the widths of fuzzy boundaries; 0 is crisp."""


def limited(layouts: Layouts, least_shares: Floats) -> Layouts:
    """The same layouts, with the share of the rows that rules of each output must cover."""
    return {floor: layout._replace(least_shares=least_shares) for floor, layout in layouts.items()}


@dataclass(frozen=True)
class View:
    """Some columns of a table, with all that the descent needs of them."""

    whole: Encoding  # of all columns
    columns: Integers  # that are seen, ascending
    encoding: Encoding  # of these
    layouts: Layouts
    boundaries: Boundaries

    @property
    def is_whole(self) -> bool:
        """Whether all columns are seen."""
        return len(self.columns) == len(self.whole.slots)

    @cached_property
    def _slots(self) -> Integers:
        """Numbers of the seen slots among all."""
        offsets = self.whole.offsets
        return np.concatenate([np.arange(offsets[j], offsets[j + 1]) for j in self.columns])

    def limited(self, least_shares: Floats) -> View:
        """The same, with the share of the rows that rules of each output must cover."""
        return replace(self, layouts=limited(self.layouts, least_shares))

    def rows(self, rows: DescentRows) -> DescentRows:
        """Rows of the table as they are seen."""
        return rows if self.is_whole else rows._replace(codes=np.ascontiguousarray(rows.codes[self.columns]))

    def narrow(self, draft: Draft) -> Draft:
        """Rules about the table as rules about what is seen of it."""
        if self.is_whole:
            return draft
        spans = None if draft.spans is None else np.ascontiguousarray(draft.spans[:, self.columns])
        return draft._replace(tables=np.ascontiguousarray(draft.tables[:, self._slots]), spans=spans)

    def widen(self, draft: Draft) -> Draft:
        """Rules about what is seen as rules about the table."""
        if self.is_whole:
            return draft
        tables, spans = np.ones((draft.n_rules, self.whole.n_slots)), None
        tables[:, self._slots] = draft.tables
        if draft.spans is not None:
            spans = no_spans(draft.n_rules, len(self.whole.slots))
            spans[:, self.columns] = draft.spans
        return draft._replace(tables=tables, spans=spans)
