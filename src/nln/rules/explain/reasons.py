"""Why a row got its decision: the rules that fired, their shares, and the rules that almost did.

A rule fires where its membership is at least one half. With `P = 1 - (1 - o) prod_i (1 - a_i r_i)` the surprisals add
up, `-log(1 - P) = -log(1 - o) + sum_i -log(1 - a_i r_i)`, so the share of a rule in a probability is its term over
the sum, and that of the bias is the first term over the sum. Shares sum to 1, or are all 0 where P is 0. Certain rules
(`a_i r_i = 1`) have infinite terms: they divide the whole among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import MISSING, Column
from nln.rules.columns import Inputs, as_row, read_inputs
from nln.rules.condition import Condition
from nln.rules.evaluate import membership, memberships, probabilities
from nln.rules.explain.explanations import CellState, ConditionCheck, Explanation, OutputExplanation, RuleCheck
from nln.rules.language.text import condition_text
from nln.rules.row import plain_cell
from nln.rules.schema import Feature, Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram


def explain_rows(program: LogicProgram, X: Any) -> Explanation | list[Explanation]:
    """Explain the decision about one row (a mapping from names to scalars, or a series) or each row of a table."""
    used = program.features_used
    return explain_inputs(program, read_inputs(X, program.schema, only=used), as_row(X, used))


def explain_inputs(
    program: LogicProgram, inputs: Inputs, row: dict[str, Any] | None = None
) -> Explanation | list[Explanation]:
    """Explain each row of a table that was read; a single row, if `row` gives its cells as the user wrote them."""
    explanations = _Explainer(program, inputs.columns, inputs.n_rows, row or {}).all_rows()
    return explanations if row is None else explanations[0]


def shares(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide 1 in proportion to terms of at least 0, equally among the infinite ones if there are any.

    Parameters
    ----------
    terms : array of shape (terms,)
        Surprisals.

    Examples
    --------
    >>> shares(np.array([3.0, 1.0])), shares(np.array([np.inf, 1.0])), shares(np.zeros(2))
    (array([0.75, 0.25]), array([1., 0.]), array([0., 0.]))
    """
    infinite = np.isinf(terms)
    if infinite.any():
        return np.asarray(infinite / infinite.sum())
    largest = terms.max(initial=0.0)
    if largest == 0:
        return np.zeros(len(terms))
    # Tiny terms keep their digits if they are scaled before they are added.
    scaled = terms / largest
    return np.asarray(scaled / scaled.sum())


class _Explainer:
    """What all rows of a table share: every membership computed once, for all rows together."""

    def __init__(self, program: LogicProgram, columns: dict[str, Column], rows: int, cells: dict[str, Any]) -> None:
        self.program = program
        self.cells = cells
        self.columns = columns
        self.rows = rows
        self.P = probabilities(program, columns, rows=rows)
        self.labels_P = program.label_probabilities(self.P)
        self.decided = program.decide(self.P)
        self.fired = memberships(program, columns, rows=rows)
        self.held: dict[Condition, NDArray[np.float64]] = {}
        for rule in program.rules:
            for condition in rule.conditions:
                if condition not in self.held:
                    feature = self.program.schema[condition.feature]
                    self.held[condition] = membership(condition, columns[condition.feature], feature)

    def all_rows(self) -> list[Explanation]:
        target = self.program.schema.target
        result = []
        for row in range(self.rows):
            outputs = tuple(self._output(row, k) for k in range(len(target.outputs)))
            if target.kind == "multilabel":
                decision: Value | tuple[Value, ...] = tuple(output.label for output in outputs if output.holds)
            else:
                decision = target.labels[self.decided[row]]
            result.append(Explanation(target, decision, outputs))
        return result

    def _output(self, row: int, k: int) -> OutputExplanation:
        program, target = self.program, self.program.schema.target
        label = target.outputs[k]
        places = [i for i, rule in enumerate(program.rules) if rule.label == label]
        strengths = [program.rules[i].probability * float(self.fired[row, i]) for i in places]
        with np.errstate(divide="ignore"):
            parts = shares(-np.log1p(-np.array([program.biases[k], *strengths])))
        checks = [self._rule(row, i, float(share)) for i, share in zip(places, parts[1:], strict=True)]
        place = target.labels.index(label)
        holds = self.decided[row, k] == 1 if target.kind == "multilabel" else self.decided[row] == place
        return OutputExplanation(
            label=label,
            probability=float(self.P[row, k]),
            normalized=float(self.labels_P[row, place]),
            threshold=program.thresholds[k] if program.thresholds else None,
            holds=bool(holds),
            bias=program.biases[k],
            bias_share=float(parts[0]),
            fired=tuple(sorted((c for c in checks if c.fired), key=lambda c: (-c.share, c.number))),
            missed=tuple(sorted((c for c in checks if not c.fired), key=_nearness)),
        )

    def _rule(self, row: int, i: int, share: float) -> RuleCheck:
        rule = self.program.rules[i]
        checks = tuple(self._condition(row, condition) for condition in rule.conditions)
        return RuleCheck(i + 1, rule, float(self.fired[row, i]), share, checks)

    def _condition(self, row: int, condition: Condition) -> ConditionCheck:
        feature = self.program.schema[condition.feature]
        state, value = _cell(self.columns[feature.name][row], feature)
        if state == "unseen":
            value = plain_cell(self.cells.get(feature.name))
        return ConditionCheck(
            feature.name, condition_text(condition, feature), value, state, float(self.held[condition][row])
        )


def _cell(entry: Any, feature: Feature) -> tuple[CellState, Value | None]:
    if feature.is_numeric:
        return ("missing", None) if np.isnan(entry) else ("known", float(entry))
    if entry >= 0:
        return "known", feature.values[entry]
    return ("missing" if entry == MISSING else "unseen"), None


def _nearness(check: RuleCheck) -> tuple[int, float, int]:
    return sum(condition.membership < 0.5 for condition in check.conditions), -check.membership, check.number
