"""What two programs differ in, as data, as text, as a data frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import permutations
from typing import Any, Literal, get_args

import numpy as np

from nln.compose.compare import Comparison
from nln.compose.core.changes import ConditionChange
from nln.compose.core.frames import typed_frame
from nln.rules import LogicProgram, Rule, Value
from nln.rules.language.text import conclusion_text, conditions_text, rule_line
from nln.rules.language.words import counted, number, spelled

DiffStatus = Literal["same", "changed", "only in first", "only in second"]
STATUSES: tuple[DiffStatus, ...] = get_args(DiffStatus)

_SHOWN = 10
"""Rows that the text lists."""


@dataclass(frozen=True)
class RuleDifference:
    """A rule that both programs have, or have in different forms, or that only one has.

    Attributes
    ----------
    status : {"same", "changed", "only in first", "only in second"}
        Which of these.
    before, after : Rule or None
        The rule of the first program and that of the second, in canonical form.
    first, second : int or None
        Their numbers, from 1, in their programs.
    changes : tuple of ConditionChange
        Conditions that differ.
    """

    status: DiffStatus
    before: Rule | None
    after: Rule | None
    first: int | None
    second: int | None
    changes: tuple[ConditionChange, ...] = ()

    @property
    def rule(self) -> Rule:
        """The rule of the first program, else that of the second."""
        found = self.after if self.before is None else self.before
        assert found is not None
        return found


@dataclass(frozen=True)
class OutputDifference:
    """A class or label whose numbers differ.

    Attributes
    ----------
    label : str, bool, int or float
        The class or label.
    bias : tuple of two float
        Its probability where no rule fires, in the first program and in the second.
    threshold : tuple of two float, or None
        From where it is decided to hold; None for a target of several classes.
    """

    label: Value
    bias: tuple[float, float]
    threshold: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Difference:
    """The outcome of `diff`: `print` it to read it.

    Attributes
    ----------
    first, second : LogicProgram
        The programs, under one schema.
    names : tuple of two str
        What they are called.
    rules : tuple of RuleDifference
        The rules of the first program in their order, then those that only the second has.
    outputs : tuple of OutputDifference
        Classes or labels whose bias or threshold differs.
    rows : Comparison or None
        What both decide about rows, if there were any.
    """

    first: LogicProgram = field(repr=False)
    second: LogicProgram = field(repr=False)
    names: tuple[str, str]
    rules: tuple[RuleDifference, ...] = field(repr=False)
    outputs: tuple[OutputDifference, ...]
    rows: Comparison | None = field(default=None, repr=False)

    @property
    def same(self) -> bool:
        """Whether the programs have the same rules and numbers."""
        return not self.outputs and all(entry.status == "same" for entry in self.rules)

    def of(self, status: DiffStatus) -> tuple[RuleDifference, ...]:
        """Entries of one status."""
        if status not in STATUSES:
            raise ValueError(f"There is no status {status!r}; known: {', '.join(STATUSES)}.")
        return tuple(entry for entry in self.rules if entry.status == status)

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as plain data; rules are numbered from 1, rows from 0."""
        rules = [
            {**record, "changes": [asdict(change) for change in entry.changes]}
            for record, entry in zip(self._records(), self.rules, strict=True)
        ]
        outputs = [
            {
                "label": output.label,
                "bias": list(output.bias),
                "threshold": None if output.threshold is None else list(output.threshold),
            }
            for output in self.outputs
        ]
        names = dict(zip(("first", "second"), self.names, strict=True))
        return {**names, "same": self.same, "rules": rules, "outputs": outputs, "rows": self._rows_dict()}

    def to_frame(self, backend: str | None = None) -> Any:
        """Describe each rule by a row of a pandas or polars data frame.

        Parameters
        ----------
        backend : {"pandas", "polars"}, optional
            The library of the frame; by default the first of the two that is installed.
        """
        records = [
            {**record, "label": str(record["label"]), "changes": "; ".join(map(str, entry.changes))}
            for record, entry in zip(self._records(), self.rules, strict=True)
        ]
        return typed_frame(records, _TYPES, backend)

    def __str__(self) -> str:
        counts = Counter(entry.status for entry in self.rules)
        found = [f"{counts[status]} {self._called(status)}" for status in STATUSES if counts[status]]
        one, two = self.names
        head = f"{one} has {counted(self.first.n_rules, 'rule')}, {two} has {self.second.n_rules}"
        parts = [f"{head}: {', '.join(found)}." if found else f"{head}."]
        parts += [self._entry_text(entry) for status in STATUSES for entry in self.of(status)]
        if self.outputs:
            parts.append("\n".join(["OTHERWISE", *self._output_lines()]))
        if self.rows is not None:
            parts.append("\n".join([_rows_head(self.rows), *_turn_lines(self.rows)]))
        return "\n\n".join(parts)

    def _called(self, status: DiffStatus) -> str:
        called = {"only in first": f"only in {self.names[0]}", "only in second": f"only in {self.names[1]}"}
        return called.get(status, status)

    def _entry_text(self, entry: RuleDifference) -> str:
        one, two = self.names
        if entry.before is not None and entry.after is not None:
            head = f"{entry.status.upper()} rule {entry.first} of {one}, rule {entry.second} of {two}"
        else:
            head = f"ONLY IN {one if entry.after is None else two}: rule {entry.first or entry.second}"
        lines = [head, f"  {rule_line(entry.rule, self.first.schema)}", *(f"    {change}" for change in entry.changes)]
        if entry.before and entry.after and entry.before.probability != entry.after.probability:
            lines.append(f"    probability {number(entry.before.probability)}  ->  {number(entry.after.probability)}")
        return "\n".join(lines)

    def _output_lines(self) -> Iterator[str]:
        for output in self.outputs:
            conclusion = conclusion_text(self.first.schema.target, output.label)
            for text, pair in ((f"P({conclusion})", output.bias), (f"{conclusion} from", output.threshold)):
                if pair is not None and pair[0] != pair[1]:
                    yield f"  {text} {number(pair[0])}  ->  {number(pair[1])}"

    def _records(self) -> list[dict[str, Any]]:
        return [
            {
                "status": entry.status,
                "first": entry.first,
                "second": entry.second,
                "label": entry.rule.label,
                "before": entry.before and conditions_text(entry.before, self.first.schema),
                "after": entry.after and conditions_text(entry.after, self.first.schema),
                "probability before": entry.before and entry.before.probability,
                "probability after": entry.after and entry.after.probability,
            }
            for entry in self.rules
        ]

    def _rows_dict(self) -> dict[str, Any] | None:
        if self.rows is None:
            return None
        turns = [{"before": was, "after": now, "rows": places} for was, now, places in _turns(self.rows)]
        return {
            "rows": len(self.rows.decisions[0]),
            "different": len(self.rows.different),
            "agreement": self.rows.agreement,
            "difference": self.rows.difference,
            "turns": turns,
        }


