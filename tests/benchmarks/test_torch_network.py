import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

from benchmarks.data import network_rows
from benchmarks.generate import mixed_table
from benchmarks.speed_epoch import Task, _train_torch, loss_difference
from benchmarks.torch_network import product
from nln.datasets import load_tic_tac_toe
from nln.network.options import TrainingOptions

pytestmark = pytest.mark.slow


def tic_tac_toe():
    return load_tic_tac_toe(backend="pandas")


def mixed():
    return mixed_table(600, 0)


@pytest.mark.parametrize("load", [tic_tac_toe, mixed])
def test_both_networks_have_the_same_loss_for_the_same_weights(load):
    task = Task("data", *network_rows(*load()), batch_size=64, epochs=1, seed=0)
    assert loss_difference(task) < 1e-4


@pytest.mark.parametrize("load", [tic_tac_toe, mixed])
def test_both_networks_take_the_same_steps(load):
    task = Task("data", *network_rows(*load()), batch_size=64, epochs=1, seed=0)
    options = TrainingOptions(epochs=3, batch_size=64, reset_rules=False, patience=100, most_features=None)
    np.testing.assert_allclose(_train_torch(task, 1, options), task.train(options), rtol=0, atol=1e-3)


@pytest.mark.parametrize("n", range(1, 8))
def test_product_tree_is_the_product(n):
    import torch

    factors = torch.from_numpy(np.random.default_rng(n).random((n, 3)))
    torch.testing.assert_close(product(factors), factors.prod(0))


def test_product_tree_has_exact_gradients_at_zero():
    import torch

    factors = torch.tensor([[0.0], [0.5], [2.0]], requires_grad=True)
    product(factors).sum().backward()
    assert factors.grad.flatten().tolist() == [1.0, 0.0, 0.0]
