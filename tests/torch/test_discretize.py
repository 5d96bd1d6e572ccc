from itertools import product

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

import torch

from nln.torch import (
    And,
    FuzzyDichotomies,
    FuzzyIntervals,
    OneHot,
    Or,
    RuleModules,
    concepts,
    discretize,
    interval_texts,
    prune,
    train,
)

BITS = torch.tensor(list(product([0.0, 1.0], repeat=6)))


def error(network, table, targets):
    with torch.no_grad():
        return float((network(table) - targets).square().mean())


def nested_formula():
    """The exclusive or of two formulas in disjunctive normal form."""
    a, b, c, d, e, f = (BITS[:, j] > 0.5 for j in range(6))
    return (((a & b) | c) ^ ((d & ~e) | f)).float()[:, None]


def evaluate(text, rows, names):
    """Evaluate printed definitions by their words alone."""
    columns = {name: rows[:, j] > 0.5 for j, name in enumerate(names)}
    for line in text.splitlines():
        name, definition = line.split(" = ")
        joined = " OR " if " OR " in definition else " AND "
        parts = []
        for part in definition.split(joined):
            value = columns[part.removeprefix("NOT ")]
            parts.append(~value if part.startswith("NOT ") else value)
        stacked = torch.stack(parts)
        columns[name] = stacked.any(dim=0) if joined == " OR " else stacked.all(dim=0)
    return columns


@pytest.mark.slow
def test_four_layers_recover_a_nested_formula():
    torch.manual_seed(0)
    targets = nested_formula()
    network = torch.nn.Sequential(And(6, 16), Or(16, 8, negation=True), And(8, 8), Or(8, 1))
    train(network, BITS, targets, epochs=600, batch_size=16, learning_rate=0.02)
    discretize(network, BITS, targets)
    prune(network, BITS, targets)
    for layer in network:
        assert set(layer.weight.detach().unique().tolist()) <= {-1.0, 0.0, 1.0}
    assert error(network, BITS, targets) < 1e-3
    text = concepts(network, "abcdef", ["y"], decimals=1)
    assert evaluate(text, BITS, "abcdef")["y"].tolist() == (targets[:, 0] > 0.5).tolist()


def test_pruning_never_raises_the_error_and_ends_where_nothing_changes():
    torch.manual_seed(1)
    network = torch.nn.Sequential(And(6, 5), Or(5, 3), And(3, 1))
    targets = BITS[:, :1] * BITS[:, 1:2]
    discretize(network, BITS, targets)
    before = error(network, BITS, targets)
    prune(network, BITS, targets)
    after = error(network, BITS, targets)
    assert after <= before + 1e-9
    weights = [layer.weight.detach().clone() for layer in network]
    prune(network, BITS, targets)
    assert all(torch.equal(layer.weight, weight) for layer, weight in zip(network, weights, strict=True))
    assert error(network, BITS, targets) == after


def test_tables_with_values_numbers_and_missing_cells():
    colour, age = OneHot(3), FuzzyIntervals(FuzzyDichotomies([40.0, 65.0], 5.0))
    network = torch.nn.Sequential(RuleModules([None, colour, age], n_rules=2), Or(2, 1))
    rules, outputs = network
    with torch.no_grad():
        rules.weight.copy_(torch.tensor([[1.0, 1.0, 0.0], [-1.0, 0.0, 1.0]]))
        rules.modules_of["1"].weight.copy_(torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 0.0]]))
        rules.modules_of["2"].weight.copy_(torch.tensor([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
        rules.bias[1] = 0.8
        outputs.weight.fill_(1.0)
    texts = ["smokes", [f"colour = {c}" for c in ("red", "green", "blue")], interval_texts("age", age)]
    assert concepts(network, texts, ["ill"]) == (
        "concept_1_1 = smokes AND (colour = red OR colour = blue)\n"
        "concept_1_2 = NOT smokes AND age >= 65  (0.8)\n"
        "ill = concept_1_1 OR concept_1_2"
    )
    table = torch.tensor([[1.0, 2.0, 30.0], [0.0, 1.0, 70.0], [0.0, 1.0, 30.0]])
    assert network(table).detach()[:, 0].tolist() == pytest.approx([1.0, 0.8, 0.0], abs=1e-5)


def test_concepts_that_are_equal_or_stand_for_one_other_are_written_once():
    network = torch.nn.Sequential(And(2, 4), Or(4, 2), And(2, 1))
    with torch.no_grad():
        network[0].weight.copy_(torch.tensor([[1.0, 1.0], [1.0, 1.0], [-1.0, 0.0], [0.0, 1.0]]))
        network[1].weight.copy_(torch.tensor([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]]))
        network[2].weight.copy_(torch.tensor([[1.0, -1.0]]))
    assert concepts(network, ["a", "b"], ["y"]) == (
        "concept_1_1 = a AND b\nconcept_2_1 = concept_1_1 OR NOT a\ny = concept_2_1 AND NOT concept_1_1"
    )
