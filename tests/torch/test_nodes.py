import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch", reason="PyTorch is not installed")

import torch

from nln.network.theory import Layer, fuzzy_intervals
from nln.torch import And, FuzzyDichotomies, FuzzyIntervals, Module, OneHot, Or, RuleModules, clamp, penalty, reset_dead

seeds = st.integers(0, 2**32 - 1)


def random_layer(kind, rng, n_inputs=4, n_nodes=3):
    """The same random layer in PyTorch and in NumPy."""
    layer = kind(n_inputs, n_nodes, negation=True)
    weights, bias = rng.uniform(-1, 1, (n_nodes, n_inputs)), rng.random(n_nodes)
    weights[rng.random(weights.shape) < 0.3] = 0.0
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(weights))
        layer.bias.copy_(torch.from_numpy(bias))
    return layer, Layer("or" if kind is Or else "and", weights, bias)


@settings(max_examples=25, deadline=None)
@given(seeds, st.sampled_from([And, Or]))
def test_layers_compute_what_the_theory_says(seed, kind):
    rng = np.random.default_rng(seed)
    ours, theory = random_layer(kind, rng)
    inputs = rng.random((6, 4)) * rng.integers(0, 2, (6, 4))
    found = ours(torch.from_numpy(inputs).float()).detach().numpy()
    np.testing.assert_allclose(found, theory.outputs(inputs.T).T, atol=1e-6)


def test_gradients_exist_where_factors_are_zero():
    layer = And(3, 1)
    with torch.no_grad():
        layer.weight.fill_(1.0)
    layer(torch.tensor([[0.0, 1.0, 1.0]])).sum().backward()
    assert layer.weight.grad.tolist() == [[-1.0, 0.0, 0.0]]


@given(st.floats(-2, 12))
def test_intervals_are_those_of_the_theory(x):
    boundaries, sharpness = [1.0, 4.0, 9.0], 3.0
    found = FuzzyIntervals(FuzzyDichotomies(boundaries, sharpness))(torch.tensor([x])).detach()[0]
    np.testing.assert_allclose(found, fuzzy_intervals(x, boundaries, [sharpness] * 3), atol=1e-6)


def test_only_learned_intervals_are_trained():
    for learned in (False, True):
        intervals = FuzzyIntervals(FuzzyDichotomies([1.0, 2.0]), learned=learned)
        assert intervals.weight.requires_grad is learned
        assert intervals.dichotomies.boundaries.requires_grad


def test_a_missing_cell_has_its_own_weight_and_passes_gradients_to_it_alone():
    module = Module(OneHot(3), n_rules=2)
    module(torch.tensor([float("nan")])).sum().backward()
    assert module.missing.grad.tolist() == [1.0, 1.0]
    assert not module.weight.grad.any()


def test_weights_are_brought_back_to_where_they_are_allowed():
    network = torch.nn.Sequential(RuleModules([None, OneHot(2), FuzzyIntervals(FuzzyDichotomies([0.0]))], 2), Or(2, 1))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.fill_(-5.0)
    clamp(network)
    rules, outputs = network
    assert (rules.weight == -1).all() and (rules.bias == 0).all() and (outputs.weight == 0).all()
    assert (rules.modules_of["1"].weight == 0).all() and (rules.modules_of["1"].missing == 0).all()
    assert (rules.modules_of["2"].concepts.dichotomies.sharpness == 0.1).all()


def test_the_penalty_counts_every_layer_that_is_trained():
    network = torch.nn.Sequential(And(2, 2), Or(2, 1))
    with torch.no_grad():
        network[0].weight.fill_(0.5)
        network[1].weight.fill_(0.25)
    assert float(penalty(network, non_empty=0.0, l1=1.0).detach()) == pytest.approx(0.5 + 0.25)
    assert float(penalty(network, non_empty=1.0, l1=0.0).detach()) == pytest.approx(0.0 + 0.25)


def test_dead_nodes_are_drawn_again_and_the_network_computes_the_same():
    torch.manual_seed(0)
    network = torch.nn.Sequential(And(3, 4), Or(4, 2), And(2, 1))
    with torch.no_grad():
        network[1].weight[:, 2] = 0.0
        network[0].weight[2] = 0.0
    table = torch.rand(8, 3)
    before = network(table).detach()
    assert reset_dead(network) == 1
    assert network[0].weight[2].any()
    np.testing.assert_array_equal(network(table).detach(), before)
