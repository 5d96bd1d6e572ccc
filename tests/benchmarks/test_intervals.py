import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

import torch

from benchmarks.__main__ import main
from benchmarks.data import network_rows
from benchmarks.generate import mixed_table
from benchmarks.torch_network import Intervals, LearnedIntervals, TorchNetwork, train_torch
from nln.network.layout import initial_weights
from nln.network.options import TrainingOptions

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data():
    return network_rows(*mixed_table(300, 0))


def test_learned_intervals_begin_as_the_fixed_ones(data):
    given, rows = data
    weights = initial_weights(given, 5, rows.targets.shape[1], np.random.default_rng(0))
    arguments = [torch.from_numpy(w) for w in (weights.or_weights, weights.boundaries, weights.sharpness)]
    learned = LearnedIntervals(given, 0.0, np.random.default_rng(0)).memberships(*arguments)
    torch.testing.assert_close(learned.detach(), Intervals(given).memberships(*arguments), rtol=0, atol=1e-4)


def test_learned_and_weights_move_within_their_domain_and_only_where_there_are_dichotomies(data):
    given, rows = data
    rng = np.random.default_rng(0)
    intervals = LearnedIntervals(given, 1e-3, rng)
    before = intervals.learned.detach().clone()
    network = TorchNetwork(given, initial_weights(given, 5, rows.targets.shape[1], rng), intervals)
    train_torch(network, rows, TrainingOptions(epochs=2), rng)
    after, present = intervals.learned.detach(), intervals.has_weight > 0
    assert (after[present] != before[present]).float().mean() > 0.5
    assert float(after.abs().max()) <= 1.0
    assert float(after[~present].abs().sum()) == 0.0


def test_quick_form_compares_both(tmp_path, capsys):
    assert main(["intervals", "--quick", "--out", str(tmp_path / "intervals.json")]) == 0
    part = json.loads((tmp_path / "intervals.json").read_text())["parts"]["8 intervals"]
    assert [row["AND weights"] for row in part["table"][:3]] == ["fixed", "learned", "learned / fixed"]
    assert part["values"]["all: validation loss"] > 0
    assert "learned / fixed" in capsys.readouterr().out
