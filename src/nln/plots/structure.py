"""The parts of a network before it learns: what becomes of each feature, the rule modules, the outputs."""

from __future__ import annotations

from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from nln.plots.data import program_of
from nln.plots.style import BLUE, GREEN, GREY, LIGHT, NORMAL, ORANGE, PAPER, SMALL, TINY, new_axes, put_text, shown
from nln.rules import Schema
from nln.rules.schema import Feature, Value

_WIDTH, _HEIGHT = 1.5, 0.62
_ENCODED, _INTERVALS, _CONDITION, _RULE, _OUTPUT = 2.1, 4.0, 6.5, 8.9, 11.5
"""Where the columns stand, from the encodings to the outputs."""
_GAP = 0.95
"""Distance of two boxes, one above the other."""


class _Box(NamedTuple):
    """A node of the drawing: its place, what it says, its colour."""

    x: float
    y: float
    text: str
    colour: str = GREY


def plot_structure(
    program: Any, *, modules: bool = False, initial: bool = False, rules: int = 2, ax: Axes | None = None
) -> Axes:
    """Draw how the features of a program enter a network, from left to right, up to the outputs.

    A binary feature enters the AND node of each rule directly, a categorical one through an OR node over its values,
    an ordered one through an OR node over intervals, which are AND nodes over fuzzy dichotomies. With `modules`, each
    rule is drawn with OR nodes of its own, as it is trained: values and intervals are shared by all rules.

    Parameters
    ----------
    program : LogicProgram, fitted model or Schema
        What names the features and the target.
    modules : bool, default=False
        Whether each rule has its own module.
    initial : bool, default=False
        Whether to write on the lines how the weights are drawn before training, and the biases into the nodes.
    rules : int, default=2
        Number of rules to draw.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln.rules import Feature, Schema, Target
    >>> features = Feature("smoker", "binary", ("no", "yes")), Feature("age", "continuous")
    >>> ax = plot_structure(Schema(features, Target("state", "binary", ("well", "ill"))))
    >>> [text.get_text() for text in ax.texts][-1]
    'OR\\nstate = ill'
    """
    schema = program if isinstance(program, Schema) else program_of(program).schema
    height = _GAP * len(schema.features) * (rules if modules else 1)
    ax = ax or new_axes(9.4, max(0.62 * height, 2.2) + 0.5)
    drawing = _Drawing(ax, schema, height, initial)
    places = _spread(len(schema.features), height)
    encoded = [drawing.encoding(feature, y) for feature, y in zip(schema.features, places, strict=True)]
    shared = [] if modules else drawing.conditions(encoded, places, own=False)
    ands = []
    for number, y in enumerate(_spread(rules, height), 1):
        conditions = shared
        if modules:
            inner = [y + 0.8 * (place - height / 2) / rules for place in places]
            drawing.module(number, min(inner), max(inner))
            conditions = drawing.conditions(encoded, inner, own=True)
        ands.append(drawing.rule(number, y, conditions))
    for label, y in zip(schema.target.outputs, _spread(len(schema.target.outputs), height), strict=True):
        drawing.output(label, y, ands)
    ax.set(xlim=(-0.9, _OUTPUT + 0.9), ylim=(-0.75, height - 0.1))
    ax.set_axis_off()
    return ax


def _spread(n: int, height: float) -> list[float]:
    """Places of n boxes over a height, the first at the top."""
    return [height * (n - i - 0.5) / n - 0.35 for i in range(n)]


