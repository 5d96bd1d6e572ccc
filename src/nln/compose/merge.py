"""`merge`: one program from the rules of several, which come from folds, seeds or sites."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nln.compose.core.adjust import Method, check_method, readable, refine, with_thresholds
from nln.compose.core.prune import check_price
from nln.compose.core.rows import read_rows
from nln.compose.core.schemas import join_schemas, under_schema
from nln.compose.core.state import State
from nln.rules import Condition, LogicProgram, Rule, Schema, Value
from nln.rules.children.reading import Tables
from nln.rules.inclusion import includes
from nln.rules.rule import add_coverage, readable_probability
from nln.rules.schema import DEFAULT_THRESHOLD

Key = tuple[Value, tuple[Condition, ...]]
"""Label and conditions of a rule."""


@dataclass(frozen=True)
class Merged:
    """The result of `merge`: a program, and where its rules come from.

    Attributes
    ----------
    program : LogicProgram
        All rules, in canonical form.
    origins : tuple of tuple of str
        For each rule the names of the programs that it, or a rule merged into it, came from.
    """

    program: LogicProgram
    origins: tuple[tuple[str, ...], ...]

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dictionary for each rule, as `LogicProgram.to_records` does, with its `origins`."""
        records = self.program.to_records()
        return [{**record, "origins": list(o)} for record, o in zip(records, self.origins, strict=True)]

    def __str__(self) -> str:
        lines = self.program.summary().splitlines()
        if not lines:
            return "no rules"
        width = max(map(len, lines))
        return "\n".join(f"{line:<{width}}  from {', '.join(o)}" for line, o in zip(lines, self.origins, strict=True))


@dataclass
class _Entry:
    """A rule to be merged: `log_absent` is the weighted sum of `log(1 - a)`."""

    rule: Rule
    log_absent: float
    sources: list[int]


def merge(
    programs: Sequence[LogicProgram],
    *,
    X: Any = None,
    y: Any = None,
    names: Sequence[str] | None = None,
    price: float = 0.0,
    method: Method = "coverage",
    tables: Tables | None = None,
) -> Merged:
    """Merge programs for one target, from different folds, seeds or sites.

    Columns are matched by name. The columns and their lists of values may differ between the programs. Without data,
    the probability that a label is absent is the weighted geometric mean of the programs' probabilities, `1 - P =
    prod_p (1 - P_p)^(w_p)`, which is exact for crisp rules. The weights `w_p` are proportional to the number of rows in
    the programs' coverage, or equal if a program has none. So a rule of one program gets the bias `1 - (1 - a)^w`, and
    a rule that all programs share keeps its own. Biases of outputs and thresholds are pooled in the same way. If a rule
    holds only where a rule of another program with at least the same bias holds, it is dropped and its share goes to
    that rule. Coverage counts are added; a program that is given twice counts once.

    With data, pruning and adjusting alternate until nothing changes, rules that another rule includes on the rows are
    dropped, and thresholds are chosen.

    Parameters
    ----------
    programs : sequence of LogicProgram
        At least one.
    X : data frame, mapping of columns, or array-like of shape (n_samples, n_features), default=None
        Rows to prune and adjust on.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        Their true classes, or 0 and 1 for each label. Give both X and y or neither.
    names : sequence of str, default=None
        Names of the programs for `origins`; by default "program 1", "program 2", ...
    price : float, default=0.0
        Squared error, in rows, that a literal must save to be kept; see `prune`. Used only with data.
    method : {"coverage", "error"}, default="coverage"
        How to adjust biases with data; see `adjust`. `error` is better where rules overlap and data are noisy.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.

    Returns
    -------
    Merged

    Raises
    ------
    ValueError
        If there is no program, the targets differ, or a column is of different kinds.

    Examples
    --------
    >>> from nln.rules import Feature, Target
    >>> target = Target("class", "binary", ("no", "yes"))
    >>> x, z = (Schema((Feature(name, "continuous"),), target) for name in "xz")
    >>> here = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.96)", schema=x)
    >>> there = LogicProgram.parse("IF z >= 1 THEN class = yes (weight 0.96)", schema=z)
    >>> print(merge([here, there], names=["here", "there"]))
    rule 1  class = yes  ? rows    x < 3 (weight 0.8)   from here
    rule 2  class = yes  ? rows    z >= 1 (weight 0.8)  from there
    """
    called = _check(programs, X, y, names)
    check_price(price)
    check_method(method)
    schema = join_schemas([program.schema for program in programs])
    if X is None:
        return _pooled(programs, schema, called)
    entries = _entries([under_schema(program, schema).simplify() for program in programs], [1.0] * len(programs))
    rules, first = tuple(entry.rule for entry in entries), programs[0]
    union = LogicProgram(schema, rules, first.biases, first.thresholds)
    rows = read_rows(union, X, y, tables)
    state = State(union, rows)
    refine(state, price, method)
    program = readable(state.to_program()).count_coverage(rows.columns, rows.truth)
    merged = _with_origins(program, [[called[s] for s in entries[i].sources] for i in state.living()], called)
    return replace(merged, program=with_thresholds(merged.program, rows))


