"""What an explanation holds, and how it reads as text and as plain dictionaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from nln.rules.language.text import conclusion_text
from nln.rules.language.words import number, spelled
from nln.rules.row import cell_text, rounded
from nln.rules.rule import Rule
from nln.rules.schema import Target, Value

CellState: TypeAlias = Literal["known", "missing", "unseen"]
"""A value that the feature lists (or any number), no value, or a value that the feature does not list."""


@dataclass(frozen=True, slots=True)
class ConditionCheck:
    """One condition held against one row.

    Attributes
    ----------
    feature : str
        The feature asked about.
    text : str
        The condition as the program writes it.
    value : str, bool, int, float or None
        What the row holds; None if that is missing, or a value never seen in one row of a table.
    state : {"known", "missing", "unseen"}
        Which of these it is.
    membership : float
        How far the condition holds.
    """

    feature: str
    text: str
    value: Value | None
    state: CellState
    membership: float

    def __str__(self) -> str:
        return f"{self.text} {self._found()}"

    def failure(self) -> str:
        """Say that the condition fails, or how little it holds."""
        return f"{self.text} {'fails' if self.membership < 0.5 else 'holds in part'} {self._found()}"

    def _found(self) -> str:
        partly = 0.005 <= self.membership <= 0.995
        held = f"; holds to {rounded(self.membership, 0.5)}" if partly else ""
        name = spelled(self.feature)
        if self.state == "known":
            return f"[{name} = {cell_text(self.value)}{held}]"
        if self.state == "missing":
            return f"[{name} is missing{held}]"
        return f"[{name} {'has a value' if self.value is None else f'= {cell_text(self.value)},'} never seen]"

    def to_dict(self) -> dict[str, Any]:
        """Give the same as plain data."""
        return {
            "feature": self.feature,
            "condition": self.text,
            "value": self.value,
            "state": self.state,
            "membership": self.membership,
        }


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """One rule held against one row.

    Attributes
    ----------
    number : int
        The rule's place in the program, counted from 1.
    rule : Rule
        The rule.
    membership : float
        How far all its conditions hold together.
    share : float
        Its part in the probability of its label, from 0 to 1.
    conditions : tuple of ConditionCheck
        Its conditions.
    """

    number: int
    rule: Rule
    membership: float
    share: float
    conditions: tuple[ConditionCheck, ...]

    @property
    def fired(self) -> bool:
        """Whether the membership is at least one half."""
        return self.membership >= 0.5

    @property
    def failed(self) -> tuple[ConditionCheck, ...]:
        """The conditions below one half; if the rule fails though none is, all that hold only in part."""
        if self.fired:
            return ()
        below = tuple(condition for condition in self.conditions if condition.membership < 0.5)
        return below or tuple(condition for condition in self.conditions if condition.membership < 1)

    def __str__(self) -> str:
        if self.fired:
            said = ", ".join(map(str, self.conditions)) or "always"
        else:
            said = ", ".join(condition.failure() for condition in self.failed)
        share = f"; share {_percent(self.share)}" if self.share else ""
        return f"rule {self.number} ({rounded(self.rule.probability)}{share}): {said}"

    def to_dict(self) -> dict[str, Any]:
        """Give the same as plain data."""
        return {
            "rule": self.number,
            "probability": self.rule.probability,
            "membership": self.membership,
            "share": self.share,
            "conditions": [condition.to_dict() for condition in self.conditions],
            "failed": [condition.to_dict() for condition in self.failed],
        }


@dataclass(frozen=True, slots=True)
class OutputExplanation:
    """How the probability of one output came about.

    Attributes
    ----------
    label : str, bool, int or float
        The output.
    probability : float
        `1 - (1 - o) prod_i (1 - a_i r_i)`.
    normalized : float
        What `predict_proba` gives: the same, or for several classes divided by their sum.
    threshold : float or None
        The probability from which the label is decided, or by which that of one of several classes is divided.
    holds : bool
        Whether the label is decided.
    bias, bias_share : float
        The probability without any rule, and its part in the probability.
    fired : tuple of RuleCheck
        Rules with a membership of at least one half, largest share first.
    missed : tuple of RuleCheck
        The other rules of the label, nearest miss first: fewest failed conditions, then largest membership.
    """

    label: Value
    probability: float
    normalized: float
    threshold: float | None
    holds: bool
    bias: float
    bias_share: float
    fired: tuple[RuleCheck, ...]
    missed: tuple[RuleCheck, ...]

    def lines(self, target: Target, misses: int) -> list[str]:
        """Write the lines of this output; the first one says the probability."""
        lines = [self._head(target)]
        lines += [f"  Fired: {check}." for check in self.fired]
        if not self.fired:
            lines.append("  No rule fired.")
        if self.bias_share:
            lines.append(f"  Without any rule: {rounded(self.bias)} (share {_percent(self.bias_share)}).")
        names = ["Nearest miss", *["Next miss"] * misses]
        lines += [f"  {name}: {check}." for name, check in zip(names, self.missed[:misses], strict=False)]
        return lines

    def to_dict(self) -> dict[str, Any]:
        """Give the same as plain data."""
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
    """Why a row got its decision. `str` gives text to read, `to_dict` plain data.

    Attributes
    ----------
    target : Target
        What is decided.
    decision : str, bool, int, float or tuple
        The class decided, or the labels decided to hold.
    outputs : tuple of OutputExplanation
        Per output its probability and the rules behind it.
    """

    target: Target
    decision: Value | tuple[Value, ...]
    outputs: tuple[OutputExplanation, ...]

    def to_text(self, misses: int = 1) -> str:
        """Write the explanation.

        Parameters
        ----------
        misses : int
            How many rules that did not fire are shown per output, nearest first.
        """
        lines = []
        if self.target.kind == "multiclass" and not isinstance(self.decision, tuple):
            measure = "" if self.outputs[0].threshold is None else " in proportion to its threshold"
            lines.append(f"Decided {conclusion_text(self.target, self.decision)}, the most probable class{measure}.")
        for output in self.outputs:
            lines += output.lines(self.target, misses)
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Give the explanation as dictionaries, lists, text and numbers."""
        decision = list(self.decision) if isinstance(self.decision, tuple) else self.decision
        return {"decision": decision, "outputs": [output.to_dict() for output in self.outputs]}

    def __str__(self) -> str:
        return self.to_text()


def _percent(share: float) -> str:
    """Write a share; a small one is not none, and most is not all."""
    if 0 < share < 0.01:
        return "below 1 %"
    return "above 99 %" if 0.99 < share < 1 else f"{share:.0%}".replace("%", " %")
