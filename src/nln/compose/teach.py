"""Teaching: an expert's rules enter the network before learning, rows refine them, and a report says how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nln.compose.core.changes import condition_changes
from nln.compose.core.matching import Covered, canonical_rule, match_rules, same_condition
from nln.compose.teaching_report import Status, TaughtRule, TeachingReport
from nln.learning.from_program import adopt
from nln.rules import LogicProgram, memberships
from nln.tables import read_columns, read_table, read_target

if TYPE_CHECKING:
    from nln.classifier import NLNClassifier

STRAY = 0.05
"""Up to this share of the rows that a rule covers may lack its label, unexplained, before they contradict it."""
MOST = 0.9
"""From this share of its label's rows on that learned rules cover, a rule is redundant."""


def teach(
    rules: LogicProgram | str, X: Any, y: Any, *, classifier: NLNClassifier | None = None, sample_weight: Any = None
) -> TeachingReport:
    """Let rows refine rules that an expert wrote, and report what became of each.

    The rules begin as rule modules of every network and stand beside the learned rules when the descent chooses, so
    they are kept where rows bear them out, move where other conditions do better, and go where rows contradict them.
    `Constraints(fixed_rules=True)` in the classifier keeps them all.

    Parameters
    ----------
    rules : LogicProgram or str
        The rules, or their text: `IF ... THEN ...`, without the numbers if they are not known.
    X : data frame or 2-D array
        As for `NLNClassifier.fit`.
    y : 1-D array, series, or table of zeros and ones
        As for `NLNClassifier.fit`.
    classifier : NLNClassifier, optional
        How to learn; it is copied and stays unfitted, and its own `initial_program` is not used.
    sample_weight : 1-D array or None
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
    age >= 50  ->  age >= 59.5
    """
    from sklearn.base import clone

    from nln.classifier import NLNClassifier

    model = clone(classifier) if classifier is not None else NLNClassifier()
    model.set_params(initial_program=rules).fit(X, y, sample_weight)
    table = read_table(X)
    taught = adopt(rules, model.schema_, table.names)
    columns = read_columns(table, model.schema_)
    truth = read_target(y, table.n_rows).outputs > 0.5
    covered = [memberships(program, columns, rows=table.n_rows) >= 0.5 for program in (taught, model.program_)]
    return TeachingReport(model, taught, _entries(taught, model.program_, covered[0], covered[1], truth))


def _entries(
    taught: LogicProgram, learned: LogicProgram, old_rows: Covered, new_rows: Covered, truth: Covered
) -> tuple[TaughtRule, ...]:
    old = [canonical_rule(rule, taught) for rule in taught.rules]
    pairs = match_rules(old, learned.rules, old_rows, new_rows)
    outputs, entries = learned.schema.target.outputs, []
    for i, rule in enumerate(old):
        holds = truth[:, outputs.index(rule.label)]
        counts = int(old_rows[:, i].sum()), tuple(np.flatnonzero(old_rows[:, i] & ~holds).tolist())
        if i in pairs:
            j, alike = pairs[i]
            after = learned.rules[j]
            changes = condition_changes(rule, after, learned.schema, same_condition)
            status: Status = "sharpened" if changes else "kept"
            entries.append(TaughtRule(status, rule, after, i + 1, j + 1, changes, *counts, similarity=alike))
            continue
        same = np.array([other.label == rule.label for other in learned.rules], bool)
        status, by = _fate(old_rows[:, i], new_rows & same, holds)
        entries.append(TaughtRule(status, rule, None, i + 1, None, (), *counts, covered_by=by))
    matched = {j for j, _ in pairs.values()}
    for j, rule in enumerate(learned.rules):
        if j not in matched:
            against = new_rows[:, j] & ~truth[:, outputs.index(rule.label)]
            counts = int(new_rows[:, j].sum()), tuple(np.flatnonzero(against).tolist())
            entries.append(TaughtRule("new", None, rule, None, j + 1, (), *counts))
    return tuple(entries)


def _fate(rows: Covered, others: Covered, holds: Covered) -> tuple[Status, tuple[int, ...]]:
    """Why a rule is gone, and the numbers of the rules that cover its label's rows, those that cover most first."""
    explained, hits = others.any(axis=1), rows & holds
    left, by = hits.copy(), []
    while len(others.T) and (gain := (others & left[:, None]).sum(axis=0)).max() > 0:
        best = int(np.argmax(gain))
        by.append(best + 1)
        left &= ~others[:, best]
    if np.count_nonzero(rows & ~holds & ~explained) > STRAY * np.count_nonzero(rows):
        return "contradicted", tuple(by)
    redundant = hits.any() and np.count_nonzero(hits & explained) >= MOST * np.count_nonzero(hits)
    return "redundant" if redundant else "unsupported", tuple(by)
