"""`edit`: add, drop and change rules and conditions by hand; each edit is checked, scored and recorded."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from nln.compose.core.measure import Scores, measure
from nln.compose.core.results import typed_frame
from nln.rules import Condition, Edit, LogicProgram, Rule, Schema
from nln.rules.children.reading import Tables
from nln.rules.history import Action, utc_time
from nln.rules.language.text import conclusion_text, rule_line
from nln.rules.validate import listed

_COUNTS, _SHARES = ("rules", "rows", "covered"), ("accuracy", "f1")


@dataclass(frozen=True, eq=False)
class Edited:
    """A program that is being edited. Each method returns a new one with one more edit; `print` it to see the changes.

    Attributes
    ----------
    original, program : LogicProgram
        The program before and after the edits; `program.history` lists them.
    before, after : Scores or None
        The scores of both on the rows given; None without rows.
    author : str
        Who edits.
    time : str or None
        The time of all edits; None for the present time at each edit.
    """

    original: LogicProgram
    program: LogicProgram
    before: Scores | None
    after: Scores | None
    author: str = ""
    time: str | None = None
    _data: tuple[Any, Any, Tables | None] | None = field(default=None, repr=False)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits since `original`, the oldest first."""
        return self.program.history[len(self.original.history) :]

    def add(self, text: str, *, rule: int | None = None, reason: str = "") -> Edited:
        """Add a rule at the end, or a condition to a rule.

        Parameters
        ----------
        text : str
            `IF ... THEN ...`; or, with `rule`, a condition such as `age < 30`.
        rule : int, default=None
            Number, from 1, of the rule that gets the condition.
        reason : str, default=""
            The reason for the edit.
        """
        if rule is None:
            new, schema = _read_rule(text, self.program.schema)
            return self._with("add", self.program.n_rules + 1, new, reason, schema)
        old = self._rule(rule)
        condition, schema = _read_condition(text, old, self.program.schema)
        if condition.feature in _asked(old):
            raise ValueError(f"Rule {rule} has a condition on {condition.feature!r} already; change it with `change`.")
        return self._with("change", rule, _with_conditions(old, (*old.conditions, condition)), reason, schema)

    def drop(self, rule: int, feature: str | None = None, *, reason: str = "") -> Edited:
        """Drop a rule, or its condition on a feature.

        Parameters
        ----------
        rule : int
            Number of the rule, from 1. The rules after a dropped rule move up.
        feature : str, default=None
            The feature whose condition is dropped; by default the whole rule is.
        reason : str, default=""
            The reason for the edit.
        """
        old = self._rule(rule)
        if feature is None:
            return self._with("drop", rule, None, reason)
        _check_asked(rule, old, feature, "")
        if len(old.conditions) == 1:
            raise ValueError(
                f"The condition on {feature!r} is the only one of rule {rule}, which would always hold without it. "
                "Drop the rule, or change it to `IF always THEN ...`."
            )
        kept = tuple(condition for condition in old.conditions if condition.feature != feature)
        return self._with("change", rule, _with_conditions(old, kept), reason)

    def change(self, rule: int, text: str, *, reason: str = "") -> Edited:
        """Replace a rule, or its condition on a feature.

        Parameters
        ----------
        rule : int
            Number of the rule, from 1.
        text : str
            `IF ... THEN ...`, or a condition such as `age < 30`, which does not change the rule's weight.
        reason : str, default=""
            The reason for the edit.
        """
        old = self._rule(rule)
        if isinstance(text, str) and text.upper().split(maxsplit=1)[:1] == ["IF"]:
            new, schema = _read_rule(text, self.program.schema)
            return self._with("change", rule, new, reason, schema)
        condition, schema = _read_condition(text, old, self.program.schema)
        _check_asked(rule, old, condition.feature, f" Add the condition with `add(text, rule={rule})`.")
        conditions = tuple(condition if c.feature == condition.feature else c for c in old.conditions)
        return self._with("change", rule, _with_conditions(old, conditions), reason, schema)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with the scores before and after; they are missing without rows.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            The library of the frame; by default the first of the two that is installed.
        """
        records = []
        for name, program, scores in (("before", self.original, self.before), ("after", self.program, self.after)):
            known = {key: getattr(scores, key, None) for key in (*_COUNTS, *_SHARES)}
            records.append({**known, "program": name, "rules": program.n_rules})
        return typed_frame(records, ("program", *_COUNTS, *_SHARES), backend, ints=_COUNTS, floats=_SHARES)

    def __str__(self) -> str:
        lines = [str(edit) for edit in self.edits] or ["no edits"]
        if self.before is None or self.after is None:
            lines.append(f"rules: {self.original.n_rules} -> {self.program.n_rules}")
            return "\n".join(lines)
        one, two = self.before, self.after
        lines.append(f"rules: {one.rules} -> {two.rules}; rows covered: {one.covered} -> {two.covered} of {one.rows}")
        lines.append(f"accuracy: {one.accuracy:.4f} -> {two.accuracy:.4f}; F1: {one.f1:.4f} -> {two.f1:.4f}")
        return "\n".join(lines)

    def _rule(self, rule: int) -> Rule:
        n_rules = self.program.n_rules
        if isinstance(rule, bool) or not isinstance(rule, int):
            raise TypeError(f"A rule is named by its number, not by {rule!r}.")
        if not 1 <= rule <= n_rules:
            allowed = f"rules 1 to {n_rules}" if n_rules else "no rules"
            raise ValueError(f"There is no rule {rule}: the program has {allowed}.")
        return self.program.rules[rule - 1]

    def _with(self, action: Action, place: int, new: Rule | None, reason: str, schema: Schema | None = None) -> Edited:
        """Replace, add or drop the rule at a place (from 1), and record the edit; a new rule may calculate more."""
        rules, schema = self.program.rules, schema or self.program.schema
        before = None if action == "add" else rule_line(rules[place - 1], schema)
        after = None if new is None else rule_line(new, schema)
        edit = Edit(action, place, before, after, self.author, self.time or utc_time(), reason)
        rules = (*rules[: place - 1], *(() if new is None else (new,)), *rules[place:])
        program = replace(self.program, schema=schema, rules=rules, history=(*self.program.history, edit))
        if self._data is None:
            return replace(self, program=program)
        X, y, tables = self._data
        counted = program.with_coverage(X, y, tables=tables)
        return replace(self, program=counted, after=measure(program, X, y, tables=tables))


def edit(
    program: LogicProgram,
    X: Any = None,
    y: Any = None,
    *,
    author: str = "",
    time: str | datetime | None = None,
    tables: Tables | None = None,
) -> Edited:
    """Start to edit the rules of a program by hand; the program itself does not change.

    Every edit is checked against the schema and recorded in the history of the new program, which the model file keeps.

    Parameters
    ----------
    program : LogicProgram
        The rules.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features), default=None
        Rows to score the program on, before and after; the coverage of all rules is counted on them.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        The true classes, or 0 and 1 for each label.
    author : str, default=""
        Who edits.
    time : str or datetime, default=None
        The time of the edits, with an offset from UTC; by default the present time at each edit.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    Edited
        Its methods `add`, `drop` and `change` take the present numbers of rules; `program` is the edited program.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.9)", schema=schema)
    >>> rows = {"x": [1, 2, 3, 8]}, ["yes", "yes", "yes", "no"]
    >>> edited = edit(program, *rows, author="Ada", time="2026-01-02T03:04:05Z")
    >>> print(edited.change(1, "x < 4", reason="too narrow"))
    2026-01-02T03:04:05Z Ada: change rule 1 (too narrow)
      - IF x < 3 THEN class = yes (weight 0.9)
      + IF x < 4 THEN class = yes (weight 0.9)
    rules: 1 -> 1; rows covered: 2 -> 3 of 4
    accuracy: 0.7500 -> 1.0000; F1: 0.8000 -> 1.0000
    """
    if not isinstance(program, LogicProgram):
        raise TypeError(f"edit takes a LogicProgram, such as `model.program_`, not {type(program).__name__}.")
    if (X is None) != (y is None):
        raise ValueError("edit scores on X and y together: give both or neither.")
    if not isinstance(author, str):
        raise TypeError(f"author must be text, not {author!r}.")
    data = None if X is None else (X, y, tables)
    scores = None if data is None else measure(program, X, y, tables=tables)
    return Edited(program, program, scores, scores, author, None if time is None else utc_time(time), data)


def _asked(rule: Rule) -> tuple[str, ...]:
    return tuple(condition.feature for condition in rule.conditions)


def _check_asked(number: int, rule: Rule, feature: str, hint: str) -> None:
    if feature not in _asked(rule):
        asked = f"it asks about {listed(_asked(rule))}" if rule.conditions else "it has no conditions"
        raise ValueError(f"Rule {number} has no condition on {feature!r}: {asked}.{hint}")


def _with_conditions(rule: Rule, conditions: tuple[Condition, ...]) -> Rule:
    """Change the conditions; the coverage is then not known."""
    return replace(rule, conditions=conditions, coverage=None, starts=None)


def _read_rule(text: str, schema: Schema) -> tuple[Rule, Schema]:
    """Read a rule, and the schema with what it calculates."""
    from nln.rules.language.grammar import parse_tree

    program = LogicProgram.parse(text, schema=schema)
    if program.n_rules != 1:
        raise ValueError(f"An edit is about one rule, but this text has {program.n_rules}: {text!r}.")
    sections: list[Any] = parse_tree(text).children
    if any(section is not None and section.data == "otherwise" for section in sections):
        raise ValueError(f"An edit is about one rule and has no OTHERWISE line: {text!r}.")
    return program.rules[0], program.schema


def _read_condition(text: str, rule: Rule, schema: Schema) -> tuple[Condition, Schema]:
    """Read a condition within a rule of its own, so that errors point to its place."""
    if not isinstance(text, str):
        raise TypeError(f"A condition's text is a string, not {type(text).__name__}.")
    sentence = f"IF {text.strip()} THEN {conclusion_text(schema.target, rule.label)}"
    read, full = _read_rule(sentence, schema)
    found = read.conditions
    if len(found) != 1:
        raise ValueError(f"An edit is about one condition, but this text has {len(found)}: {text!r}.")
    return found[0], full
