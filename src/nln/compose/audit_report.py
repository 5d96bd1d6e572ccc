"""The result of an audit: groups, gaps, rules and the cost of avoiding them, as data, as text, as data frames."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from nln.compose.core.measure import Scores
from nln.compose.core.results import plain, typed_frame
from nln.rules import LogicProgram, Value
from nln.rules.language.text import conclusion_text
from nln.rules.language.words import counted

Measure = Literal["Cramér's V", "correlation ratio", "Spearman"]
RateName = Literal["selection rate", "true positive rate", "false positive rate"]
RATES: tuple[RateName, ...] = ("selection rate", "true positive rate", "false positive rate")

_RULE_COLUMNS = ("rule", "label", "conditions", "protected", "proxies", "gap", "output", "size", "effect")
_GROUP_COLUMNS = ("protected", "group", "output", "rows", "positive", *RATES)

_SHOWN = 3
"""How many rules the text names for a gap."""


@dataclass(frozen=True)
class Association:
    """How closely a column is related to a protected attribute.

    Attributes
    ----------
    column, protected : str
        The two columns.
    measure : {"Cramér's V", "correlation ratio", "Spearman"}
        The measure for two columns of values, for numbers and values, and for two columns of numbers.
    strength : float
        From 0 to 1.
    proxy : bool
        Whether the strength is at least the threshold.
    """

    column: str
    protected: str
    measure: Measure
    strength: float
    proxy: bool


@dataclass(frozen=True)
class Group:
    """How often a group of rows is given an output.

    Attributes
    ----------
    protected, group : str
        The protected attribute, and its value or band of values.
    output : str, bool, int or float
        The class or label that is decided.
    rows, positive : int
        Number of rows in the group, and of those that truly have the output.
    rates : tuple of float or None
        Selection rate (share of the rows that are given the output), true positive rate (the same among the rows that
        have it) and false positive rate (among those that do not); None where there are no such rows.
    """

    protected: str
    group: str
    output: Value
    rows: int
    positive: int
    rates: tuple[float | None, ...]


@dataclass(frozen=True)
class Gap:
    """The largest difference in a rate between two groups of a protected attribute.

    Attributes
    ----------
    protected : str
        The protected attribute.
    output : str, bool, int or float
        The class or label that is decided.
    rate : {"selection rate", "true positive rate", "false positive rate"}
        Which rate.
    high, low : str
        The groups with the highest and the lowest rate.
    size : float
        The difference.
    """

    protected: str
    output: Value
    rate: RateName
    high: str
    low: str
    size: float


@dataclass(frozen=True)
class AuditedRule:
    """How a rule affects the gaps.

    Attributes
    ----------
    rule : int
        Its number, from 1.
    conditions : str
        Its conditions.
    label : str, bool, int or float
        Its conclusion.
    protected, proxies : tuple of str
        The protected attributes and proxies that it asks about.
    effects : tuple of float
        For each gap, how much the difference between the same two groups changes without the rule. If negative, the
        rule widens the gap.
    """

    rule: int
    conditions: str
    label: Value
    protected: tuple[str, ...]
    proxies: tuple[str, ...]
    effects: tuple[float, ...]


@dataclass(frozen=True)
class Refit:
    """What learning without the protected attributes and their proxies costs.

    Attributes
    ----------
    forbidden : tuple of str
        The columns that no rule could ask about.
    trained : int
        Number of rows that both programs were learned from; the scores are on the left-out rows.
    before, after : Scores
        The scores with and without these columns.
    program : LogicProgram
        The program without them.
    """

    forbidden: tuple[str, ...]
    trained: int
    before: Scores
    after: Scores
    program: LogicProgram = field(repr=False)


@dataclass(frozen=True, eq=False)
class Audit:
    """The result of `audit`; `print` it to read it.

    Attributes
    ----------
    program : LogicProgram
        The rules.
    rows : int
        Number of rows it was audited on.
    protected : tuple of str
        The protected attributes.
    proxy_threshold : float
        Lowest association at which a column counts as a proxy.
    associations : tuple of Association
        One for each protected attribute and other column, the strongest first.
    groups : tuple of Group
        The rates of each group.
    gaps : tuple of Gap
        One for each protected attribute, output and rate.
    rules : tuple of AuditedRule
        All rules, in order.
    refit : Refit or None
        The cost of learning without these columns, if asked for.
    """

    program: LogicProgram = field(repr=False)
    rows: int
    protected: tuple[str, ...]
    proxy_threshold: float
    associations: tuple[Association, ...] = field(repr=False)
    groups: tuple[Group, ...] = field(repr=False)
    gaps: tuple[Gap, ...]
    rules: tuple[AuditedRule, ...] = field(repr=False)
    refit: Refit | None = None

    @property
    def proxies(self) -> tuple[str, ...]:
        """Columns that are proxies, whether rules ask about them or not."""
        return tuple(dict.fromkeys(found.column for found in self.associations if found.proxy))

    @property
    def forbidden(self) -> tuple[str, ...]:
        """Protected attributes and proxies, for `Constraints(forbidden=...)` to learn without them."""
        return (*self.protected, *self.proxies)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        refit = self.refit and {
            "forbidden": list(self.refit.forbidden),
            "trained": self.refit.trained,
            "before": plain(self.refit.before),
            "after": plain(self.refit.after),
        }
        return {
            "rows": self.rows,
            "protected": list(self.protected),
            "proxy_threshold": self.proxy_threshold,
            "associations": list(map(plain, self.associations)),
            "groups": list(map(_group_record, self.groups)),
            "gaps": list(map(plain, self.gaps)),
            "rules": list(map(plain, self.rules)),
            "refit": refit,
        }

    def to_frame(self, part: Literal["rules", "groups"] = "rules", backend: str | None = None) -> Any:
        """Return a data frame with a row for each rule and gap, or with a row for each group and output.

        Parameters
        ----------
        part : {"rules", "groups"}, default="rules"
            Which of the two.
        backend : {"pandas", "polars"}, default=None
            The library of the frame; by default the first of the two that is installed.
        """
        if part not in ("rules", "groups"):
            raise ValueError(f"part must be 'rules' or 'groups', not {part!r}.")
        if part == "rules":
            return typed_frame(self._rule_records(), _RULE_COLUMNS, backend, ints=("rule",), floats=("size", "effect"))
        records = [{**_group_record(group), "output": str(group.output)} for group in self.groups]
        return typed_frame(records, _GROUP_COLUMNS, backend, ints=("rows", "positive"), floats=RATES)

    def __str__(self) -> str:
        audited = f"{counted(self.program.n_rules, 'rule')} audited on {counted(self.rows, 'row')}"
        head = f"{audited} for {', '.join(self.protected)}."
        parts = [head, self._proxy_text(), self._rules_text()]
        for name in self.protected:
            parts += [self._groups_text(name, output) for output in self.program.schema.target.outputs]
        if self.refit is not None:
            parts.append(_refit_text(self.refit))
        return "\n\n".join(parts)

    def _rule_records(self) -> list[dict[str, Any]]:
        return [
            {
                "rule": rule.rule,
                "label": str(rule.label),
                "conditions": rule.conditions,
                "protected": ", ".join(rule.protected),
                "proxies": ", ".join(rule.proxies),
                "gap": f"{gap.rate} of {gap.protected}",
                "output": str(gap.output),
                "size": gap.size,
                "effect": effect,
            }
            for rule in self.rules
            for gap, effect in zip(self.gaps, rule.effects, strict=True)
        ]

    def _proxy_text(self) -> str:
        close = [found for found in self.associations if found.proxy]
        head = f"Proxies (association of at least {self.proxy_threshold:g}):"
        lines = [f"  {f.column} for {f.protected} ({f.measure} {f.strength:.2f})" for f in close]
        return "\n".join([head, *(lines or ["  none"])])

    def _rules_text(self) -> str:
        target = self.program.schema.target
        lines = []
        for rule in self.rules:
            asked = [*rule.protected, *(f"{name}, a proxy" for name in rule.proxies)]
            if asked:
                conclusion = conclusion_text(target, rule.label)
                lines.append(f"  rule {rule.rule} ({'; '.join(asked)}): IF {rule.conditions} THEN {conclusion}")
        return "\n".join(["Rules that ask about a protected attribute or a proxy:", *(lines or ["  none"])])

    def _groups_text(self, protected: str, output: Value) -> str:
        rows = [group for group in self.groups if (group.protected, group.output) == (protected, output)]
        table = [("", "rows", *RATES)]
        table += [(group.group, str(group.rows), *map(_percent, group.rates)) for group in rows]
        widths = [max(map(len, cells)) for cells in zip(*table, strict=True)]
        lines = [f"{protected}, {conclusion_text(self.program.schema.target, output)}:"]
        for first, *rest in table:
            cells = (cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True))
            lines.append("  " + "  ".join([first.ljust(widths[0]), *cells]))
        for place, gap in enumerate(self.gaps):
            if (gap.protected, gap.output) == (protected, output):
                size = f"{100 * gap.size:.1f} points, {gap.high} over {gap.low}" if gap.size else "none"
                lines.append(f"  gap of the {gap.rate}: {size}")
                lines += self._culprits(place)
        return "\n".join(lines)

    def _culprits(self, place: int) -> list[str]:
        """Lines about the rules that widen a gap most."""
        worst = sorted(self.rules, key=lambda rule: (rule.effects[place], rule.rule))[:_SHOWN]
        shown = [(rule.rule, 100 * rule.effects[place]) for rule in worst if rule.effects[place] < 0]
        return ["    " + "; ".join(f"without rule {n}: {change:+.1f}" for n, change in shown)] if shown else []


def _group_record(group: Group) -> dict[str, Any]:
    record = plain(group)
    del record["rates"]
    return {**record, **dict(zip(RATES, group.rates, strict=True))}


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"


def _refit_text(refit: Refit) -> str:
    columns = ", ".join(refit.forbidden)
    lines = [
        f"Learned again without {columns}, on {refit.trained} rows, and scored on {refit.after.rows} others:",
        "           rules  accuracy      F1",
    ]
    for name, scores in (("with", refit.before), ("without", refit.after)):
        lines.append(f"  {name:<7}  {scores.rules:>5}  {scores.accuracy:>8.4f}  {scores.f1:.4f}")
    return "\n".join(lines)
