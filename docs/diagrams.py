"""Drawings for the pages `idea`, `reading-a-rule`, `paper-theory` and `how-it-learns`. All numbers are computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch, Rectangle

from nln import NLNClassifier
from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import slot_layout
from nln.learning.draft import descent_rows
from nln.learning.selection.from_network import draft_network
from nln.network.theory import and_node, or_node
from nln.plots.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    LARGE,
    LIGHT,
    NORMAL,
    ORANGE,
    PAPER,
    RED,
    SMALL,
    new_axes,
    new_grid,
    plain_axes,
    put_legend,
    put_text,
    put_ticks,
    put_title,
)
from nln.rules import Boundary, Feature, Interval, IntervalCondition, LogicProgram, membership
from nln.tables.encoding import make_encoding, merge_rows
from nln.tables.frames import read_table
from nln.tables.infer import infer_features
from nln.tables.target import read_target

BICYCLE_PRICE = 0.8
"""Price of the descent that is drawn."""


def bicycle() -> tuple[pd.DataFrame, np.ndarray]:
    """Make the table of the pages: days on which the bicycle was ridden or stayed at home."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "weather": rng.choice(["sun", "cloud", "rain", "snow"], 600),
            "wind": rng.integers(0, 80, 600).astype(float),
            "holiday": rng.choice(["no", "yes"], 600, p=[0.8, 0.2]),
        }
    )
    stays = (X["weather"].isin(["rain", "snow"]) & (X["wind"] >= 30)) | (X["holiday"] == "yes")
    return X, np.where(stays ^ (rng.random(600) < 0.05), "stays", "rides")


def draw_nodes() -> Axes:
    """Draw an AND node and an OR node with soft weights, and what they compute."""
    ax = new_axes(4.9, 4.6)
    inputs, weights = [0.9, 0.8, 0.3], [1.0, 0.5, 0.0]
    found = float(and_node(inputs, weights, 0.95))
    put_text(ax, 0, 5.7, "AND: all that is asked for", fontsize=LARGE)
    _draw_node(
        ax, 3.0, "AND", ["rain or snow", "strong wind", "holiday"], inputs, weights, f"a = 0.95\n\nc = {found:.3f}"
    )
    terms = " · ".join(f"(1 − {w:g} · {1 - c:.1f})" for c, w in zip(inputs[:2], weights[:2], strict=True))
    put_text(ax, 0, 2.3, f"c = 0.95 · {terms} = {found:.3f}")
    inputs, weights = [0.7, 0.4], [1.0, 0.5]
    found = float(or_node(inputs, weights, 0.05))
    put_text(ax, 0, 1.4, "OR: at least one reason", fontsize=LARGE)
    _draw_node(ax, -0.3, "OR", ["rule 1", "rule 2"], inputs, weights, f"o = 0.05\n\nc = {found:.3f}")
    terms = " · ".join(f"(1 − {w:g} · {c:.1f})" for c, w in zip(inputs, weights, strict=True))
    put_text(ax, 0, -1.0, f"c = 1 − 0.95 · {terms} = {found:.3f}")
    ax.set_xlim(0, 6.6)
    ax.set_ylim(-1.3, 6.0)
    ax.axis("off")
    return ax


def _draw_node(
    ax: Axes, bottom: float, kind: str, names: list[str], inputs: list[float], weights: list[float], said: str
) -> None:
    middle = bottom + (len(names) - 1) / 2
    for i, (name, probability, weight) in enumerate(zip(names, inputs, weights, strict=True)):
        y = bottom + len(names) - 1 - i
        ax.add_patch(FancyBboxPatch((0.05, y - 0.24), 2.3, 0.48, boxstyle="round,pad=0.05", fc=PAPER, ec=GREY))
        put_text(ax, 0.12, y, name)
        put_text(ax, 2.28, y, f"{probability:.1f}", ha="right", color=BLUE)
        ax.plot([2.42, 4.4], [y, middle], color=BLUE if weight else LIGHT, linewidth=0.6 + 2.4 * weight)
        put_text(ax, 3.1, y + (middle - y) * 0.34 + 0.24, f"{weight:g}", ha="center", fontsize=SMALL)
    ax.plot([4.75], [middle], "o", markersize=38, color="white", markeredgecolor=BLUE if kind == "AND" else GREEN,
            markeredgewidth=2)  # fmt: skip
    put_text(ax, 4.75, middle, kind, ha="center")
    put_text(ax, 5.4, middle, said)


