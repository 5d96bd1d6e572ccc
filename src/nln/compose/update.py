"""`update`: new rows change a program's biases and counts without the old rows, and drift is reported."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from nln.compose.core.results import rule_texts
from nln.compose.core.rows import Rows, read_rows
from nln.compose.core.state import State
from nln.rules import LogicProgram
from nln.rules.children.reading import Tables
from nln.rules.rule import add_coverage, readable_probability
from nln.rules.storage.reading import Node
from nln.rules.summary import frame_library
from nln.scores import Bools, Floats

FORMAT, VERSION = "nln-evidence", 1


@dataclass(frozen=True, slots=True)
class Sums:
    """The sum of a quantity over all rows (`total`) and over the rows where the label holds (`right`)."""

    total: float
    right: float

    def __add__(self, other: Sums) -> Sums:
        """Add both sums."""
        return Sums(self.total + other.total, self.right + other.right)

    @property
    def share(self) -> float:
        """`right / total`; NaN if the total is 0."""
        return self.right / self.total if self.total > 0 else math.nan


@dataclass(frozen=True, slots=True)
class Evidence:
    """The sums over rows that a program's biases rest on. Sums add up, so old rows need not be kept.

    Attributes
    ----------
    rows : int
        Number of rows.
    rules : tuple of Sums
        `sum r_i` and `sum_(y=1) r_i` for each rule.
    outputs : tuple of Sums
        `sum (1 - p_k)` and `sum_(y=1) (1 - p_k)` for each output, where `p_k` is the probability from the rules alone.

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
        """Add the evidence of two sets of rows for the same rules."""
        rules = tuple(one + two for one, two in zip(self.rules, other.rules, strict=True))
        outputs = tuple(one + two for one, two in zip(self.outputs, other.outputs, strict=True))
        return Evidence(self.rows + other.rows, rules, outputs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for a JSON file; `from_dict` reads it back."""
        pairs = {name: [[sums.total, sums.right] for sums in getattr(self, name)] for name in ("rules", "outputs")}
        return {"format": FORMAT, "version": VERSION, "rows": self.rows, **pairs}

    @classmethod
    def from_dict(cls, document: Any) -> Evidence:
        """Read what `to_dict` returned; raise `ModelFormatError`, a ValueError, if it is malformed."""
        node = Node(document)
        fields = node.fields(("format", "version", "rows", "rules", "outputs"))
        if fields["format"].data != FORMAT or fields["version"].data != VERSION:
            raise node.error(f"This is no {FORMAT} of version {VERSION}.")
        sums = {name: tuple(_read_sums(item) for item in fields[name].items()) for name in ("rules", "outputs")}
        return cls(fields["rows"].count(), sums["rules"], sums["outputs"])


@dataclass(frozen=True, slots=True)
class Drift:
    """The precision of a rule (the share of the rows it covers that have its label) in the old and in the new rows.

    Attributes
    ----------
    rule : int
        Index of the rule in the program, from 0.
    before, now : float
        Precision on the old rows and on the new rows alone; NaN if the rule covers none.
    rows_before, rows_now : float
        Number of rows that the rule covers.
    z : float
        The two-proportion z: the difference over its standard error, assuming that both precisions are the same.
    drifted : bool
        Whether the difference is significant at the given level, for this rule alone.
    """

    rule: int
    before: float
    now: float
    rows_before: float
    rows_now: float
    z: float
    drifted: bool


@dataclass(frozen=True, eq=False)
class Updated:
    """A program after new rows.

    Attributes
    ----------
    program : LogicProgram
        The same rules with new biases and counts.
    evidence : Evidence
        The evidence for these biases, for the next `update`.
    drift : tuple of Drift
        One entry for each rule.
    """

    program: LogicProgram
    evidence: Evidence
    drift: tuple[Drift, ...]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with a row per rule: conditions, precision before and now, z, and whether it drifted.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            The library of the frame; by default the first of the two that is installed.
        """
        columns: dict[str, list[Any]] = {
            "rule": [entry.rule + 1 for entry in self.drift],
            "label": [rule.label for rule in self.program.rules],
            "conditions": rule_texts(self.program),
        }
        for name in ("before", "now", "rows_before", "rows_now", "z", "drifted"):
            columns[name] = [getattr(entry, name) for entry in self.drift]
        return frame_library(backend).DataFrame(columns)

    def __str__(self) -> str:
        lines = [f"{sum(entry.drifted for entry in self.drift)} of {len(self.drift)} rules drifted"]
        for entry, text in zip(self.drift, rule_texts(self.program), strict=True):
            mark = "  drifted" if entry.drifted else ""
            lines.append(f"rule {entry.rule + 1}: {entry.before:.3f} -> {entry.now:.3f}  z {entry.z:.1f}{mark}  {text}")
        return "\n".join(lines)


def gather(program: LogicProgram, X: Any, y: Any, *, tables: Tables | None = None) -> Evidence:
    """Sum the evidence of a table for a program's biases.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        The true classes, or 0 and 1 for each label.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    Evidence
        Keep it with the program for `update`.
    """
    return _evidence_of(program, read_rows(program, X, y, tables))


def update(
    program: LogicProgram,
    X: Any,
    y: Any,
    *,
    evidence: Evidence | None = None,
    level: float = 0.01,
    tables: Tables | None = None,
) -> Updated:
    """Update the biases and counts of a program with new rows; the old rows are not needed.

    Precision is a ratio of sums over rows, and sums add up. A rule's bias moves in proportion to its precision,
    `a' = a p' / p`, where `p` is the precision before and `p'` that of old and new rows together. A bias that was equal
    to the precision (as `adjust` makes it) stays equal, and one that is lower because other rules share its rows keeps
    that ratio. Two updates therefore give the same biases as one update with both sets of rows, up to three decimals.
    Biases of outputs move in the same way with the share of uncovered rows that have the label, where old rows count as
    uncovered according to the biases that the rules had at the time. Rules and thresholds do not change.

    Parameters
    ----------
    program : LogicProgram
        The rules, with their coverage of the old rows unless `evidence` is given.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features)
        The new rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        Their true classes, or 0 and 1 for each label.
    evidence : Evidence, default=None
        Sums over the old rows, from `gather` or the last update. If None, the coverage of the rules is used instead,
        which is exact for crisp rules and an estimate for fuzzy rules and for the biases of outputs.
    level : float, default=0.01
        Significance level for drift.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    Updated

    Examples
    --------
    >>> from nln.rules import Coverage, Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> text = "IF x < 3 THEN class = yes (100 rows, 90 % yes; 90 of 95 yes in 200 rows; weight 0.9)"
    >>> program = LogicProgram.parse(text, schema=schema)
    >>> new = update(program, {"x": [0] * 50}, ["yes"] * 20 + ["no"] * 30)
    >>> new.program.rules[0].weight, new.program.rules[0].coverage.rows
    (0.733, 150)
    >>> print(new)
    1 of 1 rules drifted
    rule 1: 0.900 -> 0.400  z -6.5  drifted  x < 3
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, not {level!r}.")
    old = _old_evidence(program, evidence)
    rows = read_rows(program, X, y, tables)
    new = _evidence_of(program, rows)
    both = old + new
    counted = program.count_coverage(rows.columns, rows.truth)
    rules = tuple(
        replace(
            rule,
            weight=_moved(rule.weight, old.rules[i], both.rules[i]),
            coverage=add_coverage(rule.coverage, counted.rules[i].coverage),
        )
        for i, rule in enumerate(program.rules)
    )
    biases = tuple(_moved(bias, old.outputs[k], both.outputs[k]) for k, bias in enumerate(program.biases))
    bound = NormalDist().inv_cdf(1.0 - level / 2.0)
    drift = tuple(_drift(i, old.rules[i], new.rules[i], bound) for i in range(program.n_rules))
    return Updated(replace(program, rules=rules, biases=biases), both, drift)


def _evidence_of(program: LogicProgram, rows: Rows) -> Evidence:
    """Sum the evidence of rows that were read already."""
    state = State(program, rows)
    truth = state.truth[state.owner]
    rules = [_sums(r, holds) for r, holds in zip(state.r, truth, strict=True)]
    outputs = [_sums(absent, holds) for absent, holds in zip(state.absent, state.truth, strict=True)]
    return Evidence(rows.n_rows, tuple(rules), tuple(outputs))


def _sums(quantity: Floats, holds: Bools) -> Sums:
    """Sum a quantity; sums of the same numbers in another order may differ in the last digit."""
    total = float(quantity.sum())
    return Sums(total, min(float(quantity @ holds), total))


def _evidence_from_coverage(program: LogicProgram) -> Evidence:
    """Use the coverage of the rules as evidence.

    Counts of rows with a membership of at least one half replace the sums of memberships, which is exact for crisp
    rules. The number of rows that no rule of an output covers is not known: it is estimated as if the rules covered
    rows independently, within what their counts allow, and the output's bias is taken as the share of them with the
    label.
    """
    for number, rule in enumerate(program.rules, 1):
        if rule.coverage is None:
            raise ValueError(
                f"Rule {number} has no coverage, so nothing is known about the old rows. Give `evidence`, or count the "
                "coverage on the old rows with program.with_coverage."
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


def _old_evidence(program: LogicProgram, evidence: Evidence | None) -> Evidence:
    if evidence is None:
        return _evidence_from_coverage(program)
    if (len(evidence.rules), len(evidence.outputs)) != (program.n_rules, len(program.biases)):
        raise ValueError(
            f"The evidence belongs to a program with {len(evidence.rules)} rules and {len(evidence.outputs)} outputs, "
            f"but this one has {program.n_rules} and {len(program.biases)}. Gather it for this program."
        )
    return evidence


def _moved(bias: float, old: Sums, both: Sums) -> float:
    if both == old:
        return bias
    if not old.right > 0:
        return readable_probability(both.share)
    return readable_probability(bias * both.share / old.share)


def _drift(i: int, old: Sums, new: Sums, bound: float) -> Drift:
    z = math.nan
    if old.total > 0 and new.total > 0:
        together = (old + new).share
        error = math.sqrt(max(together * (1.0 - together), 0.0) * (1.0 / old.total + 1.0 / new.total))
        z = (new.share - old.share) / error if error > 0 else 0.0
    return Drift(i, old.share, new.share, old.total, new.total, z, abs(z) > bound)
