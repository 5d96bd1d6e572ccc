"""What a child table looks like: the rows of another table that belong to each row of the one that is decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nln.rules.schema import Feature

FROM_LAST = "from_last"
"""Name of the feature that counts the rows of a bag from the last one, where the table has an order."""


@dataclass(frozen=True, slots=True)
class ChildTable:
    """A table whose rows belong to rows of another: the visits of patients, the cars of trains.

    Parameters
    ----------
    name : str
        What rules call its rows: `some visits (...)`.
    key : str
        The column that says which row of the other table a row belongs to.
    features : tuple of Feature, default=()
        What conditions may ask of a row; the key is not among them.
    parent_key : str, default=None
        The column of the other table that the key repeats. By default it has the name of the key. Empty text stands for
        the number of the row, counted from 0.
    order : str, default=None
        A column of numbers or dates that orders the rows of a bag. The feature `from_last` then counts them from the
        last one, which is 1.

    Examples
    --------
    >>> from nln.rules import Feature
    >>> ChildTable("visits", "patient", (Feature("dept", "categorical", ("ER", "eye")),)).parent_key
    'patient'
    """

    name: str
    key: str
    features: tuple[Feature, ...] = ()
    parent_key: str | None = None
    order: str | None = None
    by_name: Mapping[str, Feature] = field(init=False, repr=False, compare=False)
    """The features by their names, in order."""

    def __post_init__(self) -> None:
        for what, text in (("The name", self.name), ("The key", self.key)):
            if not isinstance(text, str) or not text:
                raise TypeError(f"{what} of a child table is text, not {text!r}.")
        object.__setattr__(self, "features", tuple(self.features))
        object.__setattr__(self, "parent_key", self.key if self.parent_key is None else self.parent_key)
        object.__setattr__(self, "by_name", {feature.name: feature for feature in self.features})
        if len(self.by_name) < len(self.features):
            raise ValueError(f"The child table {self.name!r} has two features of one name. Rename one.")
        if calculated := [f.name for f in self.features if f.derived is not None]:
            raise ValueError(f"The child table {self.name!r} holds {calculated[0]!r}, which is calculated.")

    @property
    def is_by_position(self) -> bool:
        """Whether keys are numbers of rows of the other table."""
        return not self.parent_key

    @property
    def made(self) -> frozenset[str]:
        """Names of the features that are made from the order and are no columns of the table."""
        return frozenset() if self.order is None else frozenset((FROM_LAST,))

    def __getitem__(self, name: str) -> Feature:
        return self.by_name[name]