def draw_soft(model: NLNClassifier) -> Axes:
    """Draw the weights of a network's rule modules, the strongest first."""
    weights = model.network_.weights
    order = np.argsort(-weights.output_weights[0], kind="stable")
    layout, values = model.network_.inputs.layout, model.schema_.features[0].values
    n_intervals = int(layout.n_regular[1])
    rows = [(f"weather: {value}", weights.or_weights[i]) for i, value in enumerate(values)]
    rows += [(f"wind: interval {i + 1}", weights.or_weights[len(values) + i]) for i in range(n_intervals)]
    features = ("weather", "wind", "holiday = yes")
    rows += [(f"AND: {name}", part) for name, part in zip(features, weights.and_weights, strict=True)]
    rows.append(("to the class", weights.output_weights[0]))
    grid = np.array([row[order] for _, row in rows])
    ax = new_axes(4.9, 4.6)
    ax.imshow(grid, cmap="RdBu", vmin=-1.4, vmax=1.4, aspect="auto")
    for (i, j), weight in np.ndenumerate(grid):
        colour = "white" if abs(weight) > 0.75 else INK
        put_text(ax, j, i, f"{weight:.1f}".replace("-0.0", "0.0"), ha="center", fontsize=SMALL, color=colour)
    for line in (len(values) - 0.5, len(values) + n_intervals - 0.5, len(rows) - 1.5):
        ax.axhline(line, color="white", linewidth=3)
    put_ticks(ax, "y", range(len(rows)), [name for name, _ in rows])
    put_ticks(ax, "x", range(len(order)), [f"module {i + 1}" for i in range(len(order))], rotation=30)
    ax.spines[:].set_visible(False)
    put_title(ax, "Soft weights after training")
    return ax


def draw_tables() -> Axes:
    """Draw a row, the look-up tables of a rule and their product."""
    ax = new_axes(4.9, 3.3)
    tables = [
        ("weather", ["sun", "cloud", "rain", "snow"], [0, 0, 1, 1], 3),
        ("wind", ["0 – 20", "20 – 29.5", "29.5 – 50", "50 – 80"], [0, 0, 1, 1], 2),
        ("holiday", ["no", "yes"], [1, 1], 0),
    ]
    for column, (name, slots, entries, code) in enumerate(tables):
        left = 2.35 * column
        put_text(ax, left, 5.2, name, fontsize=LARGE)
        for i, (slot, entry) in enumerate(zip(slots, entries, strict=True)):
            y, here = 4.4 - 0.7 * i, i == code
            colour = {"fc": ORANGE, "alpha": 0.55} if here else {"fc": PAPER}
            ax.add_patch(Rectangle((left, y - 0.26), 1.9, 0.52, **colour))
            put_text(ax, left + 0.08, y, slot)
            put_text(ax, left + 1.8, y, f"{entry}", ha="right", color=BLUE, fontsize=LARGE)
    put_text(ax, 0, 1.15, "the day: snow, a wind of 40, no holiday", color=RED)
    put_text(ax, 0, 0.45, "codes: 3, 2, 0      look-ups: 1 · 1 · 1 = 1: the rule holds")
    ax.set_xlim(-0.1, 6.8)
    ax.set_ylim(0, 5.6)
    ax.axis("off")
    return ax


def draw_boundary() -> Axes:
    """Draw how far a condition with a fuzzy boundary holds, beside a crisp one."""
    x, feature = np.linspace(3.0, 6.5, 500), Feature("red_cells", "continuous")
    ax = new_axes(4.9, 2.7)
    for width, colour, name in ((0.83, BLUE, "red_cells < 4.75 ± 0.83"), (0.0, ORANGE, "red_cells < 4.75")):
        asked = IntervalCondition("red_cells", (Interval(None, Boundary(4.75, width)),))
        ax.plot(x, membership(asked, x, feature), color=colour, linewidth=2, label=name)
    for shift, held in ((-0.83, 0.9), (0.0, 0.5), (0.83, 0.1)):
        ax.plot([4.75 + shift], [held], "o", color=INK, markersize=5)
        put_text(ax, 4.75 + shift + 0.08, held + 0.06, f"{held:.0%} at {4.75 + shift:.2f}", fontsize=SMALL)
    plain_axes(ax, "red_cells", "holds to", grid="y")
    put_legend(ax, ax.lines[:2], ["< 4.75 ± 0.83", "< 4.75"], loc="lower left")
    return ax


