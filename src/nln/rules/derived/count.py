"""Counts: how many of several conditions hold.

Each member is a crisp condition on a column of its own, without `or missing`: a missing value satisfies neither a
member nor its opposite, so that it is never counted, and the count itself is never missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from nln.rules.condition import Condition, is_crisp
from nln.rules.evaluate import membership

if TYPE_CHECKING:
    from nln.rules.cells import Column
    from nln.rules.schema import Feature, FeatureKind

CHUNK = 16_384


@dataclass(frozen=True)
class Count:
    """How many of several conditions hold; `nln.rules.derived.make.count_of` makes them.

    Parameters
    ----------
    members : tuple of ValueCondition and IntervalCondition
        Crisp conditions on different features, in the order of their texts.
    texts : tuple of str
        The members as the rule language writes them.
    """

    whole: ClassVar[bool] = False
    members: tuple[Condition, ...]
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))
        object.__setattr__(self, "texts", tuple(self.texts))
        if len(self.members) < 2 or len(self.texts) != len(self.members):
            raise ValueError(f"A count has at least 2 members, not {len(self.members)}.")
        if len(set(self.features)) < len(self.members):
            twice = next(name for name in self.features if self.features.count(name) > 1)
            raise ValueError(f"A count asks about {twice!r} twice. Each member is about a feature of its own.")

    @property
    def features(self) -> tuple[str, ...]:
        """The features that the members ask about."""
        return tuple(member.feature for member in self.members)

    @property
    def extra(self) -> int:
        """What it costs beside its boundaries, in literals: those of its members."""
        return sum(member.size for member in self.members)

    @property
    def kind(self) -> FeatureKind:
        """The kind of the feature that holds the counts."""
        return "ordinal"

    @property
    def values(self) -> tuple[bool | int, ...]:
        """The values of the feature that holds the counts."""
        return tuple(range(len(self.members) + 1))

    @property
    def text(self) -> str:
        """The name of the column: `count of {...}`."""
        return f"count of {self.set_text}"

    @property
    def set_text(self) -> str:
        """The members as the rule language writes them after `at least 2 of`."""
        return f"{{{'; '.join(self.texts)}}}"

    def evaluate(self, columns: Mapping[str, Column], features: Mapping[str, Feature]) -> Column:
        """Count for each row.

        Parameters
        ----------
        columns : mapping of str to array
            The columns of the members' features, as `read_columns` gives them.
        features : mapping of str to Feature
            The members' features.
        """
        result = np.zeros(len(columns[self.features[0]]), np.int32)
        for start in range(0, len(result), CHUNK):
            window = slice(start, start + CHUNK)
            for member in self.members:
                held = membership(member, columns[member.feature][window], features[member.feature])
                np.add(result[window], held, out=result[window], casting="unsafe")
        return result

    def check(self, features: Mapping[str, Feature]) -> None:
        """Check that the members are crisp conditions that a missing value fails."""
        for member, text in zip(self.members, self.texts, strict=True):
            feature = features[member.feature]
            if isinstance(feature.derived, Count):
                raise ValueError(f"A count cannot be a member of a count: {text!r}.")
            if member.missing:
                raise ValueError(
                    f"The member {text!r} of a count takes `or missing`. Members ask about values only, so that a "
                    "missing value is never counted."
                )
            if not is_crisp(member, feature):
                raise ValueError(f"The member {text!r} of a count has a fuzzy boundary. Leave out its `±`.")
