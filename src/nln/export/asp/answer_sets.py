"""Crisp programs as answer set programs for clingo.

Solvers know integers but no fractions. So numbers enter as cells, counted between the boundaries that the program uses,
and probabilities enter as the states of a diagram (`nln.export.asp.states`). Both are exact. What is calculated from
columns is a fact of its own for the same reason: `asp_facts` calculates it.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from nln.export.asp.states import diagram
from nln.export.plain import plain_conditions
from nln.export.wording import check_characters, rule_comment
from nln.rules.cells import MISSING, UNSEEN
from nln.rules.children.reading import Tables
from nln.rules.columns import read_inputs
from nln.rules.condition import Condition, IntervalCondition, ValueCondition, is_crisp
from nln.rules.language.text import condition_text
from nln.rules.language.words import number
from nln.rules.program import LogicProgram
from nln.rules.schema import Value

_HEAD = """\
% Facts about rows: row(R), value(R, Feature, Value) for categories, cell(R, Feature, Cell) for numbers.
% Without a value or a cell the feature is missing. nln.export.asp_facts writes the facts of a table.
known(R, F) :- value(R, F, _).
known(R, F) :- cell(R, F, _).
#defined value/3. #defined cell/3. #defined row/1. #defined holds/2. #defined fired/2. #defined step/4.
"""

_DECISIONS = {
    "binary": "decision(R, {yes}) :- probability_rank(R, 0, P), P >= {rank}.\n"
    "decision(R, {no}) :- probability_rank(R, 0, P), P < {rank}.\n",
    "multilabel": "decision(R, {yes}) :- probability_rank(R, {output}, P), P >= {rank}.\n",
    "multiclass": "decision(R, {yes}) :- probability_rank(R, {output}, P), not better(R, {output}).\n",
}

_BETTER = """\
better(R, K) :- probability_rank(R, K, P), probability_rank(R, L, Q), Q > P.
better(R, K) :- probability_rank(R, K, P), probability_rank(R, L, P), L < K.
"""

_STATES = """
% States that the rules of an output lead through: step(State, Rule, State if it fires, State if not).
at(R, S) :- row(R), start(S).
at(R, Yes) :- at(R, S), step(S, I, Yes, _), fired(R, I).
at(R, No) :- at(R, S), step(S, I, _, No), not fired(R, I).
probability(R, L, P) :- at(R, S), end(S, K, P, _), output(K, L).
probability_rank(R, K, Rank) :- at(R, S), end(S, K, _, Rank).
"""


def to_asp(program: LogicProgram) -> str:
    """Write an answer set program for clingo.

    Parameters
    ----------
    program : LogicProgram
        A program whose rules are all crisp.

    Returns
    -------
    str
        A program that derives, for the rows given by `asp_facts`, `fired(Row, Rule)`, `decision(Row, Label)` and
        `probability(Row, Output, "0.75")`; probabilities are text because solvers have no fractions.

    Raises
    ------
    ValueError
        If a rule is fuzzy, or if the rules can give too many different probabilities.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.75)", schema=schema)
    >>> source = to_asp(program)
    >>> print(source[source.index("% x <"):source.index("% States")].strip())
    % x < 3
    holds(R, 1) :- cell(R, "x", C), C < 1.
    <BLANKLINE>
    % IF   x < 3
    % THEN class = yes    (weight 0.75)
    fired(R, 1) :- row(R), holds(R, 1).
    """
    _check_crisp(program)
    places: dict[Condition, int] = {}
    texts: dict[Condition, str] = {}
    rules = []
    for i, rule in enumerate(program.rules, 1):
        asked = {condition.feature: condition for condition in rule.conditions}
        holds = []
        for condition, feature in plain_conditions(rule, program, reads=True):
            holds.append(f"holds(R, {places.setdefault(condition, len(places) + 1)})")
            texts.setdefault(condition, condition_text(asked[feature.name], feature))
        comment = rule_comment(rule, program.schema, "%")
        rules.append(f"\n{comment}fired(R, {i}) :- {', '.join(['row(R)', *holds])}.\n")
    cuts = _cuts(program)
    conditions = [f"% {texts[c]}\n{_condition(c, place, program, cuts)}" for c, place in places.items()]
    return "\n".join([_HEAD, "".join(conditions)]) + "".join(rules) + _STATES + _facts_and_decisions(program)


def asp_facts(program: LogicProgram, X: Any, *, tables: Tables | None = None) -> str:
    """Write the rows of a table as facts for the program of `to_asp`.

    Parameters
    ----------
    program : LogicProgram
        The program whose conditions say which features and boundaries matter.
    X : array-like of shape (n_samples, n_features)
        Any form that `predict_proba` takes; rows are numbered from 0.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names. The facts hold the counts.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.75)", schema=schema)
    >>> print(asp_facts(program, {"x": [2.0, 3.0, None]}))
    row(0..2).
    cell(0, "x", 0).
    cell(1, "x", 1).
    """
    columns, rows, _ = read_inputs(X, program.schema, only=program.features_used, tables=tables)
    cuts = _cuts(program)
    lines = [f"row(0..{rows - 1})."] if rows else []
    for name in program.features_used:
        column = columns[name]
        values = program.schema[name].values
        for row, entry in enumerate(column.tolist()):
            if program.schema[name].is_numeric:
                if entry == entry:  # noqa: PLR0124 - not NaN
                    lines.append(f"cell({row}, {text_term(name)}, {bisect_right(cuts.get(name, []), entry)}).")
            elif entry != MISSING:
                term = "unseen" if entry == UNSEEN else value_term(values[int(entry)])
                lines.append(f"value({row}, {text_term(name)}, {term}).")
    return "\n".join(lines)


def value_term(value: Value) -> str:
    """Write a value as a term; numbers other than small integers as `number("2.5")`."""
    if isinstance(value, str):
        return text_term(value)
    if value == int(value) and abs(value) < 2**31:
        return str(int(value))
    return f'number("{number(value)}")'


def text_term(text: str) -> str:
    """Write text as a string of clingo, which has escapes for quotes, backslashes and line breaks only."""
    check_characters(text, "Clingo")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _check_crisp(program: LogicProgram) -> None:
    for place, rule in enumerate(program.rules, 1):
        for condition in rule.conditions:
            feature = program.schema[condition.feature]
            if not is_crisp(condition, feature):
                asked = condition_text(condition, feature)
                raise ValueError(
                    f"Rule {place} is fuzzy: `{asked}` holds to a degree, and answer set programs know only true "
                    f"and false. Make its boundaries crisp and its `or missing` certain, ask about no probability, or "
                    f"export to SQL or Prolog."
                )


def _cuts(program: LogicProgram) -> dict[str, list[float]]:
    """Collect for each feature the boundaries that some rule uses; cell c lies between boundaries c - 1 and c."""
    cuts: dict[str, set[float]] = {}
    for rule in program.rules:
        for condition, _ in plain_conditions(rule, program, reads=True):
            if isinstance(condition, IntervalCondition):
                cuts.setdefault(condition.feature, set()).update(b.value for b in condition.boundaries)
    return {name: sorted(places) for name, places in cuts.items()}


def _condition(condition: Condition, place: int, program: LogicProgram, cuts: dict[str, list[float]]) -> str:
    feature, name = program.schema[condition.feature], text_term(condition.feature)
    head = f"holds(R, {place})"
    lines = [f"{head} :- row(R), not known(R, {name})."] if condition.missing else []
    if isinstance(condition, ValueCondition) and feature.is_numeric:
        lines += [f"{head} :- row(R), known(R, {name})."] * condition.negated  # a probability, known or not
    elif isinstance(condition, ValueCondition):
        values = [value_term(value) for value in condition.values]
        if condition.negated:
            differs = "".join(f", V != {value}" for value in values)
            lines.append(f"{head} :- value(R, {name}, V){differs}.")
        else:
            lines.extend(f"{head} :- value(R, {name}, {value})." for value in values)
    else:
        for interval in condition.intervals:
            low = "" if interval.low is None else f", C >= {cuts[feature.name].index(interval.low.value) + 1}"
            high = "" if interval.high is None else f", C < {cuts[feature.name].index(interval.high.value) + 1}"
            lines.append(f"{head} :- cell(R, {name}, C){low}{high}.")
    return "".join(f"{line}\n" for line in lines)


def _facts_and_decisions(program: LogicProgram) -> str:
    target = program.schema.target
    states = diagram(program)
    thresholds = program.thresholds
    if target.kind == "multiclass":  # classes are ranked by their probabilities divided by their thresholds
        measured = [p / thresholds[k] if thresholds else p for _, k, p in states.ends]
        thresholds = ()
    else:
        measured = [p for _, _, p in states.ends]
    ranked = {p: rank for rank, p in enumerate(sorted({*measured, *thresholds}))}
    lines = [f"start({state})." for state in states.starts]
    lines += [f"step({', '.join(map(str, step))})." for step in states.steps]
    ends = zip(states.ends, measured, strict=True)
    lines += [f'end({state}, {output}, "{number(p)}", {ranked[m]}).' for (state, output, p), m in ends]
    lines += [f"output({k}, {value_term(label)})." for k, label in enumerate(target.outputs)]
    decisions = [
        _DECISIONS[target.kind].format(
            yes=value_term(label),
            no=value_term(target.labels[0]),
            output=k,
            rank=ranked[thresholds[k]] if thresholds else "",
        )
        for k, label in enumerate(target.outputs)
    ]
    better = _BETTER if target.kind == "multiclass" else ""
    shown = "#show fired/2. #show decision/2. #show probability/3.\n"
    return "\n".join(lines) + "\n\n" + better + "".join(decisions) + shown