def _check(programs: Sequence[LogicProgram], X: Any, y: Any, names: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(programs, LogicProgram) or not all(isinstance(program, LogicProgram) for program in programs):
        raise TypeError("programs must be a sequence of LogicProgram; a fitted classifier has one as `program_`.")
    if not programs:
        raise ValueError("programs is empty; give at least one LogicProgram.")
    if (X is None) != (y is None):
        raise ValueError("X and y go together: give both to prune and adjust on rows, or neither.")
    if names is None:
        return tuple(f"program {number}" for number in range(1, len(programs) + 1))
    if isinstance(names, str) or len(names) != len(programs):
        raise ValueError(f"names must name each of the {len(programs)} programs, not {names!r}.")
    return tuple(map(str, names))


def _pooled(programs: Sequence[LogicProgram], schema: Schema, called: tuple[str, ...]) -> Merged:
    """Merge without data."""
    distinct = list(dict.fromkeys(programs))
    groups = [tuple(name for name, other in zip(called, programs, strict=True) if other == one) for one in distinct]
    rewritten = [under_schema(p, schema).simplify() for p in distinct]
    if len(distinct) == 1:
        return Merged(rewritten[0], (groups[0],) * rewritten[0].n_rules)
    weights = _weights(distinct)
    entries = _without_included(_entries(rewritten, weights), schema)
    rules = [replace(e.rule, weight=readable_probability(-math.expm1(e.log_absent))) for e in entries]
    biases = _pool([p.biases for p in distinct], weights)
    # A program for several classes may have no thresholds, which is the same as equal ones.
    old = [p.thresholds or (DEFAULT_THRESHOLD,) * len(p.biases) for p in distinct]
    thresholds = _pool(old, weights) if any(p.thresholds for p in distinct) else ()
    program = LogicProgram(schema, tuple(rules), biases, thresholds)
    origins = [[name for source in entry.sources for name in groups[source]] for entry in entries]
    return _with_origins(program, origins, called)


def _weights(programs: Sequence[LogicProgram]) -> list[float]:
    counts = [max((r.coverage.of_rows for r in p.rules if r.coverage is not None), default=0) for p in programs]
    return [count / sum(counts) for count in counts] if all(counts) else [1.0 / len(programs)] * len(programs)


def _pool(numbers: Sequence[tuple[float, ...]], weights: Sequence[float]) -> tuple[float, ...]:
    """For each output, the weighted geometric mean of the programs' `1 - p`, taken from 1."""
    pooled = []
    for each in zip(*numbers, strict=True):
        absent = math.prod((1.0 - p) ** w for p, w in zip(each, weights, strict=True))
        pooled.append(readable_probability(1.0 - absent))
    return tuple(pooled)


def _entries(programs: Sequence[LogicProgram], weights: Sequence[float]) -> list[_Entry]:
    """Collect equal rules of different programs, with the highest bias; equal rules of one program stay apart."""
    entries: dict[tuple[Key, int], _Entry] = {}
    for source, (program, weight) in enumerate(zip(programs, weights, strict=True)):
        seen = Counter[Key]()
        for rule in program.rules:
            key = rule.label, rule.conditions
            seen[key] += 1
            share = weight * (math.log1p(-rule.weight) if rule.weight < 1 else -math.inf)
            found = entries.setdefault((key, seen[key]), _Entry(rule, 0.0, []))
            if found.sources:
                coverage = add_coverage(found.rule.coverage, rule.coverage)
                larger = max(found.rule.weight, rule.weight)
                found.rule = replace(found.rule, weight=larger, coverage=coverage, starts=None)
            found.log_absent += share
            found.sources.append(source)
    return list(entries.values())


def _without_included(entries: list[_Entry], schema: Schema) -> list[_Entry]:
    """Drop rules that a rule of another program includes; their share goes to that rule."""
    left, programs = list(entries), {id(entry): set(entry.sources) for entry in entries}
    for inner in sorted(entries, key=lambda entry: entry.rule.weight):
        for outer in left:
            if (
                outer.rule.label == inner.rule.label
                and outer.rule.is_crisp
                and outer.rule.weight >= inner.rule.weight
                and programs[id(outer)].isdisjoint(programs[id(inner)])
                and includes(outer.rule, inner.rule)
            ):
                outer.log_absent += inner.log_absent
                outer.sources += inner.sources
                left = [entry for entry in left if entry is not inner]
                break
    return left


def _with_origins(program: LogicProgram, origins: Sequence[Sequence[str]], called: tuple[str, ...]) -> Merged:
    """Bring a program into canonical form, and the origins into the order of its rules."""
    found = defaultdict[Key, set[str]](set)
    for rule, names in zip(program.rules, origins, strict=True):
        for canonical in replace(program, rules=(rule,)).simplify().rules:
            found[rule.label, canonical.conditions].update(names)
    simple = program.simplify()
    ordered = tuple(
        tuple(name for name in dict.fromkeys(called) if name in found[rule.label, rule.conditions])
        for rule in simple.rules
    )
    return Merged(simple, ordered)
