"""Evidence: the sums over rows that a program's biases rest on. Sums add up, so old rows need not be kept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from nln.compose.core.rows import Rows, read_rows
from nln.compose.core.state import State
from nln.rules import LogicProgram
from nln.rules.storage.reading import Node

FORMAT, VERSION = "nln-evidence", 1


@dataclass(frozen=True, slots=True)
class Sums:
    """`total`, the sum of a quantity over all rows, and `right`, that over the rows where the label holds."""

    total: float
    right: float

    def __add__(self, other: Sums) -> Sums:
        """Add both sums."""
        return Sums(self.total + other.total, self.right + other.right)

    @property
    def share(self) -> float:
        """The right part of the total; NaN if there is nothing."""
        return self.right / self.total if self.total > 0 else math.nan


@dataclass(frozen=True, slots=True)
class Evidence:
    """Sums over the rows that a program has seen.

    Attributes
    ----------
    rows : int
        Number of rows.
    rules : tuple of Sums
        Per rule `sum r_i` and `sum_(y=1) r_i`.
    outputs : tuple of Sums
        Per output `sum (1 - p_k)` and `sum_(y=1) (1 - p_k)`, with `p_k` the probability from the rules alone.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)
    >>> found = gather(program, {"x": [0, 1, 5]}, ["yes", "no", "no"])
    >>> found.rules
    (Sums(total=2.0, right=1.0),)
    >>> Evidence.from_dict((found + found).to_dict()).rows
    6
    """

    rows: int
    rules: tuple[Sums, ...]
    outputs: tuple[Sums, ...]

    def __add__(self, other: Evidence) -> Evidence:
        """Add up the evidence of two sets of rows for the same rules."""
        rules = tuple(one + two for one, two in zip(self.rules, other.rules, strict=True))
        outputs = tuple(one + two for one, two in zip(self.outputs, other.outputs, strict=True))
        return Evidence(self.rows + other.rows, rules, outputs)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data for a JSON file; `from_dict` reads it back."""
        pairs = {name: [[sums.total, sums.right] for sums in getattr(self, name)] for name in ("rules", "outputs")}
        return {"format": FORMAT, "version": VERSION, "rows": self.rows, **pairs}

    @classmethod
    def from_dict(cls, document: Any) -> Evidence:
        """Read what `to_dict` gave; raises `ModelFormatError`, a ValueError that names the place, if it is not that."""
        node = Node(document)
        fields = node.fields(("format", "version", "rows", "rules", "outputs"))
        if fields["format"].data != FORMAT or fields["version"].data != VERSION:
            raise node.error(f"This is no {FORMAT} of version {VERSION}.")
        sums = {name: tuple(_read_sums(item) for item in fields[name].items()) for name in ("rules", "outputs")}
        return cls(fields["rows"].count(), sums["rules"], sums["outputs"])


def gather(program: LogicProgram, X: Any, y: Any) -> Evidence:
    """Sum up the evidence of a table for a program's biases.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    X : table
        Any form that `nln.rules.read_columns` takes.
    y : array-like of shape (rows,) or (rows, labels)
        The true classes, or 0 and 1 per label.

    Returns
    -------
    Evidence
        To be kept beside the program for `update`.
    """
    return evidence_of(program, read_rows(program, X, y))


def evidence_of(program: LogicProgram, rows: Rows) -> Evidence:
    """Sum up the evidence of rows that are read already."""
    state = State(program, rows)
    truth = state.truth[state.owner]
    rules = [Sums(float(r.sum()), float(r @ holds)) for r, holds in zip(state.r, truth, strict=True)]
    outputs = [Sums(float(a.sum()), float(a @ holds)) for a, holds in zip(state.absent, state.truth, strict=True)]
    return Evidence(rows.n_rows, tuple(rules), tuple(outputs))


def evidence_from_coverage(program: LogicProgram) -> Evidence:
    """Take the counts that the rules carry for evidence.

    Counts of rows with a membership of at least one half stand for sums of memberships: the same for crisp rules. How
    many rows no rule of an output covers is not counted. It is estimated as if rules covered rows independently, within
    what their counts allow, and the output's bias is taken for the share of them that has the label.

    Raises
    ------
    ValueError
        If a rule carries no counts.
    """
    for number, rule in enumerate(program.rules, 1):
        if rule.coverage is None:
            raise ValueError(
                f"Rule {number} carries no coverage, so that nothing is known of the old rows. Give `evidence`, or "
                "count it on the old rows with program.with_coverage."
            )
    covers = [rule.coverage for rule in program.rules if rule.coverage is not None]
    of_rows = max((cover.of_rows for cover in covers), default=0)
    outputs = []
    for label, bias in zip(program.schema.target.outputs, program.biases, strict=True):
        counts = [c.rows for c, rule in zip(covers, program.rules, strict=True) if rule.label == label]
        free = of_rows * float(np.prod([1.0 - count / of_rows for count in counts if of_rows]))
        free = float(np.clip(free, max(of_rows - sum(counts), 0), of_rows - max(counts, default=0)))
        outputs.append(Sums(free, free * bias))
    return Evidence(of_rows, tuple(Sums(float(c.rows), float(c.hits)) for c in covers), tuple(outputs))


def _read_sums(node: Node) -> Sums:
    numbers = [item.number() for item in node.items()]
    if len(numbers) != 2 or not 0 <= numbers[1] <= numbers[0]:
        raise node.wrong("be two numbers, the total and a part of it")
    return Sums(*numbers)
