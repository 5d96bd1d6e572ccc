import json

import pytest

from benchmarks.__main__ import main
from benchmarks.paper import PAPER, rule_size
from nln import LogicProgram
from nln.rules import Feature, Schema, Target


def test_quick_form_stands_beside_the_paper(tmp_path, capsys):
    assert main(["paper", "--quick", "--part", "tic-tac-toe", "--out", str(tmp_path / "paper.json")]) == 0
    part = json.loads((tmp_path / "paper.json").read_text())["parts"]["tic-tac-toe"]
    ours, theirs = part["table"]
    assert (ours["method"], theirs["method"]) == ("preset", "paper")
    assert (theirs["F1 (%)"], theirs["rules"], theirs["size"]) == PAPER["tic-tac-toe"]
    assert part["values"]["fold 0: discretizing and pruning"] == pytest.approx(ours["discretizing"] + ours["pruning"])
    assert "1,268 s" in capsys.readouterr().out


def test_a_boundary_that_two_intervals_share_counts_once():
    features = Feature("x", "continuous"), Feature("c", "categorical", ("a", "b", "d"))
    schema = Schema(features, Target("class", "binary", ("no", "yes")))
    text = "IF 1 <= x < 2 ± 0.1 or 2 ± 0.1 <= x < 3 AND c in {a, b} THEN class = yes"
    assert rule_size(LogicProgram.parse(text, schema=schema)) == 3 + 2
