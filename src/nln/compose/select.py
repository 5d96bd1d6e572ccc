"""Selection: the smallest sub-program that decides as well as the best one, or the best of a given size."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nln.compose.core.rows import Rows, read_inputs, read_rows
from nln.compose.search import EQUAL, Choice, Goal, search
from nln.compose.subsets import Subsets
from nln.rules import LogicProgram, probabilities
from nln.scores import Metric, check_metric, decided_outputs

_WORK = 200_000_000
"""Cells that the branch and bound may look at if `max_nodes` is not given, and its range of nodes."""
_FEWEST_NODES, _MOST_NODES = 200, 200_000


@dataclass(frozen=True)
class Selection:
    """The best sub-programs.

    Attributes
    ----------
    program : LogicProgram
        The first of `ties`.
    score : float
        Its score on the rows.
    metric : str
        What was scored.
    proved : bool
        Whether no other sub-program is better and none as good is left out of `ties`.
    ties : tuple of LogicProgram
        All equally good sub-programs of the same number of rules: those whose rules cover the most rows of their
        labels, counted for each rule, come first, then the shorter ones.
    kept : tuple of tuple of int
        Per entry of `ties` the places of its rules in the program that was given.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> text = "IF x < 3 THEN class = yes IF x < 1 THEN class = yes (0.9) IF x < 2 THEN class = yes (0.9)"
    >>> program = LogicProgram.parse(text, schema=schema)
    >>> print(select(program, {"x": [0, 1, 2, 3]}, ["yes", "yes", "no", "no"]))
    1 of 3 rules: f1 1, proved to be the best; 1 choice
    rule 1  class = yes  0.9  2 rows  x < 2
    """

    program: LogicProgram
    score: float
    metric: str
    proved: bool
    ties: tuple[LogicProgram, ...]
    kept: tuple[Choice, ...]
    n_given: int

    def to_dict(self) -> dict[str, Any]:
        """Give the outcome as plain data; `kept` has, per equally good choice, the numbers of its rules, from 1."""
        return {
            "rules": self.program.to_records(),
            "given": self.n_given,
            "metric": self.metric,
            "score": self.score,
            "proved": self.proved,
            "kept": [[place + 1 for place in choice] for choice in self.kept],
        }

    def __str__(self) -> str:
        proof = "proved to be the best" if self.proved else "not proved to be the best"
        choices = "1 choice" if len(self.ties) == 1 else f"{len(self.ties)} choices"
        head = f"{self.program.n_rules} of {self.n_given} rules: {self.metric} {self.score:.6g}, {proof}; {choices}"
        return "\n".join([head, *self.program.summary().splitlines()])


def select(
    program: LogicProgram,
    X: Any,
    y: Any = None,
    *,
    n_rules: int | None = None,
    score: float | None = None,
    metric: Metric = "f1",
    max_nodes: int | None = None,
    max_ties: int = 1000,
) -> Selection:
    """Choose rules: the fewest that reach the best score, or a given score, or the best at most so many.

    Greedy steps and swaps find a good choice. Branch and bound then looks for better ones and for all that are as
    good; if it comes to its end, which it does for programs of a few dozen rules on most tables, the choice is proved.
    Biases and thresholds are those of the program in every choice: what is scored is what the sub-program decides.
    `adjust` the program before, or the chosen one afterwards, if they should fit the rows.

    Parameters
    ----------
    program : LogicProgram
        The rules to choose from.
    X : table
        Any form that `nln.rules.read_columns` takes.
    y : array-like of shape (rows,) or (rows, labels), optional
        The true classes, or 0 and 1 per label. By default what the program decides: with `metric="accuracy"` the
        fewest rules that decide all rows as the program does. What rules cover is then not counted anew.
    n_rules : int, optional
        Rules at most.
    score : float, optional
        Score that is enough; the best by default.
    metric : {"f1", "accuracy", "balanced_accuracy"}
        What to score: `f1` of the positive class, or its mean over more than two classes or labels.
    max_nodes : int, optional
        Nodes of the branch and bound at most; by default what takes some seconds. 0 is the greedy search alone.
    max_ties : int
        Equally good choices returned at most; if there are more, `proved` is false.

    Returns
    -------
    Selection
        The best sub-programs, whether that is proved, and the score.

    Raises
    ------
    ValueError
        If no sub-program that was found reaches `score`.
    """
    check_metric(metric)
    most = _check_count(n_rules, program.n_rules)
    if score is not None and not math.isfinite(score):
        raise ValueError(f"score must be a finite number, not {score!r}.")
    rows = _own_rows(program, X) if y is None else read_rows(program, X, y)
    subsets = Subsets(program, rows, metric)
    if max_nodes is None:
        max_nodes = int(np.clip(_WORK // max(subsets.first.size, 1), _FEWEST_NODES, _MOST_NODES))
    goal = Goal(most, math.inf if score is None else float(score))
    found, ended = search(subsets, goal, max_nodes=max_nodes, max_ties=max_ties)
    if score is not None and found.score < score - EQUAL:
        best = "the best" if ended else "the best that was found"
        raise ValueError(f"No choice of at most {most} rules reaches {metric} {score!r}; {best} has {found.score:.6g}.")
    counted = program.count_coverage(rows.columns, rows.truth)
    kept = sorted(found.choices, key=lambda choice: _place(counted, choice))
    source = program if y is None else counted
    ties = tuple(replace(source, rules=tuple(source.rules[i] for i in c)).simplify() for c in kept)
    proved = ended and found.complete
    return Selection(ties[0], found.score, metric, proved, ties, tuple(kept), program.n_rules)


def _own_rows(program: LogicProgram, X: Any) -> Rows:
    """Read a table with what the program decides in place of the truth."""
    columns, n_rows = read_inputs(program, X)
    if not n_rows:
        raise ValueError("X has no rows; give at least one.")
    return Rows(columns, decided_outputs(program, probabilities(program, columns, rows=n_rows)))


def _check_count(n_rules: int | None, given: int) -> int:
    if n_rules is None:
        return given
    if isinstance(n_rules, bool) or not isinstance(n_rules, int | np.integer) or n_rules < 0:
        raise ValueError(f"n_rules must be an integer of at least 0 or None, not {n_rules!r}.")
    return min(int(n_rules), given)


def _place(program: LogicProgram, choice: Choice) -> tuple[int, int, Choice]:
    rules = [program.rules[i] for i in choice]
    covered = sum(rule.coverage.hits for rule in rules if rule.coverage is not None)
    return -covered, sum(rule.size for rule in rules), choice