def draw_gains(program: LogicProgram) -> list[Axes]:
    """Draw the error that each value and each wind would save, as the page `how-it-learns` computes it."""
    X, y = bicycle()
    truth = (y == "stays").astype(float)
    first, second = program.rules
    others = (1 - program.biases[0]) * (1 - second.weight * (X["holiday"] == "yes"))

    def gain(rule: pd.Series, column: str) -> pd.Series:
        return (2 * others * (truth - 1 + others) * rule - (others * rule) ** 2).groupby(X[column]).sum()

    values = gain(first.weight * (X["wind"] >= 29.5), "weather")
    winds = gain(first.weight * X["weather"].isin(["rain", "snow"]), "wind")
    total = winds[::-1].cumsum()[::-1]
    top, bottom = new_grid(2, 1, 4.9, 4.6)
    top.bar(range(len(values)), values, color=[BLUE if v > 0 else LIGHT for v in values], width=0.7)
    plain_axes(top, "", "error saved, rows", grid="y")
    put_ticks(top, "x", range(len(values)), list(values.index))
    top.axhline(0, color=GREY, linewidth=0.8)
    put_title(top, "weather: ask for the values above 0")
    bottom.bar(winds.index, winds, color=[BLUE if w >= 29.5 else LIGHT for w in winds.index], width=0.8)
    line = bottom.twinx()
    line.plot(total.index, total, color=RED, linewidth=1.4)
    line.plot([total.idxmax()], [total.max()], "o", color=RED)
    plain_axes(bottom, "wind", "error saved, rows", grid="y")
    line.spines[["top"]].set_visible(False)
    line.tick_params(colors=RED, labelsize=SMALL)
    line.set_ylabel("from here on", color=RED, fontsize=NORMAL)
    put_title(bottom, f"wind: best from {total.idxmax():.0f} on")
    return [top, bottom]


def draw_descent(model: NLNClassifier) -> list[Axes]:
    """Draw objective and size of one network's rules over the sweeps of a descent."""
    X, y = bicycle()
    table = read_table(X)
    features, columns = infer_features(table)
    _, outputs, _ = read_target(y, table.n_rows)
    encoding = make_encoding(features, columns, np.ones(len(X)))
    rows = descent_rows(merge_rows(encoding.codes(columns, len(X)), outputs, np.ones(len(X))))
    descent = Descent(slot_layout(encoding), rows, draft_network(model.network_, encoding, rows))
    rng, objectives, counts, changes = np.random.default_rng(0), [], [], 1
    while changes:
        objectives.append(_objective(descent))
        counts.append(int(descent.alive.sum()))
        changes = descent.sweep(BICYCLE_PRICE, rng)
    sweeps = np.arange(len(counts))
    top, bottom = new_grid(2, 1, 4.9, 3.9, sharex=True)
    for ax, found, colour, name in ((top, objectives, BLUE, "objective"), (bottom, counts, ORANGE, "rules")):
        ax.plot(sweeps, found, color=colour, marker="o", linewidth=1.6)
        plain_axes(ax, "sweep" if ax is bottom else "", name, grid="y")
        ax.set_ylim(0, 1.25 * max(found))
        for sweep, height in enumerate(found):
            put_text(ax, sweep, height + 0.1 * max(found), f"{height:.0f}", ha="center")
    bottom.set_xticks(sweeps)
    put_title(top, "Squared error + price of all literals")
    return [top, bottom]


def _objective(descent: Descent) -> float:
    alive = descent.alive
    prices = BICYCLE_PRICE * float(descent.sizes()[alive].sum())
    return descent.error() + prices + 0.5 * float((descent.draft.bias[alive] ** 2).sum())


