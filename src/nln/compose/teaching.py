"""`teach`: an expert's rules enter the network before learning, rows refine them, and a report says how.

The only module of the package that learns, and so the only one that loads scikit-learn: `nln.compose` imports
it when one of its names is first used. It is called `teaching` so that the package's name `teach` is the function only.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from sklearn.base import clone

from nln.classifier import NLNClassifier
from nln.compose.core.changes import ConditionChange, canonical_rule, condition_changes, jaccard, pair_greedily
from nln.compose.core.results import row_list, typed_frame, with_status
from nln.rules import (
    Condition,
    Feature,
    LogicProgram,
    Rule,
    Schema,
    ValueCondition,
    membership,
    memberships,
    read_columns,
)
from nln.rules.adopt import adopt
from nln.rules.cells import MISSING
from nln.rules.language.text import conclusion_text, conditions_text
from nln.rules.language.words import counted, number, percent
from nln.scores import NORMAL_95, Bools
from nln.tables.frames import read_table
from nln.tables.target import read_target

Status = Literal["kept", "sharpened", "supported", "contradicted", "redundant", "unsupported", "new"]
STATUSES: tuple[Status, ...] = get_args(Status)

SAME_ROWS = 0.5
"""Two rules for one label may be the same rule if the Jaccard index of the rows they cover is at least this."""
SAME_FEATURES = 0.25
"""The same for two rules that ask about the same features."""

STRAY = 0.05
"""A rule is contradicted if more than this share of its rows lack its label and no learned rule covers them."""
MOST = 0.9
"""A rule is redundant if learned rules cover at least this share of the rows of its label that it covers."""
WEAKER = "weaker than claimed"
"""What is said of a supported rule whose label is less frequent among its rows than its number says."""

_COUNTS = ("taught", "learned", "rows", "against")
_SHARES = ("similarity", "share", "share_elsewhere")
_COLUMNS = (
    "status",
    "taught",
    "learned",
    "label",
    "before",
    "after",
    "changes",
    "rows",
    "against",
    "similarity",
    "share",
    "share_elsewhere",
)


@dataclass(frozen=True)
class TaughtRule:
    """What became of one rule.

    Attributes
    ----------
    status : {"kept", "sharpened", "supported", "contradicted", "redundant", "unsupported", "new"}
        Kept with its conditions; sharpened to other conditions that cover much the same rows; supported, since its
        label is more frequent among the rows that it covers than elsewhere, but too weak to stay; contradicted by
        rows that it covers and that do not have its label; redundant because learned rules cover its rows;
        unsupported because too few rows satisfy it; or new, a learned rule that nobody taught.
    taught, learned : Rule or None
        The rule as taught, and the learned rule that stands for it.
    taught_number, learned_number : int or None
        Their numbers, from 1, in the text given and in the learned program.
    changes : tuple of ConditionChange
        The conditions that differ.
    n_covered : int
        Number of rows that the taught rule covers (the learned rule, if it is new).
    against : tuple of int
        Which of these rows do not have its label: numbers of rows of the table, from 0.
    covered_by : tuple of int
        Numbers of the learned rules that cover the rows of the label of a rule that was not kept.
    similarity : float or None
        Share of the rows covered by either rule that both cover.
    share, share_elsewhere : float or None
        Share of the label among these rows, and among all other rows; None if there are none.
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
    share: float | None = None
    share_elsewhere: float | None = None


@dataclass(frozen=True)
class TeachingReport:
    """The result of `teach`; `print` it to read it.

    Attributes
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
        """Return the entries with one status."""
        return with_status(self.entries, status, STATUSES)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame with one row for each entry.

        Parameters
        ----------
        backend : {"pandas", "polars"}, default=None
            The library of the frame; by default the first of the two that is installed.
        """
        records = [self._record(entry) for entry in self.entries]
        return typed_frame(records, _COLUMNS, backend, ints=_COUNTS, floats=_SHARES)

    def __str__(self) -> str:
        counts = Counter(entry.status for entry in self.entries)
        found = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        head = f"{counted(self.taught.n_rules, 'rule')} taught, {self.program.n_rules} learned: {found or 'none'}."
        return "\n\n".join([head, *(_entry_text(entry, self.program.schema) for entry in self.entries)])

    def _record(self, entry: TaughtRule) -> dict[str, Any]:
        rule = entry.taught or entry.learned
        return {
            "status": entry.status,
            "taught": entry.taught_number,
            "learned": entry.learned_number,
            "label": None if rule is None else str(rule.label),
            "before": entry.taught and conditions_text(entry.taught, self.program.schema),
            "after": entry.learned and conditions_text(entry.learned, self.program.schema),
            "changes": "; ".join(map(str, entry.changes)),
            "rows": entry.n_covered,
            "against": len(entry.against),
            **{name: getattr(entry, name) for name in _SHARES},
        }


