"""`compare` and `stability`: how alike two programs are, and how alike those of several seeds or folds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.compose.core.changes import jaccard
from nln.compose.core.results import rule_texts
from nln.compose.core.rows import read_inputs, rule_memberships
from nln.rules import LogicProgram, probabilities
from nln.rules.children.reading import Tables
from nln.rules.summary import frame_library
from nln.rules.validate import listed
from nln.scores import Floats


@dataclass(frozen=True, slots=True)
class Match:
    """A rule, and the rule of the other program that covers the most similar set of rows.

    Attributes
    ----------
    rule : int
        Index of the rule in its program, from 0.
    other : int or None
        Index of the other rule in its program; None if that program has no rule for the label.
    jaccard : float
        Number of rows that both cover, divided by the number that either covers.
    """

    rule: int
    other: int | None
    jaccard: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of `compare`: how alike two programs are on a table.

    Attributes
    ----------
    first, second : LogicProgram
        The programs.
    inclusion : ndarray of shape (n_rules of first, n_rules of second)
        How far each rule of the first is included in each rule of the second: `sum min(sqrt(r_i r_j), r_i) / sum r_i`.
        It is 1 if the rule holds only where the other one does, and NaN for a rule that never fires.
    included : ndarray of shape (n_rules of second, n_rules of first)
        How far each rule of the second is included in each rule of the first.
    agreement : float
        Share of equal decisions.
    difference : float
        Mean absolute difference of the probabilities of the labels.
    matches : tuple of Match
        For each rule of the first, its best match with the same label in the second.
    decisions : tuple of two ndarrays of shape (n_samples,) or (n_samples, n_labels)
        What each program decides: the index of the class among the target's labels, or 0 and 1 for each label.
    """

    first: LogicProgram
    second: LogicProgram
    inclusion: Floats
    included: Floats
    agreement: float
    difference: float
    matches: tuple[Match, ...]
    decisions: tuple[NDArray[np.intp], NDArray[np.intp]]

    @property
    def different(self) -> tuple[int, ...]:
        """Numbers of the rows, from 0, that the programs decide differently."""
        first, second = self.decisions
        return tuple(np.flatnonzero((first != second).reshape(len(first), -1).any(axis=1)).tolist())

    @property
    def overlap(self) -> float:
        """Mean Jaccard similarity of the matches; 1 if the first program has no rules."""
        return _mean_jaccard(self.matches)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with a row for each rule of the first program: its best match, conditions and similarity.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            The library of the frame; by default the first of the two that is installed.
        """
        texts, others = rule_texts(self.first), rule_texts(self.second)
        columns = {
            "rule": [match.rule + 1 for match in self.matches],
            "label": [self.first.rules[match.rule].label for match in self.matches],
            "conditions": [texts[match.rule] for match in self.matches],
            "match": [None if match.other is None else match.other + 1 for match in self.matches],
            "match conditions": [None if match.other is None else others[match.other] for match in self.matches],
            "jaccard": [match.jaccard for match in self.matches],
        }
        return frame_library(backend).DataFrame(columns)

    def __str__(self) -> str:
        texts, others = rule_texts(self.first), rule_texts(self.second)
        lines = [
            f"{self.agreement:.1%} of the decisions agree; probabilities differ by {self.difference:.3g} on average"
        ]
        for match in self.matches:
            other = "no rule of this label" if match.other is None else f"rule {match.other + 1}: {others[match.other]}"
            lines.append(f"rule {match.rule + 1}: {texts[match.rule]}  ~ {match.jaccard:.2f} ~  {other}")
        return "\n".join(lines)


def compare(p: LogicProgram, q: LogicProgram, X: Any, *, tables: Tables | None = None) -> Comparison:
    """Compare two programs for the same target on the rows of a table.

    Parameters
    ----------
    p, q : LogicProgram
        The programs; their features may differ.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features)
        Rows with the columns that either program asks about.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> p = LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)
    >>> q = LogicProgram.parse("IF x < 2 THEN class = yes", schema=schema)
    >>> print(compare(p, q, {"x": [0, 1, 2, 3]}))
    75.0% of the decisions agree; probabilities differ by 0.25 on average
    rule 1: x < 3  ~ 0.67 ~  rule 1: x < 2
    """
    _check_targets([p, q])
    one, two = _Seen(p, X, tables), _Seen(q, X, tables)
    included = one.inclusion(two), two.inclusion(one)
    decisions = one.decided, two.decided
    return Comparison(p, q, *included, one.agreement(two), one.difference(two), one.matches(two), decisions)


@dataclass(frozen=True, eq=False)
class Stability:
    """The result of `stability`: how alike several programs are.

    Attributes
    ----------
    agreement : float
        Mean share of equal decisions over all pairs.
    overlap : float
        Mean Jaccard similarity of rules with their best matches, over all pairs and both directions.
    difference : float
        Mean absolute difference of probabilities over all pairs.
    pairs : tuple of (int, int, float, float, float)
        For each pair the indices of the programs, agreement, overlap and difference.
    """

    agreement: float
    overlap: float
    difference: float
    pairs: tuple[tuple[int, int, float, float, float], ...]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with a row for each pair of programs, numbered from 1.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            The library of the frame; by default the first of the two that is installed.
        """
        names = ("first", "second", "agreement", "overlap", "difference")
        numbered = [(i + 1, j + 1, *rest) for i, j, *rest in self.pairs]
        return frame_library(backend).DataFrame({name: [p[n] for p in numbered] for n, name in enumerate(names)})

    def __str__(self) -> str:
        return (
            f"{len(self.pairs)} pairs of programs: {self.agreement:.1%} of the decisions agree, rules overlap by "
            f"{self.overlap:.1%}, probabilities differ by {self.difference:.3g}"
        )


