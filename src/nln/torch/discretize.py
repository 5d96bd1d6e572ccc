"""From a soft network of any depth to crisp definitions: greedy discretization, pruning and text.

Layers are taken from the outputs to the inputs, as in the paper; a feature's OR nodes come after the AND weights of
the rules. Every question ("what if this weight were 0?") evaluates the layers that follow on all rows, so this is for
small networks. `nln.learning.paper` answers the same questions in closed form for two layers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from nln.torch.inputs import FuzzyIntervals, Module, RuleModules
from nln.torch.nodes import And, Or

_TIE = 1e-10
"""Mean squared errors that differ by less are equal."""


def discretize(network: nn.Sequential, table: Tensor, targets: Tensor) -> None:
    """Make all weights of a network -1, 0 or 1 by descending selection; biases and boundaries stay as they are.

    Weights are visited from the largest to the smallest. Each becomes its sign if that gives a smaller squared error
    than 0 does.

    Parameters
    ----------
    network : torch.nn.Sequential
        A network of the layers of this package; it is changed.
    table : Tensor of shape (rows, features)
        What the first layer takes.
    targets : Tensor of shape (rows, outputs)
        0 and 1.

    Examples
    --------
    >>> import torch
    >>> from nln.torch import And
    >>> both = torch.nn.Sequential(And(2, 1))
    >>> _ = both[0].weight.data.copy_(torch.tensor([[0.9, 0.6]]))
    >>> table = torch.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> discretize(both, table, table.prod(dim=1, keepdim=True))
    >>> both[0].weight.detach()
    tensor([[1., 1.]])
    """
    with torch.no_grad():
        for weight, loss in _decisions(network, table, targets.to(table.dtype)):
            for place in _places(weight):
                sign = torch.sign(weight[place])
                weight[place] = sign
                kept = loss()
                weight[place] = 0.0
                if kept < loss() - _TIE:
                    weight[place] = sign


def prune(network: nn.Sequential, table: Tensor, targets: Tensor) -> None:
    """Make weights 0 where the squared error does not rise, pass after pass until nothing changes.

    Parameters
    ----------
    network : torch.nn.Sequential
        A discretized network; it is changed.
    table : Tensor of shape (rows, features)
        What the first layer takes.
    targets : Tensor of shape (rows, outputs)
        0 and 1.
    """
    changed = True
    with torch.no_grad():
        while changed:
            changed = False
            for weight, loss in _decisions(network, table, targets.to(table.dtype)):
                now = loss()
                for place in _places(weight):
                    old = weight[place].clone()
                    weight[place] = 0.0
                    if (then := loss()) <= now + _TIE:
                        now, changed = then, True
                    else:
                        weight[place] = old


def concepts(
    network: nn.Sequential, features: Sequence[str | Sequence[str]], outputs: Sequence[str], *, decimals: int = 3
) -> str:
    """Write a discretized network as definitions: one line per concept that the outputs need.

    Parameters
    ----------
    network : torch.nn.Sequential
        A discretized network.
    features : sequence of str, or of sequences of str
        For each input its name or, for values and intervals, the text of each.
    outputs : sequence of str
        Names of the outputs.
    decimals : int, default=3
        Decimals of the biases. A bias without effect is not written.

    Returns
    -------
    str
        Concepts that stand for one other concept are replaced by it, and equal ones have one name.

    Examples
    --------
    >>> import torch
    >>> from nln.torch import And, Or
    >>> network = torch.nn.Sequential(And(2, 2), Or(2, 1))
    >>> _ = network[0].weight.data.copy_(torch.tensor([[1.0, -1.0], [-1.0, 1.0]])), network[1].weight.data.fill_(1.0)
    >>> print(concepts(network, ["a", "b"], ["exclusive"]))
    concept_1_1 = a AND NOT b
    concept_1_2 = NOT a AND b
    exclusive = concept_1_1 OR concept_1_2
    """
    layers = [layer for layer in network if isinstance(layer, And)]
    names: list[str] = []
    lines: list[str] = []
    used = _used(layers)
    for depth, layer in enumerate(layers, 1):
        last, own, known = depth == len(layers), list[str](), dict[str, str]()
        for i in range(len(layer.bias)):
            parts = _parts(layer, i, features if depth == 1 else names)
            neutral = 0.0 if isinstance(layer, Or) else 1.0
            bias = round(float(layer.bias[i].detach()), decimals)
            if not last and (not used[depth - 1][i] or (len(parts) == 1 and bias == neutral)):
                own.append(parts[0] if parts else "")
                continue
            text = (" OR " if isinstance(layer, Or) else " AND ").join(parts)
            text = text or ("never" if isinstance(layer, Or) else "always")
            text += f"  ({bias})" if bias != neutral else ""
            is_new = last or text not in known
            own.append(outputs[i] if last else known.setdefault(text, f"concept_{depth}_{len(known) + 1}"))
            if is_new:
                lines.append(f"{own[-1]} = {text}")
        names = own
    return "\n".join(lines)


def interval_texts(name: str, intervals: FuzzyIntervals, digits: int = 4) -> list[str]:
    """Write each interval of a feature as a condition, for `concepts`.

    Parameters
    ----------
    name : str
        Name of the feature.
    intervals : FuzzyIntervals
        Its intervals.
    digits : int, default=4
        Digits of the boundaries.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from nln.torch import FuzzyDichotomies, FuzzyIntervals
    >>> interval_texts("age", FuzzyIntervals(FuzzyDichotomies([40.0, 65.0])))
    ['age < 40', '40 <= age < 65', 'age >= 65']
    """
    ends = [f"{b:.{digits}g}" for b in intervals.dichotomies.boundaries.tolist()]
    middle = [f"{low} <= {name} < {high}" for low, high in pairwise(ends)]
    return [f"{name} < {ends[0]}", *middle, f"{name} >= {ends[-1]}"]


def _decisions(network: nn.Sequential, table: Tensor, targets: Tensor) -> Iterator[tuple[Tensor, Callable[[], float]]]:
    """Weights layer by layer from the outputs to the inputs, each with a function that computes the error."""
    layers = list(network)
    for depth in reversed(range(len(layers))):
        inputs = nn.Sequential(*layers[:depth])(table)
        rest = nn.Sequential(*layers[depth:])

        def loss(rest: nn.Sequential = rest, inputs: Tensor = inputs) -> float:
            return float((rest(inputs) - targets).square().mean())

        yield layers[depth].weight, loss
        if isinstance(layers[depth], RuleModules):
            for j, module in layers[depth].modules_of.items():
                module.weight[layers[depth].weight[:, int(j)] == 0] = 0.0  # modules not asked for
                yield module.weight, loss


def _places(weight: Tensor) -> list[tuple[int, int]]:
    """Places of the weights other than 0, the largest first."""
    order = torch.argsort(weight.abs().flatten(), descending=True, stable=True).tolist()
    places = [(x // weight.shape[1], x % weight.shape[1]) for x in order]
    return [place for place in places if weight[place] != 0]


def _used(layers: Sequence[And]) -> list[list[bool]]:
    """Which nodes of each layer the outputs need."""
    needed = [[True] * len(layers[-1].bias)]
    for layer in reversed(layers[1:]):
        mask = torch.tensor(needed[0], device=layer.weight.device)
        needed.insert(0, (layer.weight[mask].detach() != 0).any(dim=0).tolist())
    return needed


def _parts(layer: And, i: int, names: Sequence[str | Sequence[str]]) -> list[str]:
    found = []
    for j in torch.nonzero(layer.weight[i].detach())[:, 0].tolist():
        module = layer.modules_of[str(j)] if isinstance(layer, RuleModules) and str(j) in layer.modules_of else None
        text = str(names[j]) if module is None else _alternatives(module, i, names[j])
        found.append(_negated(text) if layer.weight[i, j] < 0 else text)
    return found


def _alternatives(module: Module, i: int, texts: str | Sequence[str]) -> str:
    chosen = [texts[v] for v in torch.nonzero(module.weight[i].detach())[:, 0].tolist()]
    text = " OR ".join(chosen) or "never"
    return f"({text})" if len(chosen) > 1 else text


def _negated(text: str) -> str:
    return text.removeprefix("NOT ") if text.startswith("NOT ") else f"NOT {text}"
