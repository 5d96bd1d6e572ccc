"""A committee: the rules of all starts side by side in one program.

Pooling keeps the few rules that earn their price on all rows. A committee keeps all that the starts found without each
other: what one start owes to chance the others outvote, rows are ranked more finely, and the program is longer. It is
the merged program of the starts: 1 - P is the geometric mean of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nln.learning.draft import Draft, pool_drafts

SMALLER = (5, 2)
"""Members of further committees on the dial beside that of all starts."""

_CERTAIN = 0.9999
"""Highest bias that is shared out; a certain rule would stay certain, whatever the others say."""


def committee_sizes(starts: int) -> list[int]:
    """Members of each committee, the largest first."""
    return [starts, *(members for members in SMALLER if members < starts)]


def form_committee(drafts: Sequence[Draft]) -> Draft:
    """Put the rules of several drafts into one, each with the share of its bias that the geometric mean gives it."""
    share = 1.0 / len(drafts)
    pooled = pool_drafts(list(drafts))
    absent = np.exp(share * sum(np.log(np.maximum(1.0 - draft.output_bias, 1e-300)) for draft in drafts))
    return pooled._replace(bias=1.0 - (1.0 - np.minimum(pooled.bias, _CERTAIN)) ** share, output_bias=1.0 - absent)
