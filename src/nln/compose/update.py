"""Update: new rows move a program's biases and counts, without the old rows; what drifts is reported."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

from nln.compose.core.rows import read_rows
from nln.compose.evidence import Evidence, Sums, evidence_from_coverage, evidence_of
from nln.rules import LogicProgram
from nln.rules.language.text import conditions_text
from nln.rules.rule import add_coverage, readable_probability
from nln.rules.summary import frame_library


@dataclass(frozen=True, slots=True)
class Drift:
    """Precision of a rule, the share of what it covers that has its label, before and in the new rows.

    Attributes
    ----------
    rule : int
        Place of the rule in the program, from 0.
    before, now : float
        Precision on the old rows and on the new rows alone; NaN if the rule covers none.
    rows_before, rows_now : float
        Rows that the rule covers.
    z : float
        Difference over its standard error if both were the same: the two-proportion z.
    drifted : bool
        Whether the difference is significant at the level asked for, for this rule alone.
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
        What the biases rest on now: give it to the next `update`.
    drift : tuple of Drift
        One entry a rule.
    """

    program: LogicProgram
    evidence: Evidence
    drift: tuple[Drift, ...]

    def to_frame(self, backend: str | None = None) -> Any:
        """Give a row per rule: conditions, precision before and now, z, and whether it drifted.

        Parameters
        ----------
        backend : {"pandas", "polars"}, optional
            The library of the frame; by default the first of the two that is installed.
        """
        columns: dict[str, list[Any]] = {
            "rule": [entry.rule + 1 for entry in self.drift],
            "label": [self.program.rules[entry.rule].label for entry in self.drift],
            "conditions": self._texts(),
        }
        for name in ("before", "now", "rows_before", "rows_now", "z", "drifted"):
            columns[name] = [getattr(entry, name) for entry in self.drift]
        return frame_library(backend).DataFrame(columns)

    def __str__(self) -> str:
        lines = [f"{sum(entry.drifted for entry in self.drift)} of {len(self.drift)} rules drifted"]
        for entry, text in zip(self.drift, self._texts(), strict=True):
            mark = "  drifted" if entry.drifted else ""
            lines.append(f"rule {entry.rule + 1}: {entry.before:.3f} -> {entry.now:.3f}  z {entry.z:.1f}{mark}  {text}")
        return "\n".join(lines)

    def _texts(self) -> list[str]:
        return [conditions_text(rule, self.program.schema) for rule in self.program.rules]


def update(program: LogicProgram, X: Any, y: Any, *, evidence: Evidence | None = None, level: float = 0.01) -> Updated:
    """Move the biases and counts of a program by new rows; the old rows are not needed.

    Precision is a ratio of sums over rows, and sums add up. A rule's bias moves in proportion to its precision,
    `a' = a p' / p` with `p` the precision before and `p'` that of old and new rows together: a bias that was the
    precision (as `adjust` makes it) stays the precision, and one that is lower because other rules share its rows stays
    as much lower. So two updates give rules the biases that one with both sets of rows gives, up to three decimals.
    Biases of outputs move in the same way with the share of uncovered rows that have the label, where old rows count as
    uncovered by the biases that the rules had then. Rules and thresholds stay.

    Parameters
    ----------
    program : LogicProgram
        The rules, with their coverage of the old rows unless `evidence` is given.
    X : table
        The new rows, in any form that `nln.rules.read_columns` takes.
    y : array-like of shape (rows,) or (rows, labels)
        Their true classes, or 0 and 1 per label.
    evidence : Evidence, optional
        Sums over the old rows, from `gather` or the last update. By default the counts of the rules' coverage stand for
        them, which is exact for crisp rules and an estimate for fuzzy ones and for the biases of outputs.
    level : float
        Level of significance for drift.

    Returns
    -------
    Updated
        The program, its evidence, and the drift of each rule.

    Examples
    --------
    >>> from nln.rules import Coverage, Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> text = "IF x < 3 THEN class = yes (0.9; covers 90 of 95 yes, 100 of 200 rows)"
    >>> program = LogicProgram.parse(text, schema=schema)
    >>> new = update(program, {"x": [0] * 50}, ["yes"] * 20 + ["no"] * 30)
    >>> new.program.rules[0].probability, new.program.rules[0].coverage.rows
    (0.733, 150)
    >>> print(new)
    1 of 1 rules drifted
    rule 1: 0.900 -> 0.400  z -6.5  drifted  x < 3
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, not {level!r}.")
    old = _old_evidence(program, evidence)
    rows = read_rows(program, X, y)
    new = evidence_of(program, rows)
    both = old + new
    counted = program.count_coverage(rows.columns, rows.truth)
    rules = tuple(
        replace(
            rule,
            probability=_moved(rule.probability, old.rules[i], both.rules[i]),
            coverage=add_coverage(rule.coverage, counted.rules[i].coverage),
        )
        for i, rule in enumerate(program.rules)
    )
    biases = tuple(_moved(bias, old.outputs[k], both.outputs[k]) for k, bias in enumerate(program.biases))
    bound = NormalDist().inv_cdf(1.0 - level / 2.0)
    drift = tuple(_drift(i, old.rules[i], new.rules[i], bound) for i in range(program.n_rules))
    return Updated(replace(program, rules=rules, biases=biases), both, drift)


def _old_evidence(program: LogicProgram, evidence: Evidence | None) -> Evidence:
    if evidence is None:
        return evidence_from_coverage(program)
    if (len(evidence.rules), len(evidence.outputs)) != (program.n_rules, len(program.biases)):
        raise ValueError(
            f"The evidence is of a program with {len(evidence.rules)} rules and {len(evidence.outputs)} outputs, but "
            f"this one has {program.n_rules} and {len(program.biases)}. Gather it for this program."
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
