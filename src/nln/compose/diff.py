"""`diff`: which rules two programs share, which changed and how, and which only one of them has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, permutations
from typing import Any, Literal, get_args

import numpy as np

from nln.compose.compare import Comparison, compare
from nln.compose.core.changes import ConditionChange, canonical_rule, condition_changes, pair_greedily
from nln.compose.core.results import plain, row_list, typed_frame, with_status
from nln.compose.core.schemas import join_schemas, under_schema
from nln.rules import Condition, Feature, IntervalCondition, LogicProgram, Rule, Schema, Value, membership
from nln.rules.cells import UNSEEN, Column
from nln.rules.children.reading import Tables
from nln.rules.language.text import conclusion_text, conditions_text, rule_line
from nln.rules.language.words import counted, number, spelled
from nln.rules.schema import DEFAULT_THRESHOLD

DiffStatus = Literal["same", "changed", "only in first", "only in second"]
STATUSES: tuple[DiffStatus, ...] = get_args(DiffStatus)

_NUMBERS, _WEIGHTS = ("first", "second"), ("weight before", "weight after")
_COLUMNS = ("status", *_NUMBERS, "label", "before", "after", *_WEIGHTS, "changes")

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
        return with_status(self.rules, status, STATUSES)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data; rules are numbered from 1, rows from 0."""
        rows = None
        if self.rows is not None:
            rows = {
                "rows": len(self.rows.decisions[0]),
                "different": len(self.rows.different),
                "agreement": self.rows.agreement,
                "difference": self.rows.difference,
                "turns": [{"before": was, "after": now, "rows": places} for was, now, places in _turns(self.rows)],
            }
        return {
            "first": self.names[0],
            "second": self.names[1],
            "same": self.same,
            "rules": [{**self._record(entry), "changes": list(map(plain, entry.changes))} for entry in self.rules],
            "outputs": list(map(plain, self.outputs)),
            "rows": rows,
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row for each rule.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            The library of the frame; by default the first of the two that is installed.
        """
        records = [
            {**self._record(entry), "label": str(entry.rule.label), "changes": "; ".join(map(str, entry.changes))}
            for entry in self.rules
        ]
        return typed_frame(records, _COLUMNS, backend, ints=_NUMBERS, floats=_WEIGHTS)

    def __str__(self) -> str:
        one, two = self.names
        counts = Counter(entry.status for entry in self.rules)
        texts = "same", "changed", f"only in {one}", f"only in {two}"
        found = [f"{counts[status]} {text}" for status, text in zip(STATUSES, texts, strict=True) if counts[status]]
        head = f"{one} has {counted(self.first.n_rules, 'rule')}, {two} has {self.second.n_rules}"
        parts = [f"{head}: {', '.join(found)}." if found else f"{head}."]
        parts += [self._entry_text(entry) for status in STATUSES for entry in self.of(status)]
        if self.outputs:
            parts.append("\n".join(["OTHERWISE", *self._output_lines()]))
        if self.rows is not None:
            parts.append(_rows_text(self.rows))
        return "\n\n".join(parts)

    def _entry_text(self, entry: RuleDifference) -> str:
        one, two = self.names
        if entry.before is not None and entry.after is not None:
            head = f"{entry.status.upper()} rule {entry.first} of {one}, rule {entry.second} of {two}"
        else:
            head = f"ONLY IN {one if entry.after is None else two}: rule {entry.first or entry.second}"
        lines = [head, f"  {rule_line(entry.rule, self.first.schema)}", *(f"    {change}" for change in entry.changes)]
        if entry.before and entry.after and entry.before.weight != entry.after.weight:
            lines.append(f"    weight {number(entry.before.weight)}  ->  {number(entry.after.weight)}")
        return "\n".join(lines)

    def _output_lines(self) -> Iterator[str]:
        for output in self.outputs:
            conclusion = conclusion_text(self.first.schema.target, output.label)
            for text, pair in ((f"P({conclusion})", output.bias), (f"{conclusion} from", output.threshold)):
                if pair is not None and pair[0] != pair[1]:
                    yield f"  {text} {number(pair[0])}  ->  {number(pair[1])}"

    def _record(self, entry: RuleDifference) -> dict[str, Any]:
        return {
            "status": entry.status,
            "first": entry.first,
            "second": entry.second,
            "label": entry.rule.label,
            "before": entry.before and conditions_text(entry.before, self.first.schema),
            "after": entry.after and conditions_text(entry.after, self.first.schema),
            "weight before": entry.before and entry.before.weight,
            "weight after": entry.after and entry.after.weight,
        }


def diff(
    p: LogicProgram,
    q: LogicProgram,
    X: Any = None,
    *,
    names: tuple[str, str] = ("first", "second"),
    tables: Tables | None = None,
) -> Difference:
    """List the differences between two programs for the same target, rule by rule; no rows are needed.

    Rules are compared in canonical form. A rule of one program has *changed* into a rule of the other if both have the
    same label and are at least half alike: of the features that either rule asks about, one with the same condition in
    both counts 1, and one with different conditions that some value satisfies together counts one half. The most
    similar pairs are formed first, and no rule is in two pairs. A rule with the same conditions and a different
    weight has changed, too.

    Parameters
    ----------
    p, q : LogicProgram
        The programs; their features may differ, as in `merge`.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features), default=None
        Rows on which to compare the decisions of both.
    names : tuple of two str, default=("first", "second")
        The names of the programs in the text.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    Difference

    Raises
    ------
    ValueError
        If the targets differ, or a column is of different kinds.

    Examples
    --------
    >>> from nln.rules import Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> p = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.9)", schema=schema)
    >>> text = "IF x < 4 THEN class = yes (weight 0.9) IF x >= 9 THEN class = yes (weight 0.8)"
    >>> q = LogicProgram.parse(text, schema=schema)
    >>> print(diff(p, q, {"x": [1, 2, 3, 4]}))
    first has 1 rule, second has 2: 1 changed, 1 only in second.
    <BLANKLINE>
    CHANGED rule 1 of first, rule 1 of second
      IF x < 3 THEN class = yes (weight 0.9)
        x < 3  ->  x < 4
    <BLANKLINE>
    ONLY IN second: rule 2
      IF x >= 9 THEN class = yes (weight 0.8)
    <BLANKLINE>
    1 of 4 rows is decided differently (25.0 %); probabilities differ by 0.225 on average.
      no  ->  yes: 1 row: 2
    """
    schema = join_schemas([p.schema, q.schema])
    first, second = (under_schema(program, schema) for program in (p, q))
    old, new = ([canonical_rule(rule, program) for rule in program.rules] for program in (first, second))
    rules = tuple(_rule_differences(old, new, schema))
    rows = None if X is None else compare(p, q, X, tables=tables)
    return Difference(first, second, names, rules, _outputs(first, second), rows)


def _rule_differences(old: Sequence[Rule], new: Sequence[Rule], schema: Schema) -> Iterator[RuleDifference]:
    pairs = _pairs(old, new, schema)
    for i, before in enumerate(old):
        if i not in pairs:
            yield RuleDifference("only in first", before, None, i + 1, None)
            continue
        after = new[pairs[i]]
        changes = condition_changes(before, after, schema)
        same = not changes and before.weight == after.weight
        yield RuleDifference("same" if same else "changed", before, after, i + 1, pairs[i] + 1, changes)
    matched = set(pairs.values())
    for j, after in enumerate(new):
        if j not in matched:
            yield RuleDifference("only in second", None, after, None, j + 1)


def _pairs(old: Sequence[Rule], new: Sequence[Rule], schema: Schema) -> dict[int, int]:
    """Pair each old rule with the new rule that it equals or has changed into, if any; the most alike first."""
    found = []
    for i, before in enumerate(old):
        for j, after in enumerate(new):
            alike = _likeness(before, after, schema) if before.label == after.label else 0.0
            if alike >= ALIKE:
                found.append(((-alike, abs(before.weight - after.weight)), i, j))
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


def _outputs(p: LogicProgram, q: LogicProgram) -> tuple[OutputDifference, ...]:
    # A program for several classes may have no thresholds, which is the same as equal ones.
    old, new = (program.thresholds or (DEFAULT_THRESHOLD,) * len(program.biases) for program in (p, q))
    found = []
    for k, label in enumerate(p.schema.target.outputs):
        bias, threshold = (p.biases[k], q.biases[k]), (old[k], new[k])
        if bias[0] != bias[1] or threshold[0] != threshold[1]:
            found.append(OutputDifference(label, bias, threshold if p.thresholds or q.thresholds else None))
    return tuple(found)


def _rows_text(rows: Comparison) -> str:
    total, different = len(rows.decisions[0]), len(rows.different)
    verb = "is" if different == 1 else "are"
    head = (
        f"{different} of {counted(total, 'row')} {verb} decided differently ({100 * different / total:.1f} %); "
        f"probabilities differ by {rows.difference:.3g} on average."
    )
    turns = [f"  {was}  ->  {now}: {counted(len(at), 'row')}: {row_list(at)}" for was, now, at in _turns(rows)]
    return "\n".join([head, *turns])


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