def draw_graphical_model() -> Axes:
    """Draw what each random variable of two layers depends on: presence, roles and what is unobserved."""
    ax = new_axes(8.0, 3.6)
    boxes = {
        "x": (0.4, 2.0, "x", INK), "u": (0.4, 0.2, "u", GREY),
        "c0": (2.2, 2.0, "inputs\nω ∈ C⁰", BLUE),
        "c1": (4.4, 2.6, "concept 1\nω ∈ C¹₁", BLUE), "c2": (4.4, 1.4, "concept 2\nω ∈ C¹₂", BLUE),
        "y": (6.8, 2.0, "target\nω ∈ C²", BLUE),
        "n": (2.6, 0.2, "unobserved\nu ∈ Ñ, u ∈ S̃", GREY),
        "r1": (3.2, 3.7, "roles: C⁰ ⊇ C¹", GREEN), "r2": (5.8, 3.7, "roles: C¹ ⊆ C²", GREEN),
    }  # fmt: skip
    arrows = ("x c0", "c0 c1", "c0 c2", "c1 y", "c2 y", "u n", "n c1", "n c2", "n y", "r1 c1", "r1 c2", "r2 y")
    drawn = {
        name: ax.text(x, y, text, ha="center", va="center", fontsize=NORMAL, color=colour,
                      bbox={"boxstyle": "round,pad=0.35", "fc": "white", "ec": colour})
        for name, (x, y, text, colour) in boxes.items()
    }  # fmt: skip
    for start, end, style in [*((*arrow.split(), "-|>") for arrow in arrows), ("u", "x", "<|-|>")]:
        patches = {"patchA": drawn[start].get_bbox_patch(), "patchB": drawn[end].get_bbox_patch()}
        ax.annotate("", boxes[end][:2], boxes[start][:2], arrowprops={"arrowstyle": style, "color": GREY, **patches})
    ax.set_xlim(-0.1, 7.6)
    ax.set_ylim(-0.3, 4.1)
    ax.axis("off")
    return ax


_CAUSES = {
    "AND: ingredients\nof a consequence": (["w1 t", "w2 t"], {"w1": (0, 2), "w2": (2, 2), "t": (1, 0)}),
    "AND: consequences\nof a cause": (["t w1", "t w2"], {"w1": (0, 0), "w2": (2, 0), "t": (1, 2)}),
    "AND: another consequence\nof the same cause": (
        ["g w1", "g w2", "g t"], {"w1": (0, 0), "w2": (1, 0), "t": (2, 0), "g": (1, 2)},
    ),
    "AND: what ingredients\nleave behind": (
        ["g1 w1", "g2 w2", "g1 t", "g2 t"], {"g1": (0, 2), "g2": (2, 2), "w1": (-0.4, 0), "w2": (2.4, 0), "t": (1, 0)},
    ),
    "OR: causes\nof a consequence": (["w1 t", "w2 t"], {"w1": (0, 2), "w2": (2, 2), "t": (1, 0)}),
    "OR: consequences\nof a cause": (["t w1", "t w2"], {"w1": (0, 0), "w2": (2, 0), "t": (1, 2)}),
    "OR: cases on the way\nto a consequence": (
        ["w1 g", "w2 g", "g t"], {"w1": (0, 2), "w2": (2, 2), "g": (1, 1), "t": (1, 0)},
    ),
    "OR: consequences\nof different causes": (
        ["g1 w1", "g2 w2", "g1 t", "g2 t"], {"g1": (0, 2), "g2": (2, 2), "w1": (-0.4, 0), "w2": (2.4, 0), "t": (1, 0)},
    ),
}  # fmt: skip
"""Causal structures: arrows, and places of the circles; w is an input of the node, t its target, g neither."""


def draw_causes() -> list[Axes]:
    """Draw causal structures that the same AND node, and the same OR node, fits."""
    axes = new_grid(2, 4, 8.0, 4.2)
    for ax, (title, (arrows, places)) in zip(axes, _CAUSES.items(), strict=True):
        for start, end in map(str.split, arrows):
            style = {"arrowstyle": "-|>", "color": GREY, "shrinkA": 10, "shrinkB": 10}
            ax.annotate("", places[end], places[start], arrowprops=style)
        for name, (x, y) in places.items():
            fill = {"w": "white", "t": INK, "g": LIGHT}[name[0]]
            ax.plot([x], [y], "o", markersize=17, color=fill, markeredgecolor=INK)
        put_text(ax, 1, 3.4, title, ha="center", fontsize=SMALL)
        ax.set_xlim(-0.9, 2.9)
        ax.set_ylim(-0.6, 4.0)
        ax.axis("off")
    return axes


def draw_all(save: Any, save_network: Any) -> None:
    """Draw all of them, and the figures of `nln.plots` that go with them."""
    from nln import plots

    X, y = bicycle()
    small, model = (NLNClassifier(n_rules=n, random_state=0).fit(X, y) for n in (6, 128))
    save_network(small, "idea-network")
    save(draw_nodes(), "idea-nodes")
    save(draw_soft(small), "idea-soft")
    save(draw_tables(), "idea-tables")
    save(draw_boundary(), "reading-boundary")
    save(draw_graphical_model(), "theory-graph")
    save(draw_causes(), "theory-causes")
    save(plots.plot_history(model), "how-history")
    save(draw_gains(model.program_), "how-gains")
    save(draw_descent(model), "how-descent")
