"""Rules about the squares of a board, drawn as boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Circle, Rectangle

from nln.plots.data import program_of
from nln.plots.style import BLUE, GREY, INK, LIGHT, NEGATION, NORMAL, ORANGE, PAPER, SMALL, new_axes, put_text, shown
from nln.rules import Condition, LogicProgram, ValueCondition, condition_text
from nln.rules.language.text import conclusion_text
from nln.rules.language.words import rounded
from nln.rules.schema import Feature

TIC_TAC_TOE = tuple(
    tuple(f"{row}-{column}-square" for column in ("left", "middle", "right")) for row in ("top", "middle", "bottom")
)
"""Names of the squares in `nln.datasets.load_tic_tac_toe`."""

_GAP, _HEAD = 0.7, 0.85


def plot_boards(
    program: Any, *, squares: Sequence[Sequence[str]] = TIC_TAC_TOE, columns: int = 4, ax: Axes | None = None
) -> Axes:
    """Draw each rule as a board: each square shows what the rule asks of it, and a negation is struck out in red.

    Parameters
    ----------
    program : LogicProgram or fitted model
        The rules, which may ask about squares only.
    squares : sequence of sequence of str, default=TIC_TAC_TOE
        Names of the features of the squares, line by line; by default those of tic-tac-toe.
    columns : int, default=4
        Number of boards side by side.
    ax : Axes, default=None
        Axes to draw into; by default those of a new figure.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> names = [name for line in TIC_TAC_TOE for name in line]
    >>> features = tuple(Feature(name, "categorical", ("b", "o", "x")) for name in names)
    >>> schema = Schema(features, Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF top-left-square = x THEN class = yes (weight 0.9)", schema=schema)
    >>> [text.get_text() for text in plot_boards(program).texts]
    ['rule 1 · weight 0.9', 'class = yes']
    """
    program = program_of(program)
    places = {name: (i, j) for i, line in enumerate(squares) for j, name in enumerate(line)}
    outside = [name for name in program.features_used if name not in places]
    if outside:
        raise ValueError(
            f"The rules ask about {outside[0]!r}, which is not one of the squares; name the squares in `squares`."
        )
    high, wide = len(squares), max(map(len, squares))
    columns = max(1, min(columns, program.n_rules))
    lines = -(-program.n_rules // columns)
    width, height = columns * (wide + _GAP) - _GAP, lines * (high + _HEAD + _GAP) - _GAP
    ax = ax or new_axes(0.42 * width + 0.3, 0.42 * max(height, 1) + 0.3)
    ax.set(xlim=(-0.1, max(width, 1) + 0.1), ylim=(max(height, 1) + 0.1, -0.1), aspect="equal")
    ax.set_axis_off()
    for k in range(program.n_rules):
        x, y = (k % columns) * (wide + _GAP), (k // columns) * (high + _HEAD + _GAP)
        _draw_board(ax, program, k, places, x, y)
    return ax


def _draw_board(
    ax: Axes, program: LogicProgram, k: int, places: dict[str, tuple[int, int]], x: float, y: float
) -> None:
    rule = program.rules[k]
    put_text(ax, x, y + 0.18, f"rule {k + 1} · weight {rounded(rule.weight)}", fontsize=NORMAL)
    conclusion = shown(conclusion_text(program.schema.target, rule.label), 22)
    put_text(ax, x, y + 0.56, conclusion, fontsize=SMALL, color=GREY)
    asked = {condition.feature: condition for condition in rule.conditions}
    for name, (i, j) in places.items():
        face, edge, zorder = ("white", GREY, 1.5) if name in asked else (PAPER, LIGHT, 1)
        ax.add_patch(Rectangle((x + j, y + _HEAD + i), 1, 1, facecolor=face, edgecolor=edge, zorder=zorder))
    for name, condition in asked.items():
        i, j = places[name]
        draw_square(ax, condition, program.schema[name], x + j + 0.5, y + _HEAD + i + 0.5)


def draw_square(ax: Axes, condition: Condition, feature: Feature, x: float, y: float, ink: str = INK) -> None:
    """Draw what a rule asks of a square: a cross, a nought, or the values as text."""
    values = condition.values if isinstance(condition, ValueCondition) and not condition.missing else ()
    negated = isinstance(condition, ValueCondition) and condition.negated
    alone = values[0] if len(values) == 1 else None
    size = 0.24
    if alone == "x":
        for up in (-size, size):
            ax.plot([x - size, x + size], [y - up, y + up], color=BLUE, linewidth=2.2, solid_capstyle="round")
    elif alone == "o":
        ax.add_patch(Circle((x, y), size, facecolor="none", edgecolor=ORANGE, linewidth=2.2, zorder=2))
    elif values:
        text = "\n".join(shown(value, 5) for value in values[:3])
        put_text(ax, x, y, text, ha="center", fontsize=SMALL, color=ink)
    else:
        text = condition_text(condition, feature).removeprefix(f"{condition.feature} ")
        put_text(ax, x, y, shown(text, 6), ha="center", fontsize=SMALL, color=ink)
    if negated and values:
        ax.plot([x - 0.4, x + 0.4], [y + 0.4, y - 0.4], color=NEGATION, linewidth=1.6)
