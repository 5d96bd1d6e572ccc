"""Small programs with tables, one for each kind of target, and names that are hard to draw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from nln.rules import (
    Boundary,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    Rule,
    Schema,
    Target,
    ValueCondition,
)


@dataclass(frozen=True)
class Case:
    program: LogicProgram
    columns: dict[str, list[Any]]
    y: Any


def new_ax(width=5.0, height=4.0):
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure.subplots()


def texts(ax):
    """All texts of axes and of the axes inside them."""
    return [text.get_text() for part in (ax, *ax.child_axes) for text in part.texts]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def patches(ax, kind):
    """The patches of one class."""
    return [patch for patch in ax.patches if isinstance(patch, kind)]


FEATURES = (
    Feature("x", "continuous"),
    Feature("colour", "categorical", ("blue", "green", "red")),
    Feature("on", "binary", (False, True)),
    Feature("size", "ordinal", ("s", "m", "l")),
)
COLUMNS: dict[str, list[Any]] = {
    "x": [1.0, 2.0, 2.5, None, 4.0, 5.0, 6.0, 7.0],
    "colour": ["blue", "red", "green", None, "red", "blue", "blue", "green"],
    "on": [True, False, True, True, False, False, True, False],
    "size": ["s", "m", "l", "s", "m", "l", "s", None],
}


def binary():
    schema = Schema(FEATURES, Target("class", "binary", ("no", "yes")))
    text = """
    IF x < 3 ± 0.5 or missing (0.25) AND colour != green THEN class = yes (0.9)
    IF on = false AND size >= m THEN class = yes (0.8)
    IF colour in {blue, red} AND on = true AND 2 <= x < 5 THEN class = yes (0.7)
    OTHERWISE class = no (P(class = yes) = 0.1; class = yes from 0.5)
    """
    y = ["yes", "yes", "no", "yes", "yes", "no", "no", "no"]
    return Case(LogicProgram.parse(text, schema=schema), COLUMNS, y)


def multiclass():
    schema = Schema(FEATURES, Target("class", "multiclass", ("a", "b", "c")))
    text = """
    IF x < 3 THEN class = a (0.9)
    IF colour = red THEN class = b (0.8)
    IF x >= 4 THEN class = b (0.6)
    IF on = true THEN class = c
    """
    return Case(LogicProgram.parse(text, schema=schema), COLUMNS, ["a", "a", "a", "b", "b", "b", "c", "c"])


def multilabel():
    """A Boolean network of three genes, with all its states."""
    genes = ("p", "q", "r")
    schema = Schema(tuple(Feature(g, "binary", (0, 1)) for g in genes), Target("next", "multilabel", genes))
    text = "IF q = 1 AND r = 0 THEN p IF p = 0 THEN q (0.9) IF r = 1 THEN r IF p = 1 AND r = 0 THEN r"
    bits = [[i >> k & 1 for i in range(8)] for k in range(3)]
    program = LogicProgram.parse(text, schema=schema)
    columns = dict(zip(genes, bits, strict=True))
    return Case(program, columns, program.predict(columns))


UGLY = (
    "long " * 100,
    "$x_1$",
    "_hidden",
    "<script>alert(1)</script>",
    'quo"ted',
    "tulip 🌷",
    "two\nlines",
    r"\frac{",
    "",
)


def ugly():
    """Every name, value and label is hard to draw."""
    features, conditions, columns = [], [], {}
    for i, name in enumerate(UGLY):
        if i % 2:
            features.append(Feature(name, "categorical", UGLY))
            conditions.append(ValueCondition(name, (name, UGLY[i - 1]), negated=i > 4))
            columns[name] = list(UGLY)
        else:
            features.append(Feature(name, "continuous"))
            conditions.append(IntervalCondition(name, (Interval(high=Boundary(3.0, 1.0)),)))
            columns[name] = [float(k) for k in range(len(UGLY))]
    schema = Schema(tuple(features), Target("$t^$", "multiclass", UGLY))
    rules = tuple(Rule((condition,), label, 0.9) for condition, label in zip(conditions, UGLY, strict=True))
    program = LogicProgram(schema, (*rules, Rule(tuple(conditions), UGLY[0])), (0.01,) * len(UGLY), ())
    return Case(program, columns, list(UGLY))


CASES = {"binary": binary, "multiclass": multiclass, "multilabel": multilabel, "ugly": ugly}
