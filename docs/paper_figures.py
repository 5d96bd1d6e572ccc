"""Figures of the paper, drawn by `nln.plots`; those of data sets from the programs in the stored results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nln import plots
from nln.datasets import fetch_kidney, fetch_nsl_kdd
from nln.plots.style import label_colours, new_axes, plain_axes, put_legend, put_title
from nln.rules import Feature, LogicProgram, Schema, Target

RESULTS = Path(__file__).parents[1] / "benchmarks/results"
Save = Callable[[Any, str], None]

PEOPLE = Schema(
    (
        Feature("smoker", "binary", ("no", "yes")),
        Feature("colour", "categorical", ("red", "green", "blue")),
        Feature("age", "continuous"),
    ),
    Target("state", "multiclass", ("ill", "tired", "well")),
)
"""A made-up table with one feature of each kind."""


def draw_paper(save: Save) -> None:
    """Draw the figures that need no data files."""
    save(plots.plot_structure(PEOPLE), "paper-structure")
    save(plots.plot_structure(PEOPLE, modules=True), "paper-modules")
    save(plots.plot_structure(PEOPLE, modules=True, initial=True, rules=1), "paper-initial")
    save(plots.plot_intervals(np.arange(1.0, 6.0), np.full(5, 12.0)), "paper-intervals")
    save(draw_independence(), "paper-independence")


def draw_paper_data(save: Save, folder: str) -> None:
    """Draw the figures of kidney and NSL-KDD."""
    parts = _stored("paper")
    X, y = fetch_kidney(data_home=folder, backend="pandas")
    disease = y.map({"notckd": "absent", "ckd": "ckd"})
    program = LogicProgram.from_dict(parts["kidney"]["programs"]["preset"])
    save(plots.plot_rules(program, X, disease), "paper-kidney")
    programs = parts["NSL-KDD: coverage by class"]["programs"]
    X, category = fetch_nsl_kdd("all", "category", data_home=folder, backend="pandas")
    attack = pd.Series(np.where(category == "normal", "absent", "attack"))
    for stage, truth in (("before", attack), ("after", category)):
        drawn = plots.plot_coverage(LogicProgram.from_dict(programs[stage]), X, truth, by=category, shares=True)
        save(drawn, f"paper-coverage-{stage}")


def draw_independence() -> Any:
    """Draw the squared errors of exact and of independent probabilities by depth, one colour for each width."""
    rows = _stored("independence")["the paper's networks"]["table"]
    ax = new_axes(6.4, 3.4)
    widths = sorted({row["width"] for row in rows})
    handles = []
    for width, colour in zip(widths, label_colours(len(widths)), strict=True):
        own = [row for row in rows if row["width"] == width]
        depth = [row["depth"] for row in own]
        (line,) = ax.plot(depth, [row["squared error, exact"] for row in own], color=colour)
        ax.plot(depth, [row["squared error, independent"] for row in own], color=colour, linestyle=(0, (2, 2)))
        handles.append(line)
    plain_axes(ax, "depth", "mean squared error", grid="y")
    ax.set_ylim(bottom=0)
    put_title(ax, "Squared error")
    names = [f"width {width}" for width in widths]
    put_legend(ax, handles, names, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=5, columnspacing=1.0)
    return ax


def _stored(name: str) -> Any:
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))["parts"]
