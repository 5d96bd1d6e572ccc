"""`select`: the fewest rules of a program that decide as well as the best choice, or the best of a given number."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from nln.compose.core.rows import Rows, read_inputs, read_rows
from nln.compose.core.subset_search import EQUAL, Choice, Goal, Subsets, search
from nln.rules import LogicProgram, probabilities
from nln.rules.children.reading import Tables
from nln.rules.language.words import counted
from nln.scores import Metric, decided_outputs

_WORK = 200_000_000
"""Number of cells that the branch and bound may visit if `max_nodes` is not given, and its range of nodes."""
_FEWEST_NODES, _MOST_NODES = 200, 200_000


@dataclass(frozen=True)
class Selection:
    """The result of `select`: the best sub-programs.

    Attributes
    ----------
    program : LogicProgram
        The first of `ties`.
    score : float
        Its score on the rows.
    metric : str
        The metric.
    proved : bool
        Whether it is proved that no other sub-program is better and that `ties` holds all that are as good.
    ties : tuple of LogicProgram
        All equally good sub-programs with the same number of rules. Those whose rules cover the most rows of their
        labels, summed over the rules, come first, then the shorter ones.
    kept : tuple of tuple of int
        For each entry of `ties` the indices of its rules, from 0, in the program that was given.
    n_given : int
        Number of rules to choose from.

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> text = "IF x < 3 THEN class = yes IF x < 1 THEN class = yes (weight 0.9) IF x < 2 THEN class = yes (weight 0.9)"
    >>> program = LogicProgram.parse(text, schema=schema)
    >>> print(select(program, {"x": [0, 1, 2, 3]}, ["yes", "yes", "no", "no"]))
    1 of 3 rules: f1 1, proved to be the best; 1 choice
    rule 1  class = yes  2 rows  100 %  x < 2 (weight 0.9)
    """

    program: LogicProgram
    score: float
    metric: str
    proved: bool
    ties: tuple[LogicProgram, ...]
    kept: tuple[Choice, ...]
    n_given: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; `kept` lists the rule numbers, from 1, of each equally good choice."""
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
        score, choices = f"{self.metric} {self.score:.6g}", counted(len(self.ties), "choice")
        head = f"{self.program.n_rules} of {self.n_given} rules: {score}, {proof}; {choices}"
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
    tables: Tables | None = None,
) -> Selection:
    """Choose the fewest rules that reach the best score or a given score, or the best choice of a given number.

    Greedy steps and swaps find a good choice. Branch and bound then looks for better choices and for all that are as
    good. If it completes, which it does for programs of a few dozen rules on most tables, the choice is proved to be
    the best. Biases and thresholds are those of the program in every choice; to fit them to the rows, `adjust` the
    program before or the chosen one afterwards.

    Parameters
    ----------
    program : LogicProgram
        The rules to choose from.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        The true classes, or 0 and 1 for each label. If None, the decisions of the program are used:
        `metric="accuracy"` then finds the fewest rules that decide all rows as the program does, and the coverage of
        the rules is not counted again.
    n_rules : int, default=None
        The largest number of rules; all by default.
    score : float, default=None
        The score that is enough; the best by default.
    metric : {"f1", "accuracy", "balanced_accuracy"}, default="f1"
        The score. `f1` is that of the positive class, or the mean over more than two classes or labels.
    max_nodes : int, default=None
        The largest number of nodes of the branch and bound; by default as many as take some seconds. 0 means greedy
        search alone.
    max_ties : int, default=1000
        The largest number of equally good choices to return; if there are more, `proved` is false.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    Selection

    Raises
    ------
    ValueError
        If no sub-program that was found reaches `score`.
    """
    if metric not in get_args(Metric):
        raise ValueError(f"metric must be one of {', '.join(map(repr, get_args(Metric)))}, not {metric!r}.")
    most = _check_count(n_rules, program.n_rules)
    if score is not None and not math.isfinite(score):
        raise ValueError(f"score must be a finite number, not {score!r}.")
    rows = _own_rows(program, X, tables) if y is None else read_rows(program, X, y, tables)
    subsets = Subsets(program, rows, metric)
    if max_nodes is None:
        max_nodes = int(np.clip(_WORK // max(subsets.first.size, 1), _FEWEST_NODES, _MOST_NODES))
    goal = Goal(most, math.inf if score is None else float(score))
    found, ended = search(subsets, goal, max_nodes=max_nodes, max_ties=max_ties)
    if score is not None and found.score < score - EQUAL:
        best = "the best" if ended else "the best that was found"
        raise ValueError(f"No choice of at most {most} rules reaches {metric} {score!r}; {best} has {found.score:.6g}.")
    covering = program.count_coverage(rows.columns, rows.truth)
    kept = sorted(found.choices, key=lambda choice: _place(covering, choice))
    source = program if y is None else covering
    ties = tuple(replace(source, rules=tuple(source.rules[i] for i in c)).simplify() for c in kept)
    proved = ended and found.complete
    return Selection(ties[0], found.score, metric, proved, ties, tuple(kept), program.n_rules)


def _own_rows(program: LogicProgram, X: Any, tables: Tables | None) -> Rows:
    """Read a table, with the decisions of the program as the truth."""
    columns, n_rows, _ = read_inputs(program, X, tables)
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
    return -covered, sum(map(program.size_of, rules)), choice
