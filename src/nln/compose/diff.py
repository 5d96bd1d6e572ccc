"""`diff`: which rules two programs share, which changed and how, and which only one of them has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise, permutations
from typing import Any, Literal, get_args

import numpy as np

from nln.compose.compare import Comparison, compare
from nln.compose.core.changes import ConditionChange, canonical_rule, condition_changes, pair_greedily
from nln.compose.core.frames import typed_frame
from nln.compose.core.schemas import join_schemas, under_schema
from nln.rules import Condition, Feature, IntervalCondition, LogicProgram, Rule, Schema, Value, membership
from nln.rules.cells import UNSEEN, Column
from nln.rules.language.text import conclusion_text, conditions_text, rule_line
from nln.rules.language.words import counted, number, spelled
from nln.rules.schema import DEFAULT_THRESHOLD

DiffStatus = Literal["same", "changed", "only in first", "only in second"]
STATUSES: tuple[DiffStatus, ...] = get_args(DiffStatus)

_SHOWN = 10
"""How many rows the text lists."""

ALIKE = 0.5
"""Two rules that are at least this much alike count as one rule that changed."""


@dataclass(frozen=True)
class RuleDifference:
    """A rule that both programs have, that both have in different forms, or that only one has.

    Attributes
    ----------
    status : {"same", "changed", "only in first", "only in second"}
        Which of these.
    before, after : Rule or None
        The rule of the first and of the second program, in canonical form.
    first, second : int or None
        Their numbers, from 1, in their programs.
    changes : tuple of ConditionChange
        The conditions that differ.
    """

    status: DiffStatus
    before: Rule | None
    after: Rule | None
    first: int | None
    second: int | None
    changes: tuple[ConditionChange, ...] = ()

    @property
    def rule(self) -> Rule:
        """The rule of the first program or, if it has none, of the second."""
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
        Its thresholds in both; None for several classes if neither program has thresholds.
    """

    label: Value
    bias: tuple[float, float]
    threshold: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class Difference:
    """The result of `diff`; `print` it to read it.

    Attributes
    ----------
    first, second : LogicProgram
        The programs, under one schema.
    names : tuple of two str
        Their names.
    rules : tuple of RuleDifference
        The rules of the first program in their order, then those that only the second has.
    outputs : tuple of OutputDifference
        Classes or labels whose bias or threshold differs.
    rows : Comparison or None
        How their decisions compare on rows, if rows were given.
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
        """Return the entries with one status."""
        if status not in STATUSES:
            raise ValueError(f"There is no status {status!r}; known: {', '.join(STATUSES)}.")
        return tuple(entry for entry in self.rules if entry.status == status)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; rules are numbered from 1, rows from 0."""
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
        """Return a data frame with one row for each rule.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
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


def diff(
    p: LogicProgram, q: LogicProgram, X: Any = None, *, names: tuple[str, str] = ("first", "second")
) -> Difference:
    """List the differences between two programs for the same target, rule by rule; no rows are needed.

    Rules are compared in canonical form. A rule of one program has *changed* into a rule of the other if both have the
    same label and are at least half alike: of the features that either rule asks about, one with the same condition in
    both counts 1, and one with different conditions that some value satisfies together counts one half. The most
    similar pairs are formed first, and no rule is in two pairs. A rule with the same conditions and a different
    probability has changed, too.

    Parameters
    ----------
    p, q : LogicProgram
        The programs; their features may differ, as in `merge`.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features), default=None
        Rows on which to compare the decisions of both.
    names : tuple of two str, default=("first", "second")
        The names of the programs in the text.

    Returns
    -------
    Difference
        `print` it to read it.

    Raises
    ------
    ValueError
        If the targets differ, or a column is of different kinds.

    Examples
    --------
    >>> from nln.rules import Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> p = LogicProgram.parse("IF x < 3 THEN class = yes (0.9)", schema=schema)
    >>> q = LogicProgram.parse("IF x < 4 THEN class = yes (0.9) IF x >= 9 THEN class = yes (0.8)", schema=schema)
    >>> print(diff(p, q, {"x": [1, 2, 3, 4]}))
    first has 1 rule, second has 2: 1 changed, 1 only in second.
    <BLANKLINE>
    CHANGED rule 1 of first, rule 1 of second
      IF x < 3 THEN class = yes (0.9)
        x < 3  ->  x < 4
    <BLANKLINE>
    ONLY IN second: rule 2
      IF x >= 9 THEN class = yes (0.8)
    <BLANKLINE>
    1 of 4 rows is decided differently (25.0 %); probabilities differ by 0.225 on average.
      no  ->  yes: 1 row: 2
    """
    schema = join_schemas([p.schema, q.schema])
    first, second = (under_schema(program, schema) for program in (p, q))
    old, new = ([canonical_rule(rule, program) for rule in program.rules] for program in (first, second))
    pairs = _pairs(old, new, schema)
    rules = [_rule_difference(i, j, old, new, schema) for i, j in _ordered(pairs, len(old), len(new))]
    rows = None if X is None else compare(p, q, X)
    return Difference(first, second, names, tuple(rules), _outputs(first, second), rows)


def _pairs(old: Sequence[Rule], new: Sequence[Rule], schema: Schema) -> dict[int, int]:
    """Pair each old rule with the new rule that it equals or has changed into, if any; the most alike first."""
    found = []
    for i, before in enumerate(old):
        for j, after in enumerate(new):
            alike = _likeness(before, after, schema) if before.label == after.label else 0.0
            if alike >= ALIKE:
                found.append(((-alike, abs(before.probability - after.probability)), i, j))
    return pair_greedily(found)


def _likeness(one: Rule, other: Rule, schema: Schema) -> float:
    first, second = ({c.feature: c for c in rule.conditions} for rule in (one, other))
    asked = {*first, *second}
    points = 0.0
    for name in first.keys() & second.keys():
        if first[name] == second[name]:
            points += 1.0
        elif _meet(first[name], second[name], schema[name]):
            points += 0.5
    return points / len(asked) if asked else 1.0


def _meet(one: Condition, other: Condition, feature: Feature) -> bool:
    """Whether some value, other than a missing one, satisfies both conditions by at least one half."""
    column: Column
    if feature.is_numeric:
        cuts = sorted({b.value for c in (one, other) if isinstance(c, IntervalCondition) for b in c.boundaries})
        # One point in each region that the boundaries tell apart; 0 and 1 are the ends of a probability.
        ends = [cuts[0] - 1.0, cuts[-1] + 1.0] if cuts else [0.0, 1.0]
        points = [*ends, *cuts, *((low + high) / 2 for low, high in pairwise(cuts))]
        column = np.array(points if feature.period is None else [point % feature.period for point in points])
    else:
        column = np.array([*range(len(feature.values)), UNSEEN], np.int32)
    both = np.minimum(membership(one, column, feature), membership(other, column, feature))
    return bool((both >= 0.5).any())


def _ordered(pairs: dict[int, int], n_old: int, n_new: int) -> list[tuple[int | None, int | None]]:
    """List all pairs: the rules of the first program in order, then those that only the second has."""
    matched = set(pairs.values())
    return [
        *((i, pairs.get(i)) for i in range(n_old)),
        *((None, j) for j in range(n_new) if j not in matched),
    ]


def _rule_difference(
    i: int | None, j: int | None, old: Sequence[Rule], new: Sequence[Rule], schema: Schema
) -> RuleDifference:
    before, after = None if i is None else old[i], None if j is None else new[j]
    numbers = None if i is None else i + 1, None if j is None else j + 1
    if before is None or after is None:
        return RuleDifference("only in second" if before is None else "only in first", before, after, *numbers)
    changes = condition_changes(before, after, schema, lambda one, other, feature: one == other)
    same = not changes and before.probability == after.probability
    return RuleDifference("same" if same else "changed", before, after, *numbers, changes)


def _outputs(p: LogicProgram, q: LogicProgram) -> tuple[OutputDifference, ...]:
    found = []
    # A program for several classes may have no thresholds, which is the same as equal ones.
    old, new = (program.thresholds or (DEFAULT_THRESHOLD,) * len(program.biases) for program in (p, q))
    for k, label in enumerate(p.schema.target.outputs):
        bias = p.biases[k], q.biases[k]
        threshold = (old[k], new[k]) if p.thresholds or q.thresholds else None
        if bias[0] != bias[1] or (threshold is not None and threshold[0] != threshold[1]):
            found.append(OutputDifference(label, bias, threshold))
    return tuple(found)


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
    """Yield what the first and the second program decide, where they differ, with the rows."""
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