class _Drawing(NamedTuple):
    """The axes, and what is drawn into them."""

    ax: Axes
    schema: Schema
    height: float
    initial: bool

    def encoding(self, feature: Feature, y: float) -> _Box:
        """Draw a feature and what it is encoded as; return the box that goes on."""
        name = self.box(_Box(0.0, y, shown(feature.name, 14)))
        if feature.kind == "binary":
            return name
        if feature.kind == "categorical":
            return self.after(name, _ENCODED, "one-hot\n" + shown(", ".join(map(str, feature.values or ())), 16), GREY)
        above = self.after(name, _ENCODED, f"dichotomies\nσ(α ({shown(feature.name, 6)} − B))", ORANGE)
        return self.after(above, _INTERVALS, "AND\nintervals", BLUE)

    def conditions(self, encoded: list[_Box], places: list[float], *, own: bool) -> list[_Box]:
        """Draw the OR nodes over values and intervals; a binary feature enters a rule as it is."""
        found = []
        for feature, box, y in zip(self.schema.features, encoded, places, strict=True):
            if feature.kind != "binary":
                what = "values" if feature.kind == "categorical" else "intervals"
                found.append(self.after(box, _CONDITION, f"OR\n{what}", GREEN, "U(0, 1)", y))
            elif own:
                found.append(self.after(box, _CONDITION, shown(feature.name, 14), GREY, y=y))
            else:
                found.append(box)
        return found

    def rule(self, number: int, y: float, conditions: list[_Box]) -> _Box:
        """Draw the AND node of a rule."""
        box = self.box(_Box(_RULE, y, f"AND, a = 1\nrule {number}" if self.initial else f"AND\nrule {number}", BLUE))
        for feature, condition in zip(self.schema.features, conditions, strict=True):
            self.line(condition, box, "U(−1, 1)" if feature.kind == "binary" else "1")
        return box

    def output(self, label: Value, y: float, ands: list[_Box]) -> None:
        """Draw the OR node of an output."""
        name = "" if self.schema.target.kind == "multilabel" else f"{shown(self.schema.target.name, 8)} = "
        node = "OR, o = 0" if self.initial else "OR"
        box = self.box(_Box(_OUTPUT, y, f"{node}\n{name}{shown(label, 10)}", GREEN))
        for end in ands:
            self.line(end, box, "U(0, 1)")

    def module(self, number: int, low: float, high: float) -> None:
        """Frame what one rule has for itself."""
        place, width = (_CONDITION - 0.9, low - 0.42), _RULE - _CONDITION + 1.8
        style = "round,pad=0,rounding_size=0.15"
        frame: dict[str, Any] = {"boxstyle": style, "facecolor": PAPER, "edgecolor": LIGHT, "zorder": 0}
        self.ax.add_patch(FancyBboxPatch(place, width, high - low + 0.84, **frame))
        text = f"rule module {number}"
        put_text(self.ax, place[0] + width - 0.1, low - 0.3, text, fontsize=SMALL, color=GREY, ha="right")

    def after(self, before: _Box, x: float, text: str, colour: str, weight: str = "", y: float | None = None) -> _Box:
        """Draw a box that another one leads to."""
        box = self.box(_Box(x, before.y if y is None else y, text, colour))
        self.line(before, box, weight)
        return box

    def box(self, box: _Box) -> _Box:
        """Draw a box."""
        corner = (box.x - _WIDTH / 2, box.y - _HEIGHT / 2)
        look: dict[str, Any] = {
            "boxstyle": "round,pad=0,rounding_size=0.12",
            "facecolor": "white",
            "edgecolor": box.colour,
        }
        self.ax.add_patch(FancyBboxPatch(corner, _WIDTH, _HEIGHT, **look, zorder=2))
        size = SMALL if "\n" in box.text else NORMAL
        put_text(self.ax, box.x, box.y, box.text, fontsize=size, ha="center", va="center", zorder=4)
        return box

    def line(self, start: _Box, end: _Box, weight: str = "") -> None:
        """Draw a line from a box to another one, with how its weight begins if that is asked for."""
        x, y = (start.x + _WIDTH / 2, end.x - _WIDTH / 2), (start.y, end.y)
        self.ax.plot(x, y, color=LIGHT, linewidth=1.0, zorder=1)
        if self.initial and weight:
            under = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
            place = sum(x) / 2, sum(y) / 2
            put_text(self.ax, *place, weight, fontsize=TINY, color=GREY, ha="center", va="center", zorder=3, bbox=under)
