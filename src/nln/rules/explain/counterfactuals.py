"""What would have to change: the smallest sets of feature changes that turn a decision, found from the rules.

The search tries all changes of one feature, then of two, and so on; the program itself evaluates each combination of
options (see `regions`), until some combinations turn the decision. For a crisp program the options represent every
possible value of a feature (known values, finite numbers), so the number of changed features is the smallest there is,
and every value that a requirement allows turns the decision. Fuzzy boundaries have a continuum of memberships; for them
both hold among the representatives, each of which was evaluated.

Of what is calculated from columns, the parts change: members of counts, columns that are compared by `is`, and columns
of arithmetic. Of one expression only one column changes at a time, since what one must become depends on the others.
How many children count changes as a number if no other condition counts rows of that table; otherwise it stays. Of a
code all levels change together (see `codes`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import Column
from nln.rules.children.reading import Tables, is_child_count
from nln.rules.columns import read_columns
from nln.rules.derived.child_count import ChildCount
from nln.rules.evaluate import probabilities
from nln.rules.explain.codes import levels_of, on_codes, starts_text
from nln.rules.explain.combinations import Accepts, CombinationSearch, Requirement
from nln.rules.explain.explanations import cell_value, decision_labels, plain_cell
from nln.rules.explain.regions import find_options
from nln.rules.language.text import conclusion_text
from nln.rules.language.words import cell_text, spelled
from nln.rules.opening import as_row
from nln.rules.schema import Feature, Target, Value
from nln.rules.validate import listed

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

MAX_EVALUATIONS = 2_000_000
"""The most combinations of changes that are evaluated by default, which takes some seconds."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one feature."""

    feature: str
    old: Value | None  # the row's value; None is missing
    new: Value | None  # a value that turns the decision
    requirement: str  # all values that turn it: `12.9 or more`, `red or blue`

    def __str__(self) -> str:
        return f"{spelled(self.feature)} from {cell_text(self.old)} to {self.requirement}"


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A smallest set of changes that turns a decision.

    Attributes
    ----------
    changes : tuple of Change
        For each changed feature its `feature`, `old` and `new` value and the `requirement`, which says all values that
        turn the decision. The requirements may be met independently of each other.
    decision : str, bool, int, float or tuple
        What is decided then: a class, or the labels that hold.
    probabilities : tuple of float
        The probability of each output for the values `new`.
    target : Target
        What is decided.
    """

    changes: tuple[Change, ...]
    decision: Value | tuple[Value, ...]
    probabilities: tuple[float, ...]
    target: Target

    def apply(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row with the changes."""
        return {**row, **{change.feature: change.new for change in self.changes}}

    def to_dict(self) -> dict[str, Any]:
        """Return the counterfactual as dictionaries, lists, text and numbers."""
        return {
            "decision": list(self.decision) if isinstance(self.decision, tuple) else self.decision,
            "changes": [asdict(change) for change in self.changes],
            "probabilities": dict(zip(map(str, self.target.outputs), self.probabilities, strict=True)),
        }

    def __str__(self) -> str:
        if isinstance(self.decision, tuple):
            said = ", ".join(map(spelled, self.decision)) or "no label"
        else:
            said = conclusion_text(self.target, self.decision)
        return f"{said} if {', '.join(map(str, self.changes))}"


def find_counterfactuals(
    program: LogicProgram,
    row: Any,
    target: Any,
    frozen: str | Collection[str],
    limit: int,
    missing: bool,
    max_evaluations: int,
    tables: Tables | None = None,
) -> list[Counterfactual]:
    """Find the smallest sets of feature changes that turn the decision, as `LogicProgram.counterfactuals` describes."""
    cells = as_row(row, program.columns_used)
    if cells is None:
        raise TypeError("Counterfactuals are about one row: give a mapping from feature names to values, or a series.")
    cells |= _counts(program, cells, tables)
    fixed = {frozen} if isinstance(frozen, str) else set(frozen)
    if levels := levels_of(program, cells):
        program, cells = on_codes(program, cells, levels)
        fixed = {levels.get(name, name) for name in fixed}
    search = _search(program, cells, target, fixed, missing)
    spent = 0
    for size in range(1, len(search.features) + 1):
        needed = search.count(size)
        spent += needed
        if spent > max_evaluations:
            raise ValueError(
                f"No change of fewer than {size} features turns the decision, and trying all changes of {size} of "
                f"{len(search.features)} features takes {needed:,} evaluations; max_evaluations allows "
                f"{max_evaluations:,} in all. Freeze features, or raise max_evaluations."
            )
        found = search.turning(size)
        if found:
            nearest = search.requirements(found, limit)
            return [_counterfactual(program, cells, search.base, wanted, {*levels.values()}) for wanted in nearest]
    return []


