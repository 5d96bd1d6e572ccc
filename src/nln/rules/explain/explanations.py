"""Why a row got its decision: the rules that fired, their shares, and the rules that almost did.

`str` says it in plain sentences (`sentences.py`); the details are the lines that this module writes.

A rule fires where its membership is at least one half. With `P = 1 - (1 - o) prod_i (1 - a_i r_i)` the surprisals add
up, `-log(1 - P) = -log(1 - o) + sum_i -log(1 - a_i r_i)`. The share of a rule in a probability is therefore its term
divided by the sum, and the share of the bias is the first term divided by the sum. Shares sum to 1, or are all 0 where
P is 0. Certain rules (`a_i r_i = 1`) have infinite terms and divide the whole among them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nln.rules.cells import MISSING, plain_value
from nln.rules.columns import Inputs
from nln.rules.condition import Condition, is_crisp
from nln.rules.decoding import is_missing
from nln.rules.evaluate import membership, memberships, probabilities
from nln.rules.explain.calculations import calculation_shown
from nln.rules.explain.sentences import short_text
from nln.rules.language.text import conclusion_text, condition_text
from nln.rules.language.words import about_percent, cell_text, number, rounded, spelled
from nln.rules.notebook import explanation_html
from nln.rules.opening import as_row
from nln.rules.rule import Rule
from nln.rules.schema import Feature, Target, Value

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

CellState: TypeAlias = Literal["known", "missing", "unseen"]
"""A value that the feature lists or a number, no value, or a value that the feature does not list."""


@dataclass(frozen=True, slots=True)
class ConditionCheck:
    """One condition checked on one row."""

    feature: str
    text: str  # the condition as the program writes it
    value: Value | None  # what the row holds; None if it is missing, or an unseen value in a table of several rows
    state: CellState
    membership: float  # how far the condition holds
    calculation: str | None = None  # the parts and the result of a feature that is calculated

    def __str__(self) -> str:
        return f"{self.text} {self._found()}"

    @property
    def holds_in_part(self) -> bool:
        """Whether the membership is neither nearly 0 nor nearly 1."""
        return 0.005 <= self.membership <= 0.995

    def failure(self) -> str:
        """Write that the condition fails, or that it holds only in part."""
        return f"{self.text} {'fails' if self.membership < 0.5 else 'holds in part'} {self._found()}"

    def _found(self) -> str:
        held = f"; holds to {rounded(self.membership, 0.5)}" if self.holds_in_part else ""
        name = spelled(self.feature)
        if self.calculation is not None:
            return f"[{self.calculation}{held}]"
        if self.state == "known":
            return f"[{name} = {cell_text(self.value)}{held}]"
        if self.state == "missing":
            return f"[{name} is missing{held}]"
        return f"[{name} {'has a value' if self.value is None else f'= {cell_text(self.value)},'} never seen]"

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data."""
        calculation = {} if self.calculation is None else {"calculation": self.calculation}
        return {
            "feature": self.feature,
            "condition": self.text,
            "value": self.value,
            "state": self.state,
            "membership": self.membership,
            **calculation,
        }


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """One rule checked on one row."""

    number: int  # the rule's place in the program, counted from 1
    rule: Rule
    membership: float  # how far all its conditions hold together
    share: float  # its part in the probability of its label, from 0 to 1
    is_crisp: bool  # whether it holds either fully or not at all, on every row
    conditions: tuple[ConditionCheck, ...]

    @property
    def fired(self) -> bool:
        """Whether the membership is at least one half."""
        return self.membership >= 0.5

    @property
    def failed(self) -> tuple[ConditionCheck, ...]:
        """The conditions below one half; if the rule fails although there are none, all that hold only in part."""
        if self.fired:
            return ()
        below = tuple(condition for condition in self.conditions if condition.membership < 0.5)
        return below or tuple(condition for condition in self.conditions if condition.membership < 1)

    def __str__(self) -> str:
        if self.fired:
            said = ", ".join(map(str, self.conditions)) or "always"
        else:
            said = ", ".join(condition.failure() for condition in self.failed)
        share = f"; share {about_percent(self.share)}" if self.share else ""
        return f"rule {self.number} (weight {number(self.rule.weight)}{share}): {said}"

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data."""
        return {
            "rule": self.number,
            "weight": self.rule.weight,
            "membership": self.membership,
            "share": self.share,
            "conditions": [condition.to_dict() for condition in self.conditions],
            "failed": [condition.to_dict() for condition in self.failed],
        }


@dataclass(frozen=True, slots=True)
class OutputExplanation:
    """How the probability of one output came about."""

    label: Value
    probability: float  # 1 - (1 - o) prod_i (1 - a_i r_i)
    normalized: float  # what `predict_proba` returns: the same, or for several classes divided by their sum
    threshold: float | None  # from which the label is decided; among several classes, what P is divided by
    holds: bool  # whether the label is decided
    bias: float  # the probability without any rule
    bias_share: float  # the part of the bias in the probability
    fired: tuple[RuleCheck, ...]  # rules with a membership of at least one half, largest share first
    missed: tuple[RuleCheck, ...]  # the others, nearest miss first: fewest failed conditions, then largest membership

    def lines(self, target: Target, misses: int) -> list[str]:
        """Write the lines of this output; the first one gives the probability."""
        lines = [self._head(target)]
        lines += [f"  Fired: {check}." for check in self.fired]
        if not self.fired:
            lines.append("  No rule fired.")
        if self.bias_share:
            lines.append(f"  Without any rule: {rounded(self.bias)} (share {about_percent(self.bias_share)}).")
        names = ["Nearest miss", *["Next miss"] * misses]
        lines += [f"  {name}: {check}." for name, check in zip(names, self.missed[:misses], strict=False)]
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data."""
        names = ("label", "probability", "normalized", "threshold", "holds", "bias", "bias_share")
        return {
            **{name: getattr(self, name) for name in names},
            "fired": [check.to_dict() for check in self.fired],
            "missed": [check.to_dict() for check in self.missed],
        }

    def _head(self, target: Target) -> str:
        limited = None if target.kind == "multiclass" else self.threshold
        said = f"P({conclusion_text(target, self.label)}) = {rounded(self.probability, limited)}"
        if target.kind == "multiclass":
            divided = "" if self.threshold is None else f"; divided by {number(self.threshold)} to decide"
            return f"{said} ({rounded(self.normalized)} of all classes{divided})."
        assert self.threshold is not None
        limit = number(self.threshold)
        if self.holds:
            return f"{said}, decided {spelled(self.label)} (from {limit})."
        other = spelled(target.labels[0]) if target.kind == "binary" else f"not {spelled(self.label)}"
        return f"{said}, decided {other} ({spelled(self.label)} from {limit})."


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row got its decision. `str` gives a few plain sentences, `details` all that was computed, `to_dict` data.

    Attributes
    ----------
    target : Target
        What is decided.
    decision : str, bool, int, float or tuple
        The decided class, or the labels that are decided to hold.
    outputs : tuple of OutputExplanation
        For each output its `label`, `probability`, `threshold`, whether it `holds`, and the rules that `fired` and
        `missed`, each with its `number`, `rule`, `membership`, `share` and `conditions`.
    """

    target: Target
    decision: Value | tuple[Value, ...]
    outputs: tuple[OutputExplanation, ...]

    def details(self, misses: int = 1) -> str:
        """Write all rules that fired, with their weights and shares, and the nearest ones that did not.

        Parameters
        ----------
        misses : int, default=1
            How many rules that did not fire are shown for each output, the nearest first.
        """
        lines = []
        if self.target.kind == "multiclass" and not isinstance(self.decision, tuple):
            measure = "" if self.outputs[0].threshold is None else " in proportion to its threshold"
            lines.append(f"Decided {conclusion_text(self.target, self.decision)}, the most probable class{measure}.")
        for output in self.outputs:
            lines += output.lines(self.target, misses)
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as dictionaries, lists, text and numbers."""
        decision = list(self.decision) if isinstance(self.decision, tuple) else self.decision
        return {"decision": decision, "outputs": [output.to_dict() for output in self.outputs]}

    def __str__(self) -> str:
        return short_text(self)

    def _repr_html_(self) -> str:
        return explanation_html(self)


