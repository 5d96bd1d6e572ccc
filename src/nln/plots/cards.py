"""One card per rule: its conditions, each on the axis of its feature, the data behind, its coverage and weight."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from nln.model import read_inputs_for
from nln.plots.checklist import draw_checklist, is_checklist
from nln.plots.condition_panel import SHADES, Behind, draw_condition
from nln.plots.data import Mask, program_of, rule_number
from nln.plots.kernels import draw_kernel, find_kernel
from nln.plots.style import GREY, INK, LARGE, SMALL, label_colours, new_bare_grid, put_legend, put_text, shown, size_of
from nln.rules import Condition, IntervalCondition, LogicProgram, Rule, Schema, condition_text
from nln.rules.cells import Column
from nln.rules.children.reading import Tables
from nln.rules.columns import read_truth
from nln.rules.derived.count import Count
from nln.rules.language.calculations import count_texts
from nln.rules.language.text import conclusion_text, numbers_text

# Inches: width of a card, its head, one condition.
_WIDTH, _HEAD, _ROW = 6.2, 0.62, 0.78
_LETTERS, _LINES = 34, 3


def plot_rule(
    program: Any,
    rule: Rule | int,
    X: Any = None,
    y: Any = None,
    *,
    tables: Tables | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one rule as a card.

    Each condition is drawn on the axis of its feature. A curve says how far a number satisfies it: a fuzzy boundary is
    a slope, a crisp one a step. Coloured bars are values that satisfy it. A calculation has an axis of its own, and a
    count is a checklist of its members, with the shares of the rows that satisfy them. What is asked of windows of
    images or series is a small picture of their cells, in which those that may hold anything are empty. The data are
    drawn behind, with the rows of the rule's label in the darker shade.

    Parameters
    ----------
    program : LogicProgram or fitted model
        The rules.
    rule : Rule or int
        One of the program's rules, or its number, counted from 1.
    X : array-like of shape (n_samples, n_features), default=None
        The rows to draw behind the conditions; if `y` is given too, what the rule covers is counted on them.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        The true labels, as `LogicProgram.with_coverage` takes them.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes
        The card; the conditions are drawn in its `child_axes`.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 ± 1 THEN class = yes (weight 0.9)", schema=schema)
    >>> card = plot_rule(program, 1, {"x": [1, 2, 4]}, ["yes", "yes", "no"])
    >>> [text.get_text() for text in card.texts]
    ['rule 1', 'THEN class = yes', '2 rows, 100 % yes; 2 of 2 yes in 3 rows; weight 0.9', 'x < 3\xa0±\xa01']
    """
    return plot_rules(program, X, y, tables=tables, rules=[rule], axes=None if ax is None else [ax])[0]


def plot_rules(
    program: Any,
    X: Any = None,
    y: Any = None,
    *,
    tables: Tables | None = None,
    rules: Iterable[Rule | int] | None = None,
    columns: int = 2,
    axes: Any = None,
) -> list[Axes]:
    """Draw a grid of cards, one per rule, as `plot_rule` draws them.

    Parameters
    ----------
    program : LogicProgram or fitted model
        The rules.
    X : array-like of shape (n_samples, n_features), default=None
        The rows to draw behind the conditions; if `y` is given too, what each rule covers is counted on them.
    y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
        The true labels, as `LogicProgram.with_coverage` takes them.
    tables : mapping of str to Child or table, default=None
        The child tables whose rows the rules count, by their names.
    rules : iterable of Rule or int, default=None
        The rules to draw; all by default.
    columns : int, default=2
        Number of cards side by side.
    axes : sequence or array of Axes, default=None
        Axes to draw into, one per rule; by default those of a new figure.

    Returns
    -------
    list of Axes
        One card per rule.
    """
    program, data, holds = _read(program, X, y, tables)
    numbers = [rule_number(program, rule) for rule in (range(1, program.n_rules + 1) if rules is None else rules)]
    if not numbers:
        raise ValueError("There is no rule to draw: the program has none, or `rules` is empty.")
    if axes is None:
        columns = min(columns, len(numbers))
        heights = [_HEAD + _ROW * max(sum(_rows(program.rules[number - 1], program.schema)), 1) for number in numbers]
        tallest = [max(heights[i : i + columns]) for i in range(0, len(heights), columns)]
        axes = new_bare_grid(tallest, columns, _WIDTH)
        for unused in axes[len(numbers) :]:
            unused.set_axis_off()
    cards: list[Axes] = list(np.ravel(np.asarray(axes, dtype=object)))  # also a grid as `subplots` returns it
    if len(cards) < len(numbers):
        raise ValueError(f"{len(numbers)} rules need {len(numbers)} axes, but only {len(cards)} were given.")
    for ax, number in zip(cards, numbers, strict=False):
        _draw_card(ax, program, number, data, holds)
    return cards[: len(numbers)]


def _read(
    model: Any, X: Any, y: Any, tables: Tables | None
) -> tuple[LogicProgram, dict[str, Column] | None, Mask | None]:
    """Read what is drawn behind the conditions; with the truth, the program says what its rules cover."""
    program = program_of(model)
    if X is None:
        return program, None, None
    columns, n_rows, _ = read_inputs_for(model, X, tables=tables)
    if y is None:
        return program, columns, None
    holds = read_truth(y, program.schema, n_rows)
    return program.count_coverage(columns, holds), columns, holds


