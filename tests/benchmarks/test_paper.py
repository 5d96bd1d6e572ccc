import json

import pytest

from benchmarks import paper_numbers as paper
from benchmarks.__main__ import main
from benchmarks.paper_preset import kinds, part_of, rule_size
from benchmarks.paper_tables import PRESET, counts
from benchmarks.settings import Settings
from benchmarks.tables import TABLES
from nln import LogicProgram
from nln.rules import Feature, Schema, Target

TABLES_OF_THE_PAPER = (
    "characteristics",
    "F1",
    "interpretability",
    "ground truth",
    "kidney",
    "NSL-KDD: characteristics",
    "NSL-KDD: results",
    "NSL-KDD: coverage by class",
    "Boolean networks",
    "Boolean programs",
    "ablation",
    "independence",
)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    out = tmp_path_factory.mktemp("paper") / "paper.json"
    assert main(["paper", "--quick", "--out", str(out)]) == 0
    return json.loads(out.read_text())["parts"]


def test_every_table_of_the_paper_has_its_part(parts):
    assert set(TABLES_OF_THE_PAPER) <= set(parts)
    for name in ("characteristics", "F1", "interpretability", "ground truth", "Boolean networks", "ablation"):
        assert parts[name]["table"], name


def test_the_papers_numbers_stand_as_it_prints_them_beside_ours(parts):
    rows = {row["model"]: row for row in parts["F1"]["table"]}
    assert list(rows) == [*paper.F1, "preset", "nln"]
    assert rows["NLN"]["wine"] == "94.44"
    assert rows["RRL"]["adult"] == "80.31"
    assert float(rows[PRESET]["tic-tac-toe"]) == pytest.approx(parts["F1"]["values"]["preset: tic-tac-toe"], abs=0.005)
    fold = parts[part_of("tic-tac-toe")]["cells"]["fold 0"]["found"]
    assert parts["interpretability"]["values"]["tic-tac-toe: preset: rules"] == fold["rules"]


def test_numbers_of_the_paper_agree_with_each_other():
    """The average column of the ablation is the mean of the tables; rules are given for every data set."""
    for pairs in paper.ABLATION.values():
        for place in (0, 1):
            *tables, average = (pair[place] for pair in pairs)
            assert sum(tables) / len(tables) == pytest.approx(average, abs=0.011)
    assert all(len(found) == len(paper.DATA_SETS) for found in (*paper.F1.values(), *paper.RULES.values()))
    assert set(TABLES) == set(paper.DATA_SETS)
    for name, (rows, training, test, full) in (("NLN", (24, 99.73, 81.37, 96.94)), ("LAD", (37, 95.94, 84.78, 94.25))):
        assert paper.KDD_RESULTS[name]["binary"] == (rows, training, test, full)
        assert (125973 * training + 22544 * test) / 148517 == pytest.approx(full, abs=0.006)


@pytest.mark.parametrize("name", ["tic-tac-toe", "monk2", "wine", "balance (continuous)", "balance (categorical)"])
def test_networks_have_the_papers_nodes_and_parameters(name):
    found = counts(name, Settings())
    assert tuple(found.values()) == paper.CHARACTERISTICS[name]


def test_all_features_of_monk2_are_categorical():
    X, _ = TABLES["monk2"](Settings())
    assert set(kinds("monk2", X).values()) == {"categorical"}
    assert kinds("kidney", X) == {"specific_gravity": "categorical"}
    assert kinds("wine", X) is None


def test_a_boundary_that_two_intervals_share_counts_once():
    features = Feature("x", "continuous"), Feature("c", "categorical", ("a", "b", "d"))
    schema = Schema(features, Target("class", "binary", ("no", "yes")))
    text = "IF 1 <= x < 2 ± 0.1 or 2 ± 0.1 <= x < 3 AND c in {a, b} THEN class = yes"
    assert rule_size(LogicProgram.parse(text, schema=schema)) == 3 + 2
