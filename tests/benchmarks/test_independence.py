import json

import numpy as np
import pytest

from benchmarks.__main__ import main
from benchmarks.independence import CRISP, DEPTH, DRAWS, INPUTS, UNCERTAIN, WIDTHS, random_network


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("independence")
    assert main(["independence", "--quick", "--out", str(folder / "independence.json")]) == 0
    return folder


def test_quick_form_has_a_row_for_each_width_and_depth(stored):
    parts = json.loads((stored / "independence.json").read_text())["parts"]
    assert list(parts) == [CRISP, UNCERTAIN]
    expected = [(width, depth) for width in WIDTHS for depth in range(1, DEPTH + 1)]
    for part in parts.values():
        assert [(row["width"], row["depth"]) for row in part["table"]] == expected


@pytest.mark.parametrize("name, agree", [(CRISP, 2), (UNCERTAIN, 1)])
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
    layers = list(random_network(3, True, np.random.default_rng(0)))
    assert len(layers) == DEPTH
    for found in layers:
        assert found.exact.shape == found.independent.shape == (3, INPUTS)
        assert found.drawn.shape == (3, INPUTS, DRAWS)
    # In the first layer of crisp inputs a draw of probability p has the variance p (1 - p).
    first = layers[0]
    error = np.sqrt(first.exact * (1 - first.exact) / DRAWS)
    assert (np.abs(first.drawn.mean(axis=2) - first.exact) <= 5 * error).all()
