"""How many rows of a child table belong to a row and satisfy some conditions: `at least 2 visits (dept = ER)`.

The count is never missing. A row without children, or without a key, has none; a missing cell of a child fails its
condition unless that says `or missing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from nln.rules.condition import Condition, is_crisp
from nln.rules.language.words import spelled

if TYPE_CHECKING:
    from nln.rules.cells import Column
    from nln.rules.schema import Feature, FeatureKind


@dataclass(frozen=True)
class ChildCount:
    """How many children satisfy all of some conditions; `nln.rules.derived.make.child_count_of` makes them.

    Parameters
    ----------
    table : str
        Name of the child table.
    conditions : tuple of ValueCondition and IntervalCondition, default=()
        Crisp conditions on different features of the child table, in the order of its features. Without any, all
        children count.
    texts : tuple of str, default=()
        The conditions as the rule language writes them.
    every : str, default=""
        The opposite of the only condition, if that reads better: `all visits (dept = ER)` says that there are no visits
        with another department or none at all.
    """

    table: str
    conditions: tuple[Condition, ...] = ()
    texts: tuple[str, ...] = ()
    every: str = field(default="", compare=False)
    whole: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "texts", tuple(self.texts))
        asked = [condition.feature for condition in self.conditions]
        if twice := next((name for name in asked if asked.count(name) > 1), None):
            raise ValueError(
                f"The rows of {spelled(self.table)} have two conditions on {twice!r}. Join the two into one condition."
            )

    @property
    def features(self) -> tuple[str, ...]:
        """The features of the table that is decided about which are needed: none, since children hold all."""
        return ()

    @property
    def extra(self) -> int:
        """What it costs beside its boundaries, in literals: those of its conditions."""
        return sum(condition.size for condition in self.conditions)

    @property
    def kind(self) -> FeatureKind:
        """The kind of the feature that holds the counts."""
        return "continuous"

    @property
    def values(self) -> tuple[bool | int, ...]:
        """The values of the feature that holds the counts: any whole number."""
        return ()

    @property
    def text(self) -> str:
        """The name of the column: `number of visits (dept = ER)`."""
        return f"number of {self.rows_text}"

    @property
    def rows_text(self) -> str:
        """The rows that count, as the rule language writes them after `at least 2`."""
        return f"{spelled(self.table)} ({' AND '.join(self.texts)})" if self.texts else spelled(self.table)

    @property
    def every_text(self) -> str:
        """The same about all rows, as the rule language writes it where no row may count; empty if it does not."""
        return f"all {spelled(self.table)} ({self.every})" if self.every else ""

    def evaluate(self, columns: Mapping[str, Column], features: Mapping[str, Feature]) -> Column:
        """Refuse: the columns of one table do not hold the rows of another."""
        raise ValueError(f"The rules count {self.rows_text}: give the table {self.table!r} by tables=.")

    def check(self, features: Mapping[str, Feature]) -> None:
        """Check the conditions against the features of the child table."""
        for condition, text in zip(self.conditions, self.texts, strict=True):
            feature = features.get(condition.feature)
            if feature is None:
                raise ValueError(f"The table {self.table!r} has no feature {condition.feature!r}.")
            if not is_crisp(condition, feature):
                raise ValueError(
                    f"The condition {text!r} on rows of {self.table!r} must hold or fail: leave out `±`, the chance "
                    "of `or missing`, and probabilities."
                )