_TYPES = {
    "status": "str",
    "first": "int",
    "second": "int",
    "label": "str",
    "before": "str",
    "after": "str",
    "probability before": "float",
    "probability after": "float",
    "changes": "str",
}


def _rows_head(rows: Comparison) -> str:
    total, different = len(rows.decisions[0]), len(rows.different)
    verb = "is" if different == 1 else "are"
    return (
        f"{different} of {counted(total, 'row')} {verb} decided differently ({100 * different / total:.1f} %); "
        f"probabilities differ by {rows.difference:.3g} on average."
    )


def _turn_lines(rows: Comparison) -> Iterator[str]:
    for was, now, places in _turns(rows):
        shown = ", ".join(map(str, places[:_SHOWN])) + (", ..." if len(places) > _SHOWN else "")
        yield f"  {was}  ->  {now}: {counted(len(places), 'row')}: {shown}"


def _turns(rows: Comparison) -> Iterator[tuple[str, str, list[int]]]:
    """What the first program decides and what the second one, where they differ, with the rows."""
    first, second = rows.decisions
    names = [spelled(label) for label in rows.first.schema.target.labels]
    if first.ndim == 1:
        decided = [(first, second, list(enumerate(names)))]
    else:
        decided = [(first[:, k], second[:, k], [(0, f"not {name}"), (1, name)]) for k, name in enumerate(names)]
    for one, other, choices in decided:
        for (i, was), (j, now) in permutations(choices, 2):
            places = np.flatnonzero((one == i) & (other == j)).tolist()
            if places:
                yield was, now, places
