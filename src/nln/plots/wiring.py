"""A Boolean network as its wiring: which gene switches which on or off."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, FancyArrowPatch

from nln.plots.data import program_of
from nln.plots.graph import is_negation
from nln.plots.style import BLUE, INK, NEGATION, PINK, SMALL, new_axes, put_legend, put_text, shown
from nln.rules import LogicProgram, Value

Effect: TypeAlias = Literal["activates", "inhibits", "both"]

_COLOURS: dict[Effect, str] = {"activates": BLUE, "inhibits": NEGATION, "both": PINK}
_NODE, _RING, _LIMIT = 0.13, 1.0, 1.4
_NEXT = "_next"


def plot_wiring(program: Any, *, ax: Axes | None = None) -> Axes:
    """Draw a Boolean network, a multi-label target whose labels are also features, as a graph on a circle.

    A blue arrow means that a gene activates another: some rule of the label at its end asks for the feature at its
    start to be on. A red line that ends in a bar means that it inhibits: some rule asks for the feature to be off. A
    pink arrow means that rules ask for both.

    Parameters
    ----------
    program : LogicProgram or fitted model
        A multi-label program. A label and the feature of the same name are one node, and so are `GENE_next` and `GENE`,
        the names that `load_boolean_network` gives.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> genes = ("a", "b")
    >>> schema = Schema(tuple(Feature(g, "binary", (0, 1)) for g in genes), Target("next", "multilabel", genes))
    >>> program = LogicProgram.parse("IF b = 1 THEN a IF a = 0 THEN b", schema=schema)
    >>> ax = plot_wiring(program)
    >>> [text.get_text() for text in ax.texts]
    ['a', 'b']
    """
    program = program_of(program)
    effects = wiring(program)
    names = list(
        dict.fromkeys([*(_node(label, program) for label in program.schema.target.labels), *(a for a, _ in effects)])
    )
    ax = ax or new_axes(5.2, 5.2)
    ax.set(xlim=(-_LIMIT, _LIMIT), ylim=(-_LIMIT, _LIMIT), aspect="equal")
    ax.set_axis_off()
    # Clockwise from the top, in the order of the labels.
    angles = np.pi / 2 - 2 * np.pi * np.arange(len(names)) / len(names)
    radius = min(_NODE, 1.6 / len(names))
    places = {name: (_RING * np.cos(t), _RING * np.sin(t)) for name, t in zip(names, angles, strict=True)}
    circles = {
        name: Circle((x, y), radius, facecolor="white", edgecolor=INK, linewidth=1.2, zorder=3)
        for name, (x, y) in places.items()
    }
    for name, circle in circles.items():
        ax.add_patch(circle)
        put_text(ax, circle.center[0], circle.center[1], shown(name, 8), ha="center", fontsize=SMALL, zorder=4)
    for (start, end), effect in effects.items():
        if start == end:
            _draw_loop(ax, circles[start], effect)
        else:
            # Arrows in both directions bend away from each other; each line ends where it meets the circles.
            ends = {"patchA": circles[start], "patchB": circles[end]}
            _draw_arrow(ax, circles[start].center, circles[end].center, effect, bend=0.13, **ends)
    present = [effect for effect in _COLOURS if effect in effects.values()]
    marks = [Line2D([], [], color=_COLOURS[effect], linewidth=1.5) for effect in present]
    put_legend(ax, marks, list(present), loc="upper left")
    return ax


def wiring(program: LogicProgram) -> dict[tuple[str, str], Effect]:
    """Find which feature acts on which label: a mapping from pairs of names to what the first does to the second."""
    target = program.schema.target
    labels = {_node(label, program) for label in target.labels}
    if target.kind != "multilabel" or not labels & set(program.schema.names):
        raise ValueError(
            f"A wiring needs a multi-label target whose labels are names of features, with or without {_NEXT!r} at the "
            f"end; the target is {target.kind} and its labels are {', '.join(map(repr, target.labels[:10]))}."
        )
    found: dict[tuple[str, str], Effect] = {}
    for rule in program.rules:
        for condition in rule.conditions:
            feature = program.schema[condition.feature]
            effect: Effect = "inhibits" if is_negation(condition, feature) else "activates"
            pair = (feature.name, _node(rule.label, program))
            found[pair] = effect if found.get(pair, effect) == effect else "both"
    return found


def _node(label: Value, program: LogicProgram) -> str:
    """Name the node of a label: the feature whose next value the label is, if there is one."""
    name = str(label)
    feature = name.removesuffix(_NEXT)
    return feature if name not in program.schema.names and feature in program.schema.names else name


def _draw_loop(ax: Axes, circle: Circle, effect: Effect) -> None:
    out = np.array(circle.center) / np.linalg.norm(circle.center)
    side = np.array([-out[1], out[0]])
    start, end = (circle.center + circle.radius * (0.75 * out + turn * 0.66 * side) for turn in (1, -1))
    _draw_arrow(ax, tuple(start), tuple(end), effect, bend=-1.6)


def _draw_arrow(ax: Axes, start: Any, end: Any, effect: Effect, *, bend: float, **patches: Any) -> None:
    style = "-[,widthB=0.5,lengthB=0" if effect == "inhibits" else "-|>,head_length=0.55,head_width=0.25"
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle=style,
            connectionstyle=f"arc3,rad={bend}",
            color=_COLOURS[effect],
            linewidth=1.3,
            mutation_scale=11,
            shrinkA=0,
            shrinkB=3,
            zorder=2,
            **patches,
        )
    )
