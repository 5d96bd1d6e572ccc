"""`a1 is a2`: whether two columns of values hold the same value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from nln.rules.cells import MISSING, UNSEEN
from nln.rules.language.words import spelled

if TYPE_CHECKING:
    from nln.rules.cells import Column
    from nln.rules.schema import Feature, FeatureKind

_KINDS = ("binary", "categorical", "ordinal")


@dataclass(frozen=True)
class Same:
    """Whether two columns of values hold the same value.

    A row where one of the two is missing satisfies neither `a1 is a2` nor `a1 is not a2`. A value that a feature does
    not list is the same as no value, as it satisfies `!=` and not `=`.

    Parameters
    ----------
    features : tuple of str
        The two columns, sorted.

    Examples
    --------
    >>> Same(("a2", "a1")).text
    'a1 is a2'
    """

    whole: ClassVar[bool] = False
    features: tuple[str, str]

    def __post_init__(self) -> None:
        one, other = sorted(self.features)
        if one == other:
            raise ValueError(f"{spelled(one)} is always the same as itself. Name two columns.")
        object.__setattr__(self, "features", (one, other))

    @property
    def extra(self) -> int:
        """What it costs beside the value asked for, in literals: one for the second column."""
        return 1

    @property
    def kind(self) -> FeatureKind:
        """The kind of the feature that holds the answer."""
        return "binary"

    @property
    def values(self) -> tuple[bool | int, ...]:
        """The values of the feature that holds the answer."""
        return (False, True)

    @property
    def text(self) -> str:
        """The question as the rule language writes it."""
        return self.phrase()

    def phrase(self, *, negated: bool = False) -> str:
        """Write the condition that the values are the same, or that they are not."""
        return f"{spelled(self.features[0])} is {'not ' * negated}{spelled(self.features[1])}"

    def evaluate(self, columns: Mapping[str, Column], features: Mapping[str, Feature]) -> Column:
        """Answer for each row: 1, 0, or -1 where one of the two is missing.

        Parameters
        ----------
        columns : mapping of str to array
            Indices into the values of the two features, as `read_columns` gives them.
        features : mapping of str to Feature
            The two features, whose values may stand in different orders.
        """
        one, other = (columns[name] for name in self.features)
        values, more = (features[name].values for name in self.features)
        if values != more:
            other = np.array([*map(values.index, more), UNSEEN, MISSING], np.int32)[other]
        answer: Column = ((one == other) & (one >= 0)).astype(np.int32)
        answer[(one == MISSING) | (other == MISSING)] = MISSING
        return answer

    def check(self, features: Mapping[str, Feature]) -> None:
        """Check that the two columns have the same values."""
        one, other = (features[name] for name in self.features)
        for feature in (one, other):
            if feature.kind not in _KINDS or feature.derived is not None:
                what = "is calculated itself" if feature.derived is not None else f"is {feature.kind}"
                raise ValueError(f"`is` compares columns of values, but {feature.name!r} in {self.text!r} {what}.")
        if {(type(v) is str, v) for v in one.values} != {(type(v) is str, v) for v in other.values}:
            raise ValueError(
                f"`{self.text}` compares columns with different values: {list(one.values)} and {list(other.values)}."
            )
