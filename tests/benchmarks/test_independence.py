import json

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.independence import DEPTH, DESIGNS, WIDTHS, paper_layer, random_network


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("independence")
    assert main(["independence", "--quick", "--out", str(folder / "independence.json")]) == 0
    return folder


def test_quick_form_has_a_row_for_each_width_and_depth(stored):
    parts = json.loads((stored / "independence.json").read_text())["parts"]
    assert list(parts) == list(DESIGNS)
    expected = [(width, depth) for width in WIDTHS for depth in range(1, DEPTH + 1)]
    for part in parts.values():
        assert [(row["width"], row["depth"]) for row in part["table"]] == expected


@pytest.mark.parametrize("name, agree", [("the paper's networks", 1), ("crisp inputs", 2), ("uncertain inputs", 1)])
def test_the_first_layers_agree_and_all_others_differ(stored, name, agree):
    for row in json.loads((stored / "independence.json").read_text())["parts"][name]["table"]:
        assert (row["mean difference"] == 0) == (row["depth"] <= agree)
        assert row["excess squared error"] == pytest.approx(row["mean squared difference"], abs=2e-3)


def test_the_plot_is_drawn_and_is_the_same_again(stored, tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    first = (stored / "independence.svg").read_text()
    assert "excess log-loss" in first
    assert main(["independence", "--quick", "--out", str(tmp_path / "independence.json")]) == 0
    assert (tmp_path / "independence.svg").read_text() == first


def test_probabilities_and_draws_of_a_layer_belong_together():
    design = DESIGNS["crisp inputs"]
    layers = list(random_network(3, design, np.random.default_rng(0)))
    assert len(layers) == DEPTH
    for found in layers:
        assert found.exact.shape == found.independent.shape == (3, design.inputs)
        assert found.drawn.shape == (3, design.inputs, design.draws)
    # In the first layer of crisp inputs a draw of probability p has the variance p (1 - p).
    first = layers[0]
    error = np.sqrt(first.exact * (1 - first.exact) / design.draws)
    assert (np.abs(first.drawn.mean(axis=2) - first.exact) <= 5 * error).all()


def test_the_papers_layers_have_crisp_relations_and_no_empty_or_unused_node():
    rng = np.random.default_rng(0)
    layers = [paper_layer(width, rng) for width in WIDTHS for _ in range(200)]
    for layer in layers:
        assert set(np.unique(layer.weights)) <= {-1.0, 0.0, 1.0}
        assert layer.weights.any(axis=0).all() and layer.weights.any(axis=1).all()
        assert ((layer.bias > 0) & (layer.bias < 1)).all()
    wide = np.concatenate([paper_layer(6, rng).weights.ravel() for _ in range(200)])
    assert [np.mean(wide == w) for w in (0, 1, -1)] == pytest.approx([0.5, 0.25, 0.25], abs=0.03)