def _draw_card(
    ax: Axes, program: LogicProgram, number: int, data: dict[str, Column] | None, holds: Mask | None
) -> None:
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.set_axis_off()
    rule, target = program.rules[number - 1], program.schema.target
    output = target.outputs.index(rule.label)
    colour = label_colours(len(target.outputs))[output]
    height = size_of(ax)[1]
    head = min(_HEAD / height, 0.4)
    _draw_head(ax, program, number, colour, head)
    if holds is not None:
        _draw_key(ax, conclusion_text(target, rule.label), head)
    places = _rows(rule, program.schema)
    step = min(_ROW / height, (1 - head) / max(sum(places), 1))
    if not rule.conditions:
        put_text(ax, 0.0, 1 - head - 0.4 * step, "always")
    top = 1 - head
    held = None if holds is None else holds[:, output]
    for condition, rows in zip(rule.conditions, places, strict=True):
        _draw_row(ax, condition, program.schema, (top, step, rows), data, held, colour)
        top -= rows * step


def _rows(rule: Rule, schema: Schema) -> list[float]:
    """Return the heights of a rule's conditions: a checklist is as high as its members, a picture as its cells."""
    return [_height(condition, schema) for condition in rule.conditions]


def _height(condition: Condition, schema: Schema) -> float:
    derived = schema[condition.feature].derived
    if isinstance(derived, Count) and is_checklist(condition, schema):
        return max(1.0, 0.3 * len(derived.members) + 0.2)
    kernel = find_kernel(condition, schema)
    return 1.0 if kernel is None else max(0.8, kernel.height * kernel.inches / _ROW + 0.25)


def _draw_row(
    ax: Axes,
    condition: Condition,
    schema: Schema,
    place: tuple[float, float, float],
    data: dict[str, Column] | None,
    holds: Mask | None,
    colour: str,
) -> None:
    """Draw a condition: its text, and its feature's axis, values or checklist."""
    feature, (top, step, rows) = schema[condition.feature], place
    if isinstance(feature.derived, Count) and is_checklist(condition, schema):
        assert isinstance(condition, IntervalCondition)
        wanted = [
            text.removesuffix(f" of {feature.derived.set_text}") for text in count_texts(condition, feature.derived)
        ]
        put_text(ax, 0.0, top - 0.38 * step, _wrapped(f"{' or '.join(wanted)} of {len(feature.derived.members)} hold"))
        panel = ax.inset_axes((0.44, top - (rows - 0.1) * step, 0.56, (rows - 0.15) * step))
        draw_checklist(panel, feature.derived, schema, data, holds, colour)
        return
    if kernel := find_kernel(condition, schema):
        put_text(ax, 0.0, top - 0.38 * step, _wrapped(kernel.text))
        draw_kernel(ax.inset_axes((0.44, top - (rows - 0.1) * step, 0.56, (rows - 0.15) * step)), kernel)
        return
    put_text(ax, 0.0, top - 0.38 * step, _wrapped(condition_text(condition, feature)))
    # Numbers leave room for a note on missing values; among values, these have a bar of their own.
    panel = ax.inset_axes((0.44, top - 0.72 * step, 0.43 if feature.is_numeric else 0.56, 0.66 * step))
    behind = None if data is None else Behind(data[feature.name], holds)
    draw_condition(panel, condition, feature, behind, colour)


def _draw_head(ax: Axes, program: LogicProgram, number: int, colour: str, head: float) -> None:
    rule, target = program.rules[number - 1], program.schema.target
    ax.plot([0, 1], [1, 1], color=colour, linewidth=3, clip_on=False, solid_capstyle="butt")
    put_text(ax, 0.0, 1 - 0.3 * head, f"rule {number}", fontsize=LARGE, fontweight="bold")
    conclusion = f"THEN {shown(conclusion_text(target, rule.label), 40)}"
    put_text(ax, 0.16, 1 - 0.3 * head, conclusion, fontsize=LARGE, color=INK)
    put_text(ax, 0.16, 1 - 0.65 * head, shown(numbers_text(rule, target), 80), fontsize=SMALL, color=GREY)


def _draw_key(ax: Axes, label: str, head: float) -> None:
    """Explain the two shades of the data."""
    marks = [Patch(color=SHADES[holds]) for holds in (True, False)]
    names = [shown(label, 24), "other rows"]
    options = {"loc": "upper right", "bbox_to_anchor": (1.0, 1 - 0.05 * head), "borderaxespad": 0.0}
    put_legend(ax, marks, names, handlelength=0.8, handleheight=0.8, labelspacing=0.25, **options)


def _wrapped(text: str) -> str:
    """Break a condition into lines, but not between a number and its width."""
    joined = shown(text, _LETTERS * _LINES).replace(" ± ", "\u00a0±\u00a0")
    return "\n".join(textwrap.wrap(joined, _LETTERS, break_on_hyphens=False)[:_LINES])
