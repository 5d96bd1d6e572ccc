import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

import torch

from benchmarks.__main__ import main
from benchmarks.data import network_rows
from benchmarks.generate import mixed_table
from benchmarks.gradients import CRISP, FORMS, OURS, PLAIN, SCORES, SOFT, SUMMARY, one_thread, summarize
from benchmarks.settings import Settings
from benchmarks.torch_gradients import OtherGradients, discretized_network, train_otherwise
from benchmarks.torch_network import TorchNetwork
from nln.network.layout import initial_weights
from nln.network.options import TrainingOptions

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def single():
    """Small tensors: more threads only wait for each other."""
    with one_thread():
        yield


@pytest.fixture(scope="module")
def data():
    return network_rows(*mixed_table(300, 0))


@pytest.fixture
def make(data):
    given, rows = data
    weights = initial_weights(given, 5, rows.targets.shape[1], np.random.default_rng(0))

    def make(**form):
        network = OtherGradients(given, weights, **form) if form else TorchNetwork(given, weights)
        targets, row_weights = torch.from_numpy(rows.targets), torch.from_numpy(rows.weights)
        return network, network.codes(rows), targets, row_weights

    return make


def test_without_changes_the_network_is_the_plain_one(make):
    plain, codes, *_ = make()
    same, _, *_ = make(grafts=False, logarithmic=False)
    torch.testing.assert_close(same.outputs(codes), plain.outputs(codes), rtol=0, atol=0)


def test_discretized_weights_are_crisp_and_the_other_numbers_stay(make, data):
    network, *_ = make(grafts=True, logarithmic=False)
    crisp, layout = network.discretized(), data[0].layout
    assert set(crisp.weights.and_weights.unique().tolist()) <= {-1.0, 0.0, 1.0}
    assert set(crisp.weights.output_weights.unique().tolist()) <= {0.0, 1.0}
    for j, n in enumerate(layout.n_regular):
        first, last = layout.weight_offsets[j : j + 2]
        assert set(crisp.weights.or_weights[first : first + n].unique().tolist()) <= {0.0, 1.0}
        missing = slice(first + n, last)
        torch.testing.assert_close(crisp.weights.or_weights[missing], network.weights.or_weights[missing])
    assert crisp.weights.boundaries is network.weights.boundaries


def test_grafting_gives_crisp_outputs_and_the_derivatives_of_the_soft_ones(make):
    soft, codes, targets, _ = make(grafts=False, logarithmic=False)
    grafted, _, *_ = make(grafts=True, logarithmic=False)
    crisp = grafted.discretized().outputs(codes).detach()
    torch.testing.assert_close(grafted.outputs(codes), crisp)
    ((grafted.outputs(codes) - targets) ** 2).sum().backward()
    # dL/dy at the crisp outputs times dy/dw of the soft network.
    soft.outputs(codes).backward(2 * (crisp - targets))
    torch.testing.assert_close(grafted.weights.and_weights.grad, soft.weights.and_weights.grad)
    torch.testing.assert_close(grafted.weights.or_weights.grad, soft.weights.or_weights.grad)


def test_logarithmic_nodes_agree_with_the_product_where_it_is_1_and_never_fall_to_0(make):
    network, *_ = make(grafts=False, logarithmic=True)
    factors = torch.tensor([[1.0, 0.5, 0.0], [1.0, 0.5, 0.0]])
    assert network.conjunction(factors).tolist() == pytest.approx(
        [1.0, 1 / (1 + 2 * np.log(2)), 1 / (1 + 20 * np.log(10))], rel=1e-5
    )


@pytest.mark.parametrize("grafts", [False, True])
@pytest.mark.parametrize("logarithmic", [False, True])
def test_every_form_learns_and_can_be_discretized(data, grafts, logarithmic):
    given, rows = data
    form, order = {"grafts": grafts, "logarithmic": logarithmic}, np.arange(len(rows.targets))
    options, rng = TrainingOptions(epochs=8), np.random.default_rng(0)
    network = train_otherwise(given, rows, order[60:], order[:60], 20, options, rng, **form)
    losses = network.history.column("validation_loss")
    assert network.validation_loss == min(losses) < losses[0]
    crisp = discretized_network(network, **form)
    assert set(np.unique(crisp.weights.and_weights)) <= {-1.0, 0.0, 1.0}


def test_quick_form_compares_all_forms_and_sums_up(tmp_path, capsys):
    assert main(["gradients", "--quick", "--out", str(tmp_path / "gradients.json")]) == 0
    parts = json.loads((tmp_path / "gradients.json").read_text())["parts"]
    assert list(parts) == ["monk2, seed 0", SUMMARY]
    forms = [(row["training"], row["descent from"]) for row in parts["monk2, seed 0"]["table"]]
    expected = [(OURS, SOFT), (PLAIN, SOFT), *((form, SOFT) for form in FORMS)]
    expected += [(form, CRISP) for form in FORMS if FORMS[form]["grafts"]]
    assert sorted(forms) == sorted(expected)
    assert [row["data"] for row in parts[SUMMARY]["table"]] == ["monk2"] * len(forms) + ["all"] * len(forms)
    assert "RRL nodes, grafting" in capsys.readouterr().out


def test_forms_are_compared_fold_by_fold():
    def fold(form, f1):
        return {"form": form, "begin": SOFT, "scores": {**dict.fromkeys(SCORES, 1.0), "F1 (%)": f1}}

    part = {"folds": [fold(PLAIN, 80.0), fold("grafting", 84.0), fold(PLAIN, 90.0), fold("grafting", 88.0)]}
    table = summarize({"wine, seed 0": part, "monk2, seed 0": part}, Settings())["table"]
    assert [(r["data"], r["training"], r["F1 - plain"], r["better"], r["worse"]) for r in table[1::2]] == [
        ("wine", "grafting", "1.0 ± 3.0", 1, 1),
        ("monk2", "grafting", "1.0 ± 3.0", 1, 1),
        ("all", "grafting", "1.0 ± 1.7", 2, 2),
    ]