def teach(
    rules: LogicProgram | str, X: Any, y: Any, *, classifier: NLNClassifier | None = None, sample_weight: Any = None
) -> TeachingReport:
    """Let rows refine rules that an expert wrote, and report what became of each rule.

    The rules begin as rule modules of every network and compete with the learned rules in the descent. They are kept
    where rows confirm them, change where other conditions fit better, and disappear where rows contradict them or
    support them too weakly. `Constraints(fixed_rules=True)` in the classifier keeps them all.

    Parameters
    ----------
    rules : LogicProgram or str
        The rules, or their text: `IF ... THEN ...`, without the numbers if they are not known.
    X : data frame or array-like of shape (n_samples, n_features)
        As for `NLNClassifier.fit`.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        As for `NLNClassifier.fit`.
    classifier : NLNClassifier, default=None
        How to learn, with the default parameters if None. It is copied and stays unfitted; its own `initial_program` is
        not used.
    sample_weight : array-like of shape (n_samples,), default=None
        As for `NLNClassifier.fit`.

    Returns
    -------
    TeachingReport
        `print` it to read it; `model` is the fitted classifier and `program` the learned program.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from nln import LanguageOptions, NLNClassifier
    >>> from nln.compose import teach
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame({"age": rng.integers(20, 80, 400), "smoker": rng.integers(0, 2, 400)})
    >>> ill = ((X["age"] >= 60) & (X["smoker"] == 1)).map({True: "yes", False: "no"})
    >>> rules = "IF age >= 50 AND smoker = 1 THEN class = yes  IF age < 30 THEN class = yes"
    >>> crisp = NLNClassifier(language=LanguageOptions(fuzzy=False), random_state=0)
    >>> report = teach(rules, X, ill, classifier=crisp)
    >>> [entry.status for entry in report.entries]
    ['sharpened', 'contradicted']
    >>> print(report.entries[0].changes[0])
    age >= 50  ->  age >= 60
    """
    model = clone(classifier) if classifier is not None else NLNClassifier()
    model.set_params(initial_program=rules).fit(X, y, sample_weight)
    table = read_table(X)
    taught = adopt(rules, model.schema_, table.names)
    columns = read_columns(table, model.schema_)
    truth = read_target(y, table.n_rows).outputs > 0.5
    covered = [memberships(program, columns, rows=table.n_rows) >= 0.5 for program in (taught, model.program_)]
    return TeachingReport(model, taught, _entries(taught, model.program_, covered[0], covered[1], truth))


def _entries(
    taught: LogicProgram, learned: LogicProgram, old_rows: Bools, new_rows: Bools, truth: Bools
) -> tuple[TaughtRule, ...]:
    old = [canonical_rule(rule, taught) for rule in taught.rules]
    pairs = match_rules(old, learned.rules, old_rows, new_rows)
    holding = dict(zip(learned.schema.target.outputs, truth.T, strict=True))
    entries = []
    for i, rule in enumerate(old):
        counts = _counts(old_rows[:, i], holding[rule.label])
        if i in pairs:
            j, alike = pairs[i]
            after = learned.rules[j]
            changes = condition_changes(rule, after, learned.schema, same_condition)
            status: Status = "sharpened" if changes else "kept"
            entries.append(TaughtRule(status, rule, after, i + 1, j + 1, changes, **counts, similarity=alike))
            continue
        same = np.array([other.label == rule.label for other in learned.rules], bool)
        status, by = _fate(old_rows[:, i], new_rows & same, holding[rule.label])
        entries.append(TaughtRule(status, rule, None, i + 1, None, (), **counts, covered_by=by))
    matched = {j for j, _ in pairs.values()}
    for j, rule in enumerate(learned.rules):
        if j not in matched:
            counts = _counts(new_rows[:, j], holding[rule.label])
            entries.append(TaughtRule("new", None, rule, None, j + 1, (), **counts))
    return tuple(entries)


def _counts(rows: Bools, holds: Bools) -> dict[str, Any]:
    """Count the rows that a rule covers, list those that do not have its label, and compare its share with the rest."""
    return {
        "n_covered": int(rows.sum()),
        "against": tuple(np.flatnonzero(rows & ~holds).tolist()),
        "share": float(holds[rows].mean()) if rows.any() else None,
        "share_elsewhere": None if rows.all() else float(holds[~rows].mean()),
    }


