"""One IF-THEN sentence, what it covers, and the parts that make a program."""

from __future__ import annotations

import warnings
from dataclasses import astuple, dataclass, field
from typing import NamedTuple

from nln.rules.condition import Condition
from nln.rules.history import Edit
from nln.rules.schema import Schema, Value, plain_values


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many rows of a table a rule covers, which means a membership of at least one half.

    Parameters
    ----------
    rows, of_rows : int
        Covered rows and all rows of the table.
    hits, of_hits : int
        Covered rows of the rule's label and all rows of that label.

    Examples
    --------
    >>> Coverage(rows=231, of_rows=400, hits=190, of_hits=250).hits
    190
    """

    rows: int
    of_rows: int
    hits: int
    of_hits: int

    def __post_init__(self) -> None:
        for name in ("rows", "of_rows", "hits", "of_hits"):
            object.__setattr__(self, name, int(getattr(self, name)))
        if not (0 <= self.hits <= min(self.rows, self.of_hits) and max(self.rows, self.of_hits) <= self.of_rows):
            raise ValueError(
                f"A rule cannot cover {self.hits} of {self.of_hits} rows of its label and {self.rows} of "
                f"{self.of_rows} rows in all: a part must not be larger than the whole."
            )


def add_coverage(one: Coverage | None, other: Coverage | None) -> Coverage | None:
    """Add the counts of two sets of rows; None, which means not counted, if either is None."""
    if one is None or other is None:
        return None
    return Coverage(*map(sum, zip(astuple(one), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class Rule:
    """IF all conditions hold THEN the label is likely, the more so the larger the rule's weight.

    Parameters
    ----------
    conditions : tuple of ValueCondition and IntervalCondition
        At most one for each feature; a rule without conditions always holds.
    label : str, bool, int or float
        One of the target's outputs.
    weight : float, default=1.0
        What the rule alone adds where its conditions hold: it lowers `1 - P` of the label by this share. Several rules
        share the rows they cover, so it may be far below the share of covered rows that have the label.
    coverage : Coverage, default=None
        What the rule covers in the table that it was learned from.
    starts : tuple of int, default=None
        In how many starts of how many the rule was found; it does not count in comparisons.

    Examples
    --------
    >>> from nln.rules import ValueCondition
    >>> Rule((ValueCondition("colour", ("red", "blue")),), "yes", 0.9).size
    2
    """

    conditions: tuple[Condition, ...]
    label: Value
    weight: float = 1.0
    coverage: Coverage | None = None
    starts: tuple[int, int] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", tuple(self.conditions))
        object.__setattr__(self, "label", plain_values((self.label,), "A rule's label")[0])
        object.__setattr__(self, "weight", float(self.weight))
        if self.starts is not None:
            found, of = map(int, self.starts)
            check_starts(found, of)
            object.__setattr__(self, "starts", (found, of))

    @property
    def size(self) -> int:
        """Number of values and boundaries that the conditions use; `rule_size` adds what calculations mention."""
        return sum(condition.size for condition in self.conditions)

    @property
    def is_crisp(self) -> bool:
        """Whether every row satisfies the conditions either fully or not at all, if none is on a probability."""
        return all(condition.is_crisp for condition in self.conditions)

    @property
    def is_rarely_found(self) -> bool:
        """Whether fewer than half of the starts found the rule."""
        return self.starts is not None and 2 * self.starts[0] < self.starts[1]

    @property
    def probability(self) -> float:
        """The earlier name of `weight`."""
        warnings.warn("Rule.probability is now called Rule.weight.", DeprecationWarning, stacklevel=2)
        return self.weight


def rule_size(rule: Rule, schema: Schema) -> int:
    """Return the number of literals of a rule: its values and boundaries, and what its calculations mention."""
    return rule.size + sum(schema.extra(condition.feature) for condition in rule.conditions)


def check_starts(found: int, of: int) -> None:
    """Check in how many starts of how many a rule was found."""
    if not 0 <= found <= of or of == 0:
        raise ValueError(f"A rule cannot be found in {found} of {of} starts: a part must not be larger than the whole.")


class ProgramParts(NamedTuple):
    """What a reader of text or JSON found; `LogicProgram(*parts)` checks it and makes the program."""

    schema: Schema
    rules: tuple[Rule, ...]
    biases: tuple[float, ...]
    thresholds: tuple[float, ...]
    history: tuple[Edit, ...] = ()


def readable_probability(probability: float) -> float:
    """Round to three decimals from 0.001 to 0.999: no finite number of rows can show a probability of 0 or 1."""
    return min(max(round(float(probability), 3), 0.001), 0.999)