def stability(programs: Sequence[LogicProgram], X: Any, *, tables: Tables | None = None) -> Stability:
    """Measure how alike the programs of several seeds or folds are on the rows of a table.

    Parameters
    ----------
    programs : sequence of LogicProgram
        At least two, for the same target.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features)
        The rows.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    Stability

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> programs = [LogicProgram.parse(f"IF x < {b} THEN class = yes", schema=schema) for b in (2, 2, 4)]
    >>> print(stability(programs, {"x": [0, 1, 2, 3]}))
    3 pairs of programs: 66.7% of the decisions agree, rules overlap by 66.7%, probabilities differ by 0.333
    """
    if len(programs) < 2:
        raise ValueError(f"stability compares programs with one another: give at least 2, not {len(programs)}.")
    _check_targets(programs)
    seen = [_Seen(program, X, tables) for program in programs]
    pairs = []
    for (i, one), (j, two) in combinations(enumerate(seen), 2):
        overlap = _mean_jaccard((*one.matches(two), *two.matches(one)))
        pairs.append((i, j, one.agreement(two), overlap, one.difference(two)))
    agreement, overlap, difference = np.array([pair[2:] for pair in pairs]).mean(axis=0).tolist()
    return Stability(agreement, overlap, difference, tuple(pairs))


class _Seen:
    """A program on a table: memberships of its rules, probabilities and decisions."""

    def __init__(self, program: LogicProgram, X: Any, tables: Tables | None) -> None:
        columns, n_rows, _ = read_inputs(program, X, tables)
        self.program = program
        self.r = rule_memberships(program, columns, n_rows)
        found = probabilities(program, columns, rows=n_rows)
        self.labels, self.decided = program.label_probabilities(found), program.decide(found)

    def agreement(self, other: _Seen) -> float:
        """Share of equal decisions."""
        return float(np.mean(self.decided == other.decided))

    def difference(self, other: _Seen) -> float:
        """Mean absolute difference of the probabilities of the labels."""
        return float(np.abs(self.labels - other.labels).mean())

    def inclusion(self, other: _Seen) -> Floats:
        """How far each rule is included in each rule of the other program (see `Comparison`)."""
        shares = np.full((len(self.r), len(other.r)), np.nan)
        for i, r in enumerate(self.r):
            if (total := r.sum()) > 0:
                shares[i] = [np.minimum(np.sqrt(r * s), r).sum() / total for s in other.r]
        return shares

    def matches(self, other: _Seen) -> tuple[Match, ...]:
        """Find the best match of each rule among the rules of the other program with its label."""
        alike = jaccard(self.r >= 0.5, other.r >= 0.5, empty=1.0)  # two rules that cover nothing cover the same rows
        matches = []
        for i, rule in enumerate(self.program.rules):
            same = [j for j, candidate in enumerate(other.program.rules) if candidate.label == rule.label]
            best = max(same, key=lambda j: (alike[i, j], -j), default=None)
            matches.append(Match(i, best, 0.0 if best is None else float(alike[i, best])))
        return tuple(matches)


def _mean_jaccard(matches: Sequence[Match]) -> float:
    return float(np.mean([match.jaccard for match in matches])) if matches else 1.0


def _check_targets(programs: Sequence[LogicProgram]) -> None:
    first = programs[0].schema.target
    for program in programs[1:]:
        other = program.schema.target
        if (other.kind, other.labels) != (first.kind, first.labels):
            raise ValueError(
                f"The programs have different targets: {first.kind} with {listed(first.labels)}, and {other.kind} with "
                f"{listed(other.labels)}."
            )
