"""A decision in a few plain sentences, each of them literally true: what was decided, and which rules held.

A rule covers rows where it holds to at least one half. The sentences say so of fuzzy rules, and of each condition how
far it holds in the row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nln.rules.language.text import label_text
from nln.rules.language.words import about_percent, cell_text, counted, number, percent, spelled
from nln.rules.schema import Target, Value

if TYPE_CHECKING:
    from nln.rules.explain.explanations import ConditionCheck, Explanation, OutputExplanation, RuleCheck

_MOST_RULES = 3
"""Rules told for a decision, those with the largest shares; the others are counted."""

_MOST_LABELS = 5
"""Labels that are not decided and are named all the same."""


def short_text(explanation: Explanation) -> str:
    """Write why a decision was made, one sentence a line."""
    tell = {"binary": _tell_two_classes, "multiclass": _tell_classes, "multilabel": _tell_labels}
    return "\n".join(tell[explanation.target.kind](explanation))


def _tell_two_classes(explanation: Explanation) -> list[str]:
    target, (output,) = explanation.target, explanation.outputs
    if output.holds:
        return _tell_decided(output, target)
    name, (chance, limit) = label_text(target, output.label), _chance_and_limit(output)
    decided = label_text(target, target.labels[0])
    head = f"Decided {decided}: {name} has a probability of {chance}, and is decided from {limit}."
    return [head, *_reasons(output, target, "Although", "And although")]


def _tell_decided(output: OutputExplanation, target: Target) -> list[str]:
    name, (chance, limit) = label_text(target, output.label), _chance_and_limit(output)
    return [f"Decided {name}: probability {chance}, and {name} is decided from {limit}.", *_reasons(output, target)]


def _tell_classes(explanation: Explanation) -> list[str]:
    target = explanation.target
    (best,) = (output for output in explanation.outputs if output.holds)
    others = [output for output in explanation.outputs if not output.holds]
    next_best = max(others, key=lambda output: output.normalized)
    decided = f"Decided {label_text(target, best.label)}"
    if best.threshold is None:
        ours, theirs = best.normalized, next_best.normalized
        equal = "; of equals the first is decided" if ours == theirs else ""
        between = (ours + theirs) / 2  # so that the two are told apart
        follows = f"{label_text(target, next_best.label)} with {about_percent(theirs, between)}{equal}"
        head = f"{decided}: probability {about_percent(ours, between)}. The next class is {follows}."
    else:
        chance, limit = about_percent(best.normalized), _exact_percent(best.threshold)
        head = f"{decided}: probability {chance}. In proportion to its threshold of {limit} no class has more."
    return [head, *_reasons(best, target)]


def _tell_labels(explanation: Explanation) -> list[str]:
    target = explanation.target
    lines = [line for output in explanation.outputs if output.holds for line in _tell_decided(output, target)]
    absent = [output for output in explanation.outputs if not output.holds]
    said = []
    for output in absent[:_MOST_LABELS]:
        chance, limit = _chance_and_limit(output)
        said.append(f"{label_text(target, output.label)} (probability {chance}, decided from {limit})")
    if len(absent) > _MOST_LABELS:
        said.append(counted(len(absent) - _MOST_LABELS, "other label"))
    lines = lines or ["No label is decided."]
    return [*lines, f"Not decided: {', '.join(said)}."] if said else lines


def _chance_and_limit(output: OutputExplanation) -> tuple[str, str]:
    assert output.threshold is not None
    return about_percent(output.probability, output.threshold), _exact_percent(output.threshold)


def _exact_percent(threshold: float) -> str:
    return f"{number(round(100 * threshold, 10))} %"


def _reasons(
    output: OutputExplanation, target: Target, first: str = "Because", also: str = "Also because"
) -> list[str]:
    """Write a sentence for each of the first rules that fired, or that none did."""
    name = label_text(target, output.label)
    if not output.fired:
        return _silence(output, target)
    told = output.fired[:_MOST_RULES]
    lines = [f"{also if i else first} {_reason(check, target)}." for i, check in enumerate(told)]
    rest = output.fired[_MOST_RULES:]
    if rest:
        holds = "holds" if len(rest) == 1 else "hold"
        lines.append(f"{counted(len(rest), 'more rule')} for {name} {holds}{_to_which_degree(rest)}.")
    return lines


def _silence(output: OutputExplanation, target: Target) -> list[str]:
    """Write that no rule fired, and what the probability comes from instead."""
    name, bias = label_text(target, output.label), about_percent(output.bias)
    if not output.missed:
        return [f"There is no rule for {name}."]
    in_part = any(check.membership for check in output.missed)
    said = f"No rule for {name} holds{' to at least 50 %' if in_part else ''}"
    strongest = max(output.missed, key=lambda check: check.share)
    if target.kind != "multiclass":  # where probabilities are divided by their sum
        said += f"; without any rule its probability is {bias}"
        said += ", and rules that hold in part raise it" if strongest.share else ""
    told = [f"In part because {_reason(strongest, target)}."] if output.holds and strongest.share else []
    return [f"{said}.", *told]


def _reason(check: RuleCheck, target: Target) -> str:
    """Write the conditions of a rule that holds, fully or in part, and what is known of the rows where it did."""
    said = " and ".join(map(_condition, check.conditions)) or "of a rule that always holds"
    if not check.fired and len(check.conditions) > 1:
        said += f" (together to {about_percent(check.membership, 0.5)})"
    evidence = _evidence(check, target)
    return f"{said}: {evidence}" if evidence else said


def _condition(check: ConditionCheck) -> str:
    """Write a condition with the value found, unless that says the same again, and how far it holds, unless fully."""
    name, found = spelled(check.feature), []
    if check.calculation is not None:
        found.append(f"here {check.calculation}")
    elif check.state == "missing":
        found += [] if check.text.startswith(f"{name} missing") else ["here missing"]
    elif check.value is None:
        found.append("here a value never seen")
    elif check.text != f"{name} = {cell_text(check.value)}":
        found.append(f"here {cell_text(check.value)}" + (", never seen" if check.state == "unseen" else ""))
    if check.holds_in_part:
        found.append(f"holds to {about_percent(check.membership, 0.5)}")
    return f"{check.text} ({', '.join(found)})" if found else check.text


def _evidence(check: RuleCheck, target: Target) -> str:
    """Write how many of the rows that the rule covers have its label; nothing if they were not counted."""
    counts, label = check.rule.coverage, check.rule.label
    if counts is None:
        return ""
    held = f"held{_to_which_degree((check,))}"
    if counts.rows == 0:
        return f"this {held} in none of {counted(counts.of_rows, 'row')}"
    if counts.rows == 1:
        verb = _verb(target, label, "was" if counts.hits else "was not", "had" if counts.hits else "did not have")
        return f"the one row where this {held} {verb}"
    how_many = {0: "none", counts.rows: "all"}.get(counts.hits, percent(counts.hits / counts.rows))
    verb = _verb(target, label, "was" if how_many == "none" else "were", "had")
    return f"of the {counts.rows} rows where this {held}, {how_many} {verb}"


def _verb(target: Target, label: Value, being: str, having: str) -> str:
    """Write what a row is or has: `were malignant`, `had class = 1`; a row of several labels has them."""
    name = label_text(target, label)
    return f"{being if name == label and target.kind != 'multilabel' else having} {name}"


def _to_which_degree(checks: tuple[RuleCheck, ...]) -> str:
    return "" if all(check.is_crisp for check in checks) else " to at least 50 %"