def explain_inputs(program: LogicProgram, inputs: Inputs, X: Any) -> Explanation | list[Explanation]:
    """Explain what was read from `X`: one row (a mapping from names to scalars, or a series) or each row of a table."""
    row = as_row(X, program.columns_used)
    explanations = _Explainer(program, inputs, row or {}).all_rows()
    return explanations if row is None else explanations[0]


def decision_labels(decided: Any, target: Target) -> Value | tuple[Value, ...]:
    """Return the class that was decided about a row, or the labels of a multi-label target that hold."""
    if target.kind == "multilabel":
        return tuple(label for label, holds in zip(target.labels, decided, strict=True) if holds)
    return target.labels[int(decided)]


def plain_cell(cell: Any) -> Value | None:
    """Turn a cell into plain Python: None for missing, text for what is neither text nor a number."""
    if is_missing(cell):
        return None
    plain = plain_value(cell)
    return str(cell) if plain is None else plain


class _Explainer:
    """What all rows of a table share: every membership computed once, for all rows together."""

    def __init__(self, program: LogicProgram, inputs: Inputs, cells: dict[str, Any]) -> None:
        self.program = program
        self.cells = cells  # of a single row, as the user wrote them
        self.columns, rows, self.bags = inputs
        self.P = probabilities(program, self.columns, rows=rows)
        self.labels_P = program.label_probabilities(self.P)
        self.decided = program.decide(self.P)
        self.fired = memberships(program, self.columns, rows=rows)
        asked = {condition for rule in program.rules for condition in rule.conditions}
        schema = program.schema
        self.crisp = [all(is_crisp(c, schema[c.feature]) for c in rule.conditions) for rule in program.rules]
        self.held = {c: membership(c, self.columns[c.feature], program.schema[c.feature]) for c in asked}

    def all_rows(self) -> list[Explanation]:
        target = self.program.schema.target
        result = []
        for row in range(len(self.P)):
            outputs = tuple(self._output(row, k) for k in range(len(target.outputs)))
            result.append(Explanation(target, decision_labels(self.decided[row], target), outputs))
        return result

    def _output(self, row: int, k: int) -> OutputExplanation:
        program, target = self.program, self.program.schema.target
        label = target.outputs[k]
        places = [i for i, rule in enumerate(program.rules) if rule.label == label]
        strengths = [program.rules[i].weight * float(self.fired[row, i]) for i in places]
        with np.errstate(divide="ignore"):
            parts = _shares(-np.log1p(-np.array([program.biases[k], *strengths])))
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
        return RuleCheck(i + 1, rule, float(self.fired[row, i]), share, self.crisp[i], checks)

    def _condition(self, row: int, condition: Condition) -> ConditionCheck:
        feature = self.program.schema[condition.feature]
        state, value = cell_value(self.columns[feature.name][row], feature)
        if state == "unseen":
            value = plain_cell(self.cells.get(feature.name))
        text, held = condition_text(condition, feature), float(self.held[condition][row])
        calculation = calculation_shown(condition, row, self.columns, self.program.schema, self.bags)
        return ConditionCheck(feature.name, text, value, state, held, calculation)


def cell_value(entry: Any, feature: Feature) -> tuple[CellState, Value | None]:
    """Turn an entry of a feature's column back into its value, and say whether it is known, missing or unseen."""
    if feature.is_numeric:
        return ("missing", None) if np.isnan(entry) else ("known", float(entry))
    if entry >= 0:
        return "known", feature.values[entry]
    return ("missing" if entry == MISSING else "unseen"), None


def _nearness(check: RuleCheck) -> tuple[int, float, int]:
    return sum(condition.membership < 0.5 for condition in check.conditions), -check.membership, check.number


def _shares(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide 1 in proportion to terms of at least 0, or equally among the infinite ones if there are any."""
    infinite = np.isinf(terms)
    if infinite.any():
        return np.asarray(infinite / infinite.sum())
    largest = terms.max(initial=0.0)
    if largest == 0:
        return np.zeros(len(terms))
    # Tiny terms keep their digits if they are scaled before they are added.
    scaled = terms / largest
    return np.asarray(scaled / scaled.sum())
