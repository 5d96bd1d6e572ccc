"""Make the images of the pages.

python docs/make_images.py                  # tic-tac-toe, the balance, wine, the bicycle and the cell cycle: anyone can
python docs/make_images.py --data FOLDER    # and chronic kidney disease, adult and NSL-KDD, read from a folder
"""

from __future__ import annotations

import argparse
import io
import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from diagrams import draw_all
from paper_figures import draw_paper, draw_paper_data
from PIL import Image
from sklearn.model_selection import train_test_split

from nln import NLNClassifier, plots, windows
from nln.datasets import fetch_adult, fetch_kidney, load_balance, load_tic_tac_toe, load_wine
from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition

IMAGES = Path(__file__).parent / "images"
DPI = 120

CELL_CYCLE = """
CycD: CycD
CycE: -Rb E2F
Rb: -CycD p27 -CycB | -CycD -CycE -CycA -CycB
E2F: -Rb p27 -CycB | -Rb -CycA -CycB
CycA: -Rb CycA -Cdc20 -UbcH10 | -Rb E2F -Cdc20 -Cdh1 | -Rb CycA -Cdc20 -Cdh1 | -Rb E2F -Cdc20 -UbcH10
p27: -CycD -CycE -CycA -CycB | -CycD -CycA p27 -CycB | -CycD -CycE p27 -CycB
Cdc20: CycB
UbcH10: -Cdh1 | Cdc20 UbcH10 | UbcH10 CycB | CycA UbcH10
Cdh1: Cdc20 | -CycA -CycB | p27 CycB
CycB: -Cdc20 -Cdh1
"""
"""When each gene of the mammalian cell cycle is on in the next state: the Boolean model of Fauré, Naldi, Chaouiya and
Thieffry (2006), as the benchmarks of learning from state transitions have it."""


def cell_cycle() -> LogicProgram:
    """Write the cell cycle as a program: `-` stands for a gene that is off, `|` for or."""
    lines = dict(line.split(": ") for line in CELL_CYCLE.strip().splitlines())
    schema = Schema(
        tuple(Feature(gene, "binary", (0, 1)) for gene in lines), Target("next", "multilabel", tuple(lines))
    )
    rules = [
        Rule(tuple(ValueCondition(name.lstrip("-"), (int(name[0] != "-"),)) for name in case.split()), gene)
        for gene, line in lines.items()
        for case in line.split(" | ")
    ]
    return LogicProgram(schema, tuple(rules), (0.0,) * len(lines), (0.5,) * len(lines))


def save(axes: Any, name: str) -> None:
    """Write a figure as a small PNG: flat colours need no more than a palette."""
    figure = (axes[0] if isinstance(axes, list) else axes).figure
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=DPI)
    image = Image.open(buffer).convert("RGB").quantize(96, dither=Image.Dither.NONE)
    image.save(IMAGES / f"{name}.png", optimize=True)


