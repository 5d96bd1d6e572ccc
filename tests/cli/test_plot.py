from __future__ import annotations

from dataclasses import replace

import pytest

from nln import plots
from nln.cli.plot import KINDS
from nln.model import model_of
from nln.plots.style import FORMATS, figure_bytes
from nln.rules import Feature, LogicProgram, Schema, Target
from nln.rules.path import DialPath, PathPoint
from tests.cli.commands import complaint, run_here
from tests.compose.examples import HERE, THERE, table

BEGIN = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<"}
SPECIAL = ("boards", "wiring", "comparison", "path")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in SPECIAL])
def test_every_figure_is_drawn(given, tmp_path, capfd, kind):
    output = tmp_path / "figure.png"
    data = [] if KINDS[kind].table == "no" else [given / "data.csv"]
    done = run_here(capfd, "plot", given / "here.json", kind, *data, "-o", output)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"Wrote {output}.\n")
    assert output.read_bytes()[:4] == BEGIN["png"]


@pytest.mark.parametrize("name", FORMATS)
def test_the_ending_of_the_file_chooses_the_format(capfd, given, tmp_path, name):
    output = tmp_path / f"figure.{name.upper()}"
    done = run_here(capfd, "plot", given / "there.json", "coverage", given / "data.csv", "-o", output)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"Wrote {output}.\n")
    assert output.read_bytes() == figure_bytes(plots.plot_coverage(THERE, *table()), name)
    assert output.read_bytes().startswith(BEGIN[name])


def test_the_network_is_svg_whose_names_appear_under_the_pointer(given, tmp_path, capfd):
    output = tmp_path / "network.svg"
    assert run_here(capfd, "plot", given / "here.json", "network", "-o", output).returncode == 0
    assert output.read_text(encoding="utf-8") == plots.network_svg(HERE)


def test_rules_are_drawn_alone_with_rows_and_with_classes(given, tmp_path, capfd):
    X, y = table()
    (tmp_path / "unlabelled.csv").write_text(
        "\n".join(line.rsplit(",", 2)[0] for line in (given / "data.csv").read_text().splitlines()) + "\n"
    )
    cases = [
        ([], plots.plot_rules(THERE)),
        ([tmp_path / "unlabelled.csv"], plots.plot_rules(THERE, X)),
        ([given / "data.csv"], plots.plot_rules(THERE, X, y)),
        ([given / "data.csv", "--rule", 2], plots.plot_rules(THERE, X, y, rules=[2])),
    ]
    for arguments, drawn in cases:
        output = tmp_path / "rules.svg"
        run_here(capfd, "plot", given / "there.json", "rules", *arguments, "-o", output, "--force")
        assert output.read_bytes() == figure_bytes(drawn, "svg")


def test_two_models_are_compared(given, tmp_path, capfd):
    output = tmp_path / "both.svg"
    files = given / "here.json", "comparison", given / "data.csv", "--other", given / "there.json"
    assert run_here(capfd, "plot", *files, "-o", output).returncode == 0
    assert output.read_bytes() == figure_bytes(plots.plot_comparison(HERE, THERE, table()[0]), "svg")


def test_boards_and_wirings_are_drawn_of_programs_that_have_them(given, tmp_path, capfd):
    squares = [name for row in plots.boards.TIC_TAC_TOE for name in row]
    game = Schema(tuple(Feature(n, "categorical", ("b", "o", "x")) for n in squares), Target("win", "binary", (0, 1)))
    LogicProgram.parse(f"IF {squares[0]} = x THEN win = 1", schema=game).save(tmp_path / "boards.json")
    genes = Schema(tuple(Feature(n, "binary", (0, 1)) for n in "ab"), Target("next", "multilabel", ("a", "b")))
    LogicProgram.parse("IF a = 1 THEN b IF b = 0 THEN a", schema=genes).save(tmp_path / "wiring.json")
    for kind in ("boards", "wiring"):
        output = tmp_path / f"{kind}.pdf"
        assert run_here(capfd, "plot", tmp_path / f"{kind}.json", kind, "-o", output).returncode == 0
        assert output.read_bytes().startswith(BEGIN["pdf"])
        output = tmp_path / "wrong.pdf"
        complaint(run_here(capfd, "plot", given / "here.json", kind, "-o", output))
        assert not output.exists()


def test_the_path_of_a_model_file_is_drawn(given, tmp_path, capfd):
    points = (PathPoint(0.1, 0.2, HERE), PathPoint(0.4, 0.3, replace(HERE, rules=HERE.rules[:1])))
    model = replace(model_of(HERE), path_=DialPath(points))
    model.save(tmp_path / "model.json")
    output = tmp_path / "path.svg"
    assert run_here(capfd, "plot", tmp_path / "model.json", "path", "-o", output).returncode == 0
    assert output.read_bytes() == figure_bytes(plots.plot_path(points), "svg")
    output.unlink()
    assert "empty" in complaint(run_here(capfd, "plot", given / "here.json", "path", "-o", output))
    assert not output.exists()


def test_every_figure_of_the_package_is_a_kind_or_needs_more_than_a_file():
    functions = {kind.function for kind in KINDS.values()}
    more = {"network_svg", "plot_rule", "plot_history", "plot_structure", "plot_intervals"}
    assert functions | more == set(plots.__all__)
    assert functions.isdisjoint(more)
