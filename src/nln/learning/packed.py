"""Drafts that are kept or sent: small until somebody asks for one.

A path keeps a draft for every price, variant and start. As tables over all slots they would take far more memory than
the rows do: a rule asks about few features, and a crisp condition changes only at its boundaries. So runs of equal
entries are kept. What would prove it wrong: a draft that is not the same after packing and unpacking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, overload

import numpy as np

from nln.learning.descent.layout import Integers
from nln.learning.draft import Draft
from nln.tables.encoding import Floats


class PackedDraft(NamedTuple):
    """A draft whose tables are runs of equal entries, one after the other through all rules."""

    shape: tuple[int, int]
    lengths: Integers
    entries: Floats
    bias: Floats
    output: Integers
    output_bias: Floats
    n_fixed: int
    spans: Integers | None


def pack(draft: Draft) -> PackedDraft:
    """Make a draft small."""
    flat = draft.tables.ravel()
    ends = np.flatnonzero(np.concatenate([flat[1:] != flat[:-1], np.ones(min(len(flat), 1), np.bool_)]))
    biases = draft.bias.copy(), draft.output.copy(), draft.output_bias.copy()
    spans = None if draft.spans is None else draft.spans.copy()
    return PackedDraft(draft.tables.shape, np.diff(ends, prepend=-1), flat[ends], *biases, draft.n_fixed, spans)


def unpack(packed: PackedDraft) -> Draft:
    """Restore a draft, which shares nothing with the packed one."""
    tables = np.repeat(packed.entries, packed.lengths).reshape(packed.shape)
    biases = packed.bias.copy(), packed.output.copy(), packed.output_bias.copy()
    return Draft(tables, *biases, packed.n_fixed, None if packed.spans is None else packed.spans.copy())


class Drafts(Sequence[Draft]):
    """Packed drafts; each is unpacked when it is asked for, anew each time."""

    def __init__(self, packed: Iterable[PackedDraft]) -> None:
        self._packed = tuple(packed)

    def map(self, change: Callable[[Draft], Draft]) -> Drafts:
        """Change each draft, one after the other."""
        return Drafts(pack(change(draft)) for draft in self)

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, number: int) -> Draft: ...

    @overload
    def __getitem__(self, number: slice) -> list[Draft]: ...

    def __getitem__(self, number: int | slice) -> Draft | list[Draft]:
        found = self._packed[number]
        return unpack(found) if isinstance(found, PackedDraft) else list(map(unpack, found))

    @property
    def n_rules(self) -> list[int]:
        """Number of rules of each draft."""
        return [packed.shape[0] for packed in self._packed]