def _search(
    program: LogicProgram, cells: dict[str, Any], wanted: Any, frozen: set[str], missing: bool
) -> CombinationSearch:
    unknown = sorted(frozen - set(program.schema.names))
    if unknown:
        raise ValueError(
            f"There is no feature {unknown[0]!r} to freeze; known features: {listed(program.schema.names)}."
        )
    base = read_columns([cells], program.schema, only=program.features_used)
    accepts = _accepts(program, program.decide(probabilities(program, base, rows=1)), wanted)
    fixed = {*frozen, *(feature.name for feature in program.schema.plain(frozen))}
    free = (
        feature
        for feature in (*program.schema.plain(program.features_used), *_lone_counts(program))
        if feature.name not in fixed
    )
    found = [find_options(program, feature, base, missing=missing) for feature in free]
    return CombinationSearch(program, base, [feature for feature in found if feature.options], accepts, missing)


def _counts(program: LogicProgram, cells: dict[str, Any], tables: Tables | None) -> dict[str, float]:
    """Count the children of a row once: from here on, the counts are cells of the row."""
    names = [feature.name for feature in program.schema.features if is_child_count(feature)]
    asked = program.schema.behind(program.features_used).intersection(names)
    found = read_columns([cells], program.schema, only=asked, tables=tables) if asked else {}
    return {name: int(column[0]) for name, column in found.items()}


def _lone_counts(program: LogicProgram) -> list[Feature]:
    """Return the counts that may change: of a table whose rows several of them count, a row may be in all of these."""
    counts = [f for f in program.schema.features if f.name in program.schema.behind(program.features_used)]
    tables = [count.derived.table for count in counts if isinstance(count.derived, ChildCount)]
    return [f for f in counts if isinstance(f.derived, ChildCount) and tables.count(f.derived.table) == 1]


def _counterfactual(
    program: LogicProgram,
    cells: dict[str, Any],
    base: Mapping[str, Column],
    wanted: Requirement,
    codes: Collection[str],
) -> Counterfactual:
    """Describe changes, with the decision that the program makes about the changed row."""
    changes = []
    for found, options in wanted:
        name = found.feature.name
        old = plain_cell(cells.get(name))
        if found.feature.reading is not None:  # of a feature that is read from other cells, its own value
            old = cell_value(base[name][0], found.feature)[1]
        said = found.requirement(options)
        if name in codes and (values := found.values(options)):
            said = starts_text(values, found.feature.values) + " or missing" * said.endswith("missing")
        changes.append(Change(name, old, found.value(options[0]), said))
    changed = {**cells, **{change.feature: change.new for change in changes}}
    columns = read_columns([changed], program.schema, only=program.features_used)
    P = probabilities(program, columns, rows=1)
    target = program.schema.target
    return Counterfactual(tuple(changes), decision_labels(program.decide(P)[0], target), tuple(P[0].tolist()), target)


def _accepts(program: LogicProgram, decided: NDArray[np.intp], wanted: Any) -> Accepts:
    """Return a test for the wanted decisions."""
    target = program.schema.target
    multilabel = target.kind == "multilabel"
    if wanted is None:
        return lambda others: (others != decided).any(axis=1) if multilabel else others != decided
    if multilabel:
        wishes = dict(wanted) if isinstance(wanted, Mapping) else {wanted: True}
        places = [_place(target, label) for label in wishes]
        goal = np.array([int(bool(wish)) for wish in wishes.values()], np.intp)
    else:
        place = _place(target, wanted)

    def accepts(others: NDArray[np.intp]) -> NDArray[np.bool_]:
        return np.asarray((others[:, places] == goal).all(axis=1) if multilabel else others == place)

    if accepts(decided).all():
        said = ", ".join(f"{k!r}: {v}" for k, v in wanted.items()) if isinstance(wanted, Mapping) else wanted
        raise ValueError(f"The row is already decided as {said!s}. Ask for another decision.")
    return accepts


def _place(target: Target, label: Any) -> int:
    if label not in target.labels:
        raise ValueError(f"There is no label {label!r}; known labels: {listed(target.labels)}.")
    return target.labels.index(label)