def save_page(report: Path, name: str, *, size: tuple[int, int], scheme: str = "light", section: str = "") -> None:
    """Photograph a report in Chromium, from the top or from a section on."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        viewport = {"width": size[0], "height": size[1]}
        page = browser.new_page(viewport=viewport, color_scheme=scheme, reduced_motion="reduce")
        page.goto(f"{report.as_uri()}#{section}")
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(96, dither=Image.Dither.NONE)
        browser.close()
    image.save(IMAGES / f"report-{name}.png", optimize=True)


def save_network(program: Any, name: str) -> None:
    """Write a network as SVG."""
    (IMAGES / f"{name}.svg").write_text(plots.network_svg(program), encoding="utf-8")


def draw_tic_tac_toe() -> None:
    """Draw the eight rules of tic-tac-toe."""
    model = NLNClassifier(random_state=0).fit(*load_tic_tac_toe())
    save_network(model, "network-tic-tac-toe")
    save(plots.plot_boards(model), "boards")


def draw_balance() -> None:
    """Draw the three rules of the balance scale, which compare two products."""
    X, y = load_balance()
    model = NLNClassifier(random_state=0).fit(X, y)
    save(plots.plot_rules(model, X, y), "rules-balance")


def draw_windows() -> None:
    """Draw a rule about windows of boards: three crosses on a diagonal."""
    rng = np.random.default_rng(0)
    boards = rng.choice(["x", "o", "free"], (800, 5, 5))
    x = boards == "x"
    won = (x[:, :-2, :-2] & x[:, 1:-1, 1:-1] & x[:, 2:, 2:]).any(axis=(1, 2))
    X = rng.normal(size=(800, 1))
    model = NLNClassifier(random_state=0).fit(X, np.where(won, "won", "open"), tables={"places": windows(boards, 3, 3)})
    save(plots.plot_rule(model, 1), "kernel")


def draw_wine() -> None:
    """Draw a program for three classes and its learning."""
    X, y = load_wine()
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    model = NLNClassifier(random_state=0).fit(X_train, y_train)
    other = NLNClassifier(random_state=1).fit(X_train, y_train)
    save_network(model, "network-wine")
    save(plots.plot_rules(model, X_train, y_train), "rules-wine")
    save(plots.plot_coverage(model, X_train, y_train), "coverage-wine")
    save(plots.plot_overlap(model, X_train), "overlap-wine")
    save(plots.plot_comparison(model, other, X_train), "comparison-wine")
    save(plots.plot_path(model), "path-wine")
    save(plots.plot_history(model), "history-wine")
    save(plots.plot_scores(model, X_test, y_test), "scores-wine")
    save(plots.plot_confusion(model, X_test, y_test), "confusion-wine")


def draw_kidney(folder: str) -> None:
    """Draw rules with missing values and fuzzy boundaries."""
    X, y = fetch_kidney(data_home=folder)
    model = NLNClassifier(random_state=0).fit(X, y)
    save(plots.plot_rules(model, X, y), "rules-kidney")
    disease = y.map({"notckd": "absent", "ckd": "ckd"}).rename("disease")  # ckd sorts last: the positive class
    model = NLNClassifier(random_state=0).fit(X, disease)
    model.made_ = replace(model.made_, table="kidney.csv")
    with TemporaryDirectory() as place:
        report = model.report(X, disease, Path(place).resolve() / "report.html", include_rows=True)
        save_page(report, "kidney", size=(1280, 1180))
        save_page(report, "kidney-case", size=(1280, 760), section="case")


def draw_adult(folder: str) -> None:
    """Draw a program for a long, noisy table, scored on its test file."""
    X, y = fetch_adult(data_home=folder)
    X_test, y_test = fetch_adult(data_home=folder, subset="test")
    model = NLNClassifier(random_state=0).fit(X, y)
    save_network(model, "network-adult")
    save(plots.plot_coverage(model, X, y), "coverage-adult")
    for plot in (plots.plot_roc, plots.plot_precision_recall, plots.plot_calibration, plots.plot_scores):
        save(plot(model, X_test, y_test), f"{plot.__name__.removeprefix('plot_').replace('_', '-')}-adult")
    with TemporaryDirectory() as place:
        report = model.report(X_test, y_test, Path(place).resolve() / "report.html")
        for section in ("rules", "scores", "dial"):
            save_page(report, f"adult-{section}-phone", size=(390, 780), scheme="dark", section=section)


def main() -> None:
    """Make all images, or those that need no data files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", help="folder of the data files")
    folder = parser.parse_args().data
    IMAGES.mkdir(exist_ok=True)
    draw_tic_tac_toe()
    draw_balance()
    draw_windows()
    draw_wine()
    save(plots.plot_wiring(cell_cycle()), "wiring")
    draw_all(save, save_network)
    draw_paper(save)
    if folder:
        draw_paper_data(save, folder)
        draw_kidney(folder)
        draw_adult(folder)


if __name__ == "__main__":
    main()
