"""What became of taught rules: an entry a rule, as data, as text, as a data frame."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from nln.compose.core.changes import ConditionChange
from nln.compose.core.frames import typed_frame
from nln.rules import LogicProgram, Rule, Schema
from nln.rules.language.text import conclusion_text
from nln.rules.language.words import counted
from nln.rules.row import rounded
from nln.rules.summary import conditions_text

Status = Literal["kept", "sharpened", "contradicted", "redundant", "unsupported", "new"]
STATUSES: tuple[Status, ...] = get_args(Status)

_SHOWN = 10
"""Rows that the text lists."""


@dataclass(frozen=True)
class TaughtRule:
    """What became of one rule.

    Parameters
    ----------
    status : {"kept", "sharpened", "contradicted", "redundant", "unsupported", "new"}
        Kept with its conditions; sharpened, with other conditions that cover much the same rows; contradicted by rows
        that it covers and that do not have its label; redundant, since learned rules cover its rows; unsupported, since
        too few rows satisfy it; or new, a learned rule that nobody taught.
    taught, learned : Rule or None
        The rule as taught, and the learned rule that stands for it.
    taught_number, learned_number : int or None
        Their numbers, from 1, in the text given and in the learned program.
    changes : tuple of ConditionChange
        Conditions that differ.
    n_covered : int
        Rows that the taught rule covers (the learned rule, if it is new).
    against : tuple of int
        Those of these rows that do not have its label: numbers of rows of the table, from 0.
    covered_by : tuple of int
        Numbers of the learned rules that cover the label's rows of a rule that was not kept.
    similarity : float or None
        Share of the rows covered by either rule that both cover.
    """

    status: Status
    taught: Rule | None
    learned: Rule | None
    taught_number: int | None
    learned_number: int | None
    changes: tuple[ConditionChange, ...] = ()
    n_covered: int = 0
    against: tuple[int, ...] = ()
    covered_by: tuple[int, ...] = ()
    similarity: float | None = None


@dataclass(frozen=True)
class TeachingReport:
    """The outcome of teaching: `print` it to read it.

    Parameters
    ----------
    model : NLNClassifier
        The fitted classifier.
    taught : LogicProgram
        The rules as given.
    entries : tuple of TaughtRule
        The taught rules in their order, then the new ones.
    """

    model: Any = field(repr=False)
    taught: LogicProgram
    entries: tuple[TaughtRule, ...] = field(repr=False)

    @property
    def program(self) -> LogicProgram:
        """The learned program."""
        program: LogicProgram = self.model.program_
        return program

    def of(self, status: Status) -> tuple[TaughtRule, ...]:
        """Entries of one status."""
        if status not in STATUSES:
            raise ValueError(f"There is no status {status!r}; known: {', '.join(STATUSES)}.")
        return tuple(entry for entry in self.entries if entry.status == status)

    def to_frame(self, backend: str | None = None) -> Any:
        """Describe each entry by a row of a pandas or polars data frame.

        Parameters
        ----------
        backend : {"pandas", "polars"}, optional
            The library of the frame; by default the first of the two that is installed.
        """
        return typed_frame([self._record(entry) for entry in self.entries], _TYPES, backend)

    def __str__(self) -> str:
        counts = Counter(entry.status for entry in self.entries)
        found = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        head = f"{counted(self.taught.n_rules, 'rule')} taught, {self.program.n_rules} learned: {found or 'none'}."
        return "\n\n".join([head, *(_entry_text(entry, self.program.schema) for entry in self.entries)])

    def _record(self, entry: TaughtRule) -> dict[str, Any]:
        features = {feature.name: feature for feature in self.program.schema.features}
        rule = entry.taught or entry.learned
        return {
            "status": entry.status,
            "taught": entry.taught_number,
            "learned": entry.learned_number,
            "label": None if rule is None else str(rule.label),
            "before": entry.taught and conditions_text(entry.taught, features),
            "after": entry.learned and conditions_text(entry.learned, features),
            "changes": "; ".join(map(str, entry.changes)),
            "rows": entry.n_covered,
            "against": len(entry.against),
            "similarity": entry.similarity,
        }


_TYPES = {
    "status": "str",
    "taught": "int",
    "learned": "int",
    "label": "str",
    "before": "str",
    "after": "str",
    "changes": "str",
    "rows": "int",
    "against": "int",
    "similarity": "float",
}


def _entry_text(entry: TaughtRule, schema: Schema) -> str:
    lines = [f"{entry.status.upper()} {_heading(entry)}"]
    if entry.taught is not None and entry.status != "kept":
        lines.append(f"  {_sentence(entry.taught, schema, None)}")
    lines += [f"    {change}" for change in entry.changes]
    if entry.learned is not None:
        lines.append(f"  {_sentence(entry.learned, schema, entry.learned.probability)}")
    if entry.against:
        shown = ", ".join(map(str, entry.against[:_SHOWN])) + (", ..." if len(entry.against) > _SHOWN else "")
        lines.append(f"  against it: {len(entry.against)} of {counted(entry.n_covered, 'row')} that it covers: {shown}")
    if entry.covered_by:
        rules = ", ".join(map(str, entry.covered_by))
        lines.append(f"  its other rows are covered by {'rule' if len(entry.covered_by) == 1 else 'rules'} {rules}")
    return "\n".join(lines)


def _heading(entry: TaughtRule) -> str:
    if entry.taught_number is None:
        return f"rule {entry.learned_number} of the program"
    if entry.learned_number is None:
        return f"rule {entry.taught_number} as taught"
    return f"rule {entry.taught_number} as taught, rule {entry.learned_number} of the program"


def _sentence(rule: Rule, schema: Schema, probability: float | None) -> str:
    features = {feature.name: feature for feature in schema.features}
    chance = "" if probability is None else f" ({rounded(probability)})"
    return f"IF {conditions_text(rule, features)} THEN {conclusion_text(schema.target, rule.label)}{chance}"
