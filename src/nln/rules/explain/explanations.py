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
"""A value that the feature lists or a number, no value, or a value that the feature does not list."""


@dataclass(frozen=True, slots=True)
class ConditionCheck:
    """One condition checked on one row."""

    feature: str
    text: str  # the condition as the program writes it
    value: Value | None  # what the row holds; None if it is missing, or an unseen value in a table of several rows
    state: CellState
    membership: float  # how far the condition holds

    def __str__(self) -> str:
        return f"{self.text} {self._found()}"

    def failure(self) -> str:
        """Write that the condition fails, or that it holds only in part."""
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
        """Return the same as plain data."""
        return {
            "feature": self.feature,
            "condition": self.text,
            "value": self.value,
            "state": self.state,
            "membership": self.membership,
        }


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """One rule checked on one row."""

    number: int  # the rule's place in the program, counted from 1
    rule: Rule
    membership: float  # how far all its conditions hold together
    share: float  # its part in the probability of its label, from 0 to 1
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
        share = f"; share {_percent(self.share)}" if self.share else ""
        return f"rule {self.number} ({rounded(self.rule.probability)}{share}): {said}"

    def to_dict(self) -> dict[str, Any]:
        """Return the same as plain data."""
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
    """How the probability of one output came about."""

    label: Value
    probability: float  # 1 - (1 - o) prod_i (1 - a_i r_i)
    normalized: float  # what `predict_proba` returns: the same, or for several classes divided by their sum
    threshold: (
        float | None
    )  # from which the label is decided; the probability of one of several classes is divided by it
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
            lines.append(f"  Without any rule: {rounded(self.bias)} (share {_percent(self.bias_share)}).")
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
    """Why a row got its decision. `str` gives text to read, `to_dict` plain data.

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

    def to_text(self, misses: int = 1) -> str:
        """Write the explanation.

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
        return self.to_text()


def _percent(share: float) -> str:
    """Write a share in percent; a small share is never shown as none, and a large one never as all."""
    if 0 < share < 0.01:
        return "below 1 %"
    return "above 99 %" if 0.99 < share < 1 else f"{share:.0%}".replace("%", " %")
