"""LogicProgram: the immutable, validated product of learning.

This module stands at the top of `nln.rules`: it imports the modules that evaluate, write, read and explain programs,
and none of them imports it. Readers of text and JSON return `ProgramParts`, from which the program is made here. Two
imports wait until they are needed: that of the parser, which loads lark, and in `LogicProgram.export` that of
`nln.export`, the one deliberate call of a package that stands above this one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import Column
from nln.rules.children.reading import Tables, linked_columns
from nln.rules.columns import Inputs, label_array, read_inputs, read_truth
from nln.rules.evaluate import memberships, probabilities
from nln.rules.explain.counterfactuals import MAX_EVALUATIONS, Counterfactual, find_counterfactuals
from nln.rules.explain.explanations import Explanation, explain_inputs
from nln.rules.fixpoint import Fixpoint, find_fixpoint
from nln.rules.history import Edit
from nln.rules.language.text import program_text
from nln.rules.language.words import counted
from nln.rules.notebook import program_html
from nln.rules.rule import Coverage, Rule, rule_size
from nln.rules.schema import Schema, Value
from nln.rules.simplify import simplify_program
from nln.rules.storage.files import read_json, write_json
from nln.rules.storage.programs import program_to_dict, read_parts
from nln.rules.storage.reading import Node
from nln.rules.summary import rule_frame, rule_records, summary_text
from nln.rules.validate import check_numbers, check_rules, listed, with_own_values

__all__ = ["Coverage", "LogicProgram", "Rule"]


@dataclass(frozen=True, slots=True, repr=False)
class LogicProgram:
    """Rules with probabilities that together decide a target.

    The probability of output `k` is `P_k = 1 - (1 - o_k) prod_i (1 - a_i r_i)` over its rules, where `r_i` says how far
    a row satisfies the conditions of rule `i`, `a_i` is the rule's weight and `o_k` the output's bias.

    Parameters
    ----------
    schema : Schema
        The features that rules may ask about, and the target.
    rules : tuple of Rule
        The rules of all outputs.
    biases : tuple of float
        For each output the probability that it holds where no rule fires: the number after OTHERWISE.
    thresholds : tuple of float
        For each output the probability from which it is decided to hold. Among several classes the one whose
        probability is largest in proportion to its threshold wins; empty thresholds count as equal ones.
    history : tuple of Edit, default=()
        Who changed which rule, when and why, the oldest change first; comparisons of programs ignore it.

    Examples
    --------
    >>> from nln.rules import Boundary, Feature, Interval, IntervalCondition, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> low = Rule((IntervalCondition("x", (Interval(high=Boundary(3.0)),)),), "yes", 0.9)
    >>> program = LogicProgram(schema, (low,), biases=(0.1,), thresholds=(0.5,))
    >>> program
    <LogicProgram: 1 rule of mean size 1.00 for class = yes>
    >>> program.predict({"x": [2.0, 3.0]})
    array(['yes', 'no'], dtype='<U3')
    >>> print(program)
    IF   x < 3
    THEN class = yes        (weight 0.9)
    <BLANKLINE>
    OTHERWISE class = no    (P(class = yes) = 0.1; class = yes from 0.5)
    """

    schema: Schema
    rules: tuple[Rule, ...]
    biases: tuple[float, ...]
    thresholds: tuple[float, ...]
    history: tuple[Edit, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "biases", tuple(float(bias) for bias in self.biases))
        object.__setattr__(self, "thresholds", tuple(float(threshold) for threshold in self.thresholds))
        object.__setattr__(self, "history", tuple(self.history))
        check_numbers(self.schema.target, self.biases, self.thresholds)
        check_rules(self.schema, self.rules)
        object.__setattr__(self, "rules", with_own_values(self.schema, self.rules))

    @classmethod
    def parse(cls, text: str, *, schema: Schema) -> LogicProgram:
        """Read the text form of a program; the inverse of `str`.

        Parameters
        ----------
        text : str
            IF-THEN rules and an OTHERWISE line. If left out, a weight is 1, a bias 0 and a threshold 0.5.
        schema : Schema
            The features and the target that the text names.

        Raises
        ------
        RuleSyntaxError
            If the text breaks the grammar or names what the schema does not know; the message shows the place.
        """
        from nln.rules.language.parse import parse_program

        return cls(*parse_program(text, schema))

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return len(self.rules)

    @property
    def size(self) -> float:
        """Mean size of the rules; 0 without rules."""
        return sum(map(self.size_of, self.rules)) / len(self.rules) if self.rules else 0.0

    def size_of(self, rule: Rule) -> int:
        """Return the number of literals of a rule: its values and boundaries, and what its calculations mention."""
        return rule_size(rule, self.schema)

    @property
    def features_used(self) -> tuple[str, ...]:
        """Names of the features that some rule asks about, in the order of the schema."""
        used = {condition.feature for rule in self.rules for condition in rule.conditions}
        return tuple(name for name in self.schema.names if name in used)

    @property
    def columns_used(self) -> tuple[str, ...]:
        """Names of the columns that these features are read from: of features that are read from dates, the dates.

        Of features that are calculated from others, they are the columns of those. Where rules count the rows of a
        child table, the column that its key repeats is one of them, and that of the dates it must not be later than.
        """
        columns = [column for feature in self.schema.plain(self.features_used) for column in feature.columns]
        links = linked_columns(self.schema, self.schema.behind(self.features_used))
        return tuple(dict.fromkeys([*columns, *links]))

    def rules_for(self, label: Value) -> tuple[Rule, ...]:
        """Return the rules that conclude a label, in order."""
        if label not in self.schema.target.labels:
            raise ValueError(f"There is no label {label!r}; known labels: {listed(self.schema.target.labels)}.")
        return tuple(rule for rule in self.rules if rule.label == label)

    def predict_proba(self, X: Any, *, tables: Tables | None = None) -> NDArray[np.float64]:
        """Compute the probability of each label for each row.

        Parameters
        ----------
        X : table
            Any form that `read_columns` takes; only the columns of `features_used` are read.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        array of shape (rows, labels)
            For a binary target `[1 - P, P]`; for a multi-class target the `P_k` divided by their sum (equal shares if
            all are zero); for a multi-label target the `P_k` themselves.
        """
        return self.label_probabilities(self._probabilities(X, tables))

    def label_probabilities(self, P: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn the probabilities of the outputs, (rows, outputs), into those of the labels, as `predict_proba` does."""
        if self.schema.target.kind == "binary":
            return np.hstack([1.0 - P, P])
        if self.schema.target.kind == "multilabel":
            return P
        total = P.sum(axis=1, keepdims=True)
        shares = np.full_like(P, 1.0 / P.shape[1])
        np.divide(P, total, out=shares, where=total > 0)
        return shares

    def predict(self, X: Any, *, tables: Tables | None = None) -> NDArray[Any]:
        """Decide each row: a label from its threshold on, which need not be 0.5.

        `dataclasses.replace(program, thresholds=(0.3,))` gives a program that decides from another probability on.

        Parameters
        ----------
        X : table
            Any form that `read_columns` takes; only the columns of `features_used` are read.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        array of shape (rows,) or (rows, labels)
            The decided class of each row (among several classes the most probable in proportion to its threshold, and
            the first one on ties), or 0 and 1 for each label of a multi-label target.
        """
        decided = self.decide(self._probabilities(X, tables))
        return decided if self.schema.target.kind == "multilabel" else label_array(self.schema.target.labels)[decided]

    def decide(self, P: NDArray[np.float64]) -> NDArray[np.intp]:
        """Decide from the probabilities of the outputs: the index of each row's class, or 0 and 1 for each label."""
        if self.schema.target.kind == "multiclass":
            winner: NDArray[np.intp] = (P / np.array(self.thresholds) if self.thresholds else P).argmax(axis=1)
            return winner
        above: NDArray[np.intp] = (np.array(self.thresholds) <= P).astype(np.intp)
        return above if self.schema.target.kind == "multilabel" else above[:, 0]

    def rule_memberships(self, X: Any, *, tables: Tables | None = None) -> NDArray[np.float64]:
        """Compute how far each row satisfies each rule, (rows, rules); a rule covers a row from one half on."""
        columns, rows, _ = self._read(X, tables)
        return memberships(self, columns, rows=rows)

    def with_coverage(self, X: Any, y: Any, *, tables: Tables | None = None) -> LogicProgram:
        """Count what each rule covers in a table.

        Parameters
        ----------
        X : table
            Any form that `read_columns` takes.
        y : array-like of shape (rows,) or (rows, labels)
            The true classes as in the table, or 0 and 1 for each label of a multi-label target.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        LogicProgram
            The same rules, each with its coverage.
        """
        columns, rows, _ = self._read(X, tables)
        return self.count_coverage(columns, read_truth(y, self.schema, rows))

    def count_coverage(self, columns: Mapping[str, Column], truth: NDArray[np.bool_]) -> LogicProgram:
        """Count as `with_coverage` does, from columns that were read and a (rows, outputs) mask of what holds."""
        return self.count_covered(memberships(self, columns, rows=len(truth)) >= 0.5, truth)

    def count_covered(self, covered: NDArray[np.bool_], truth: NDArray[np.bool_]) -> LogicProgram:
        """Count as `with_coverage` does, from masks of the rows that each rule covers and of what holds there."""
        rows, outputs, rules = len(truth), self.schema.target.outputs, []
        for i, rule in enumerate(self.rules):
            holds = truth[:, outputs.index(rule.label)]
            hits = int(np.count_nonzero(covered[:, i] & holds))
            coverage = Coverage(int(np.count_nonzero(covered[:, i])), rows, hits, int(np.count_nonzero(holds)))
            rules.append(replace(rule, coverage=coverage))
        return replace(self, rules=tuple(rules))

    def simplify(self) -> LogicProgram:
        """Return the canonical form, which gives every possible row the same probabilities."""
        return simplify_program(self)

    def explain(self, X: Any, *, tables: Tables | None = None) -> Explanation | list[Explanation]:
        """Explain the decision about each row in plain sentences; `details()` adds shares and the nearest misses.

        Parameters
        ----------
        X : mapping, series or table
            One row (a mapping from names to scalars, or a series), or a table in any form that `read_columns` takes.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        Explanation or list of Explanation
            One for one row; a list for a table, also for a table of one row.

        Examples
        --------
        >>> from nln.rules import Feature, Target
        >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
        >>> text = "IF x < 3 THEN class = yes (weight 0.9) IF x >= 7 THEN class = yes"
        >>> print(LogicProgram.parse(text, schema=schema).explain({"x": 2.5}))
        Decided yes: probability 90 %, and yes is decided from 50 %.
        Because x < 3 (here 2.5).
        """
        return explain_inputs(self, self._read(X, tables), X)

    def fixpoint(
        self,
        X: Any,
        column: str,
        *,
        undecided: Value | None = None,
        tables: Tables | Callable[[NDArray[Any]], Tables] | None = None,
        certainty: float | None = None,
        most_steps: int = 1000,
    ) -> Fixpoint:
        """Apply the program to its own conclusions until nothing changes, so that rules about one step solve many.

        In each step, rows whose `column` is undecided get the label that the rules conclude, if they conclude one. What
        is decided stays.

        Parameters
        ----------
        X : table
            The rows, in any form that `predict` takes, with the column.
        column : str
            The column that conclusions are written to; rules may ask about it.
        undecided : str, bool, int, float or None, default=None
            What the column holds where nothing is concluded yet.
        tables : mapping of str to Child or table, or callable, default=None
            The child tables. A callable gets the column as it is now, as an array, and returns them.
        certainty : float, default=None
            If given, only rules of at least this weight count, and labels hold from this probability on. By default all
            rules count, with the thresholds of the program.
        most_steps : int, default=1000
            An error tells if so many steps are not enough.

        Returns
        -------
        Fixpoint
            The `values` of the column, and the number of `steps` until they no longer changed.

        Examples
        --------
        >>> from nln.rules import ChildTable, Feature, Target
        >>> links = ChildTable("sources", "node", (Feature("reached", "categorical", ("no", "yes")),))
        >>> schema = Schema((), Target("reached", "binary", ("no", "yes")), (links,))
        >>> step = LogicProgram.parse("IF some sources (reached = yes) THEN reached = yes", schema=schema)
        >>> nodes = {"node": ["a", "b", "c", "d"], "reached": ["yes", "no", "no", "no"]}
        >>> edges = [("a", "b"), ("b", "c")]
        >>> def sources(reached):
        ...     known = dict(zip(nodes["node"], reached))
        ...     return {"sources": [{"node": to, "reached": known[one]} for one, to in edges]}
        >>> values, steps = step.fixpoint(nodes, "reached", undecided="no", tables=sources)
        >>> list(values), steps
        (['yes', 'yes', 'yes', 'no'], 2)
        """
        return find_fixpoint(self, X, column, undecided, tables, certainty, most_steps)

    def counterfactuals(
        self,
        row: Any,
        target: Any = None,
        frozen: str | Collection[str] = (),
        limit: int = 5,
        *,
        missing: bool = False,
        max_evaluations: int = MAX_EVALUATIONS,
        tables: Tables | None = None,
    ) -> list[Counterfactual]:
        """Find the smallest sets of feature changes that turn the decision about a row.

        Of what is calculated from columns, the parts change; of one expression, only one column at a time. How many
        rows of a child table count changes as a number, unless several conditions count rows of that table: a row may
        be in all of these counts, so they stay as they are.

        Parameters
        ----------
        row : mapping or series
            One row.
        target : label or mapping, default=None
            The class to reach; for a multi-label target, a label that should hold or a mapping from labels to True
            or False, while other labels may come out either way. By default any other decision.
        frozen : str or collection of str, default=()
            Features that must not change; of one that is calculated, all its columns.
        limit : int, default=5
            The most counterfactuals to return. All have the same, smallest number of changed features: first one for
            each set of features, beginning with those that cross the fewest regions of values, then further ones.
        missing : bool, default=False
            Whether a value may become missing.
        max_evaluations : int, default=2_000_000
            The most combinations of changes to evaluate; a search that needs more is an error.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        list of Counterfactual
            Empty if no change of the features that are not frozen can turn the decision.

        Examples
        --------
        >>> from nln.rules import Feature, Target
        >>> features = (Feature("hemoglobin", "continuous"), Feature("albumin", "categorical", (0, 1, 2)))
        >>> schema = Schema(features, Target("class", "binary", ("notckd", "ckd")))
        >>> text = "IF hemoglobin < 12.9 AND albumin != 0 THEN class = ckd (weight 0.97)"
        >>> program = LogicProgram.parse(text, schema=schema)
        >>> for found in program.counterfactuals({"hemoglobin": 9.4, "albumin": 2}):
        ...     print(found)
        class = notckd if hemoglobin from 9.4 to 12.9 or more
        class = notckd if albumin from 2 to 0
        """
        return find_counterfactuals(self, row, target, frozen, limit, missing, max_evaluations, tables)

    def to_records(self) -> list[dict[str, Value | None]]:
        """Describe each rule by a dictionary.

        Returns
        -------
        list of dict
            For each rule: `rule` (its number, counted from 1), `label`, `conditions` as text, `rows` (covered
            rows of any label), `precision` (the share of these that have the label), `coverage` (the share of the
            label's rows that it covers), `lift` (precision over the label's share of all rows), `size`, `starts` (the
            share of the starts that found it) and `weight`. What was not counted is None.
        """
        return rule_records(self)

    def to_frame(self, backend: str | None = None) -> Any:
        """Describe each rule by a row of a data frame, with the columns of `to_records`.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            The library of the frame; by default the first of the two that is installed.
        """
        return rule_frame(self, backend)

    def summary(self) -> str:
        """Write a line for each rule: its number, conclusion, covered rows, precision, conditions and weight."""
        return summary_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form as plain data; `from_dict` reads it back to the same program."""
        return program_to_dict(self)

    @classmethod
    def from_dict(cls, document: Any) -> LogicProgram:
        """Read the JSON form; a `ModelFormatError` names the place if it is not a program."""
        return read_program(Node(document))

    @overload
    def export(self, name: Literal["xlsx"], **options: Any) -> bytes: ...
    @overload
    def export(self, name: str, **options: Any) -> str: ...
    def export(self, name: str, **options: Any) -> Any:
        """Write the program in another language; `nln.export.EXPORTERS` lists the names and their options."""
        return import_module("nln.export").export(self, name, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON form to a file; an existing file is replaced as a whole or not at all."""
        write_json(self.to_dict(), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LogicProgram:
        """Read a file that `save` wrote; any other file is a `ModelFormatError`."""
        return cls.from_dict(read_json(path))

    def __str__(self) -> str:
        return program_text(self)

    def _repr_html_(self) -> str:
        return program_html(self)

    def __repr__(self) -> str:
        target = self.schema.target
        about = {
            "binary": f"{target.name} = {target.labels[-1]}",
            "multiclass": f"{target.name} of {len(target.labels)} classes",
            "multilabel": f"{len(target.labels)} labels",
        }[target.kind]
        return f"<LogicProgram: {counted(self.n_rules, 'rule')} of mean size {self.size:.2f} for {about}>"

    def _read(self, X: Any, tables: Tables | None = None) -> Inputs:
        return read_inputs(X, self.schema, only=self.features_used, tables=tables)

    def _probabilities(self, X: Any, tables: Tables | None = None) -> NDArray[np.float64]:
        columns, rows, _ = self._read(X, tables)
        return probabilities(self, columns, rows=rows)


def read_program(node: Node) -> LogicProgram:
    """Read the JSON form of a program, which may stand inside a larger document."""
    parts = read_parts(node)
    with node.located():
        return LogicProgram(*parts)
