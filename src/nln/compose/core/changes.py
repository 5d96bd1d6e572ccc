"""What differs between two rules: their conditions, feature by feature."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nln.rules import Condition, Feature, LogicProgram, Rule, Schema, condition_text


@dataclass(frozen=True)
class ConditionChange:
    """One condition that is another one in another rule.

    Parameters
    ----------
    feature : str
        The feature asked about.
    before, after : str or None
        The condition of the one rule and of the other; None where there is none.

    Examples
    --------
    >>> print(ConditionChange("x", "x < 3", "x < 4"))
    x < 3  ->  x < 4
    """

    feature: str
    before: str | None
    after: str | None

    def __str__(self) -> str:
        if self.before is None:
            return f"added {self.after}"
        return f"dropped {self.before}" if self.after is None else f"{self.before}  ->  {self.after}"


def canonical_rule(rule: Rule, program: LogicProgram) -> Rule:
    """Return a rule in canonical form, or unchanged if it can never fire."""
    alone = replace(program, rules=(replace(rule, probability=1.0, coverage=None),)).simplify()
    return replace(rule, conditions=alone.rules[0].conditions) if alone.rules else rule


def condition_changes(
    before: Rule, after: Rule, schema: Schema, same: Callable[[Condition, Condition, Feature], bool]
) -> tuple[ConditionChange, ...]:
    """List the conditions that differ.

    Parameters
    ----------
    before, after : Rule
        The rules.
    schema : Schema
        The features of both; changes come in their order.
    same : callable
        Tells of two conditions on a feature whether they count as the same.

    Examples
    --------
    >>> from nln.rules import Boundary, Interval, IntervalCondition, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> low = Rule((IntervalCondition("x", (Interval(high=Boundary(3.0)),)),), "yes")
    >>> [str(change) for change in condition_changes(low, Rule((), "yes"), schema, lambda one, other, feature: False)]
    ['dropped x < 3']
    """
    old, new = ({c.feature: c for c in rule.conditions} for rule in (before, after))
    changes = []
    for feature in schema.features:
        was, now = old.get(feature.name), new.get(feature.name)
        if (was is None and now is None) or (was is not None and now is not None and same(was, now, feature)):
            continue
        texts = [None if c is None else condition_text(c, feature) for c in (was, now)]
        changes.append(ConditionChange(feature.name, *texts))
    return tuple(changes)