def _fate(rows: Bools, others: Bools, holds: Bools) -> tuple[Status, tuple[int, ...]]:
    """Why a rule is gone, and the numbers of the rules that cover its label's rows, those that cover most first."""
    explained, hits = others.any(axis=1), rows & holds
    left, by = hits.copy(), []
    while len(others.T) and (gain := (others & left[:, None]).sum(axis=0)).max() > 0:
        best = int(np.argmax(gain))
        by.append(best + 1)
        left &= ~others[:, best]
    if np.count_nonzero(rows & ~holds & ~explained) > STRAY * np.count_nonzero(rows):
        return "supported" if _has_lift(rows, holds) else "contradicted", tuple(by)
    redundant = hits.any() and np.count_nonzero(hits & explained) >= MOST * np.count_nonzero(hits)
    return "redundant" if redundant else "unsupported", tuple(by)


def _has_lift(rows: Bools, holds: Bools) -> bool:
    """Whether more of the rows have the label than as many rows drawn at random would have, but for one time in forty.

    The number that a random draw finds is hypergeometric; its normal approximation is good enough here.
    """
    share, covered, n = holds.mean(), np.count_nonzero(rows), len(rows)
    spread = math.sqrt(covered * share * (1 - share) * (n - covered) / max(n - 1, 1))
    return bool(np.count_nonzero(rows & holds) > covered * share + NORMAL_95 * spread)


def match_rules(
    old: Sequence[Rule], new: Sequence[Rule], old_rows: Bools, new_rows: Bools
) -> dict[int, tuple[int, float]]:
    """Find the new rule that stands for each old one, if any, and the Jaccard index of their rows; none stands for two.

    The rules are in canonical form, and `old_rows` and `new_rows`, (rows, rules), say which rows each covers.
    """
    alike = jaccard(old_rows.T, new_rows.T, empty=0.0).tolist()
    found = []
    for i, before in enumerate(old):
        for j, after in enumerate(new):
            shared = _shared_features(before, after)
            equal = before.conditions == after.conditions
            close = equal or alike[i][j] >= (SAME_FEATURES if shared == 1.0 else SAME_ROWS)
            if close and before.label == after.label:
                found.append(((-float(equal), -(alike[i][j] + shared)), i, j))
    return {i: (j, alike[i][j]) for i, j in pair_greedily(found).items()}


def same_condition(one: Condition, other: Condition, feature: Feature) -> bool:
    """Whether two conditions on a feature agree on all known values and on missing ones."""
    if isinstance(one, ValueCondition) and isinstance(other, ValueCondition):
        known = np.array([*range(len(feature.values)), MISSING], np.int32)
        return bool((membership(one, known, feature) == membership(other, known, feature)).all())
    return one == other


def _shared_features(one: Rule, other: Rule) -> float:
    """Jaccard index of the features that two rules ask about."""
    first, second = ({c.feature for c in rule.conditions} for rule in (one, other))
    return len(first & second) / len(first | second) if first | second else 1.0


def _entry_text(entry: TaughtRule, schema: Schema) -> str:
    taught = f"rule {entry.taught_number} as taught" if entry.taught else ""
    learned = f"rule {entry.learned_number} of the program" if entry.learned else ""
    weaker = entry.status == "supported" and entry.taught and entry.share and entry.share < entry.taught.weight
    status = f"{entry.status.upper()}, {WEAKER.upper()}" if weaker else entry.status.upper()
    lines = [f"{status} {', '.join(filter(None, (taught, learned)))}"]
    if entry.taught is not None and entry.status != "kept":
        lines.append(f"  {_sentence(entry.taught, schema)}")
    lines += [f"    {change}" for change in entry.changes]
    if entry.learned is not None:
        lines.append(f"  {_sentence(entry.learned, schema)} (weight {number(entry.learned.weight)})")
    if entry.status == "supported" and entry.share is not None and entry.share_elsewhere is not None:
        found = f"{percent(entry.share)} of the {counted(entry.n_covered, 'row')} that it covers"
        lines.append(f"  its label: {found}, {percent(entry.share_elsewhere)} of the others")
    elif entry.against:
        of = f"{len(entry.against)} of {counted(entry.n_covered, 'row')} that it covers"
        lines.append(f"  against it: {of}: {row_list(entry.against)}")
    if entry.covered_by:
        rules = ", ".join(map(str, entry.covered_by))
        lines.append(f"  its other rows are covered by {'rule' if len(entry.covered_by) == 1 else 'rules'} {rules}")
    return "\n".join(lines)


def _sentence(rule: Rule, schema: Schema) -> str:
    return f"IF {conditions_text(rule, schema)} THEN {conclusion_text(schema.target, rule.label)}"
