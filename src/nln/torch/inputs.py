"""From the cells of a table to concepts: one-hot values, fuzzy intervals, missing values, and the AND nodes over them.

A table is a float tensor with one column per feature: 0 or 1, the index of a value, or a number; NaN is missing.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from nln.torch.nodes import And, all_hold


class FuzzyDichotomies(nn.Module):
    """Whether a number lies above each of some boundaries, with trained boundaries and sharpnesses.

    Parameters
    ----------
    boundaries : sequence of float
        Boundaries to begin with, lowest first.
    sharpness : float, default=None
        Sharpness of each boundary to begin with. None takes 12 divided by the mean distance of the boundaries.

    Examples
    --------
    >>> import torch
    >>> FuzzyDichotomies([1.0, 2.0], 50.0)(torch.tensor([0.0, 1.5])).detach().round()
    tensor([[0., 0.],
            [1., 0.]])
    """

    def __init__(self, boundaries: Sequence[float], sharpness: float | None = None) -> None:
        super().__init__()
        places = torch.as_tensor(boundaries, dtype=torch.float32).clone()
        if sharpness is None:
            sharpness = 12 / float(places.diff().mean()) if len(places) > 1 else 12.0
        self.boundaries = nn.Parameter(places)
        self.sharpness = nn.Parameter(torch.full_like(places, sharpness))

    def clamp(self) -> None:
        """Keep the sharpnesses above 0."""
        with torch.no_grad():
            self.sharpness.clamp_(min=0.1)

    def forward(self, numbers: Tensor) -> Tensor:
        """Probability that each number lies above each boundary, (..., boundaries)."""
        return torch.sigmoid(self.sharpness * (numbers.unsqueeze(-1) - self.boundaries))


class FuzzyIntervals(nn.Module):
    """In which of some intervals a number lies: AND nodes over fuzzy dichotomies.

    Parameters
    ----------
    dichotomies : FuzzyDichotomies
        The boundaries. There is one interval more than boundaries.
    learned : bool, default=False
        Whether the AND weights over all dichotomies are trained, as in the paper, or stay at the two neighbours.

    Examples
    --------
    >>> import torch
    >>> FuzzyIntervals(FuzzyDichotomies([1.0, 2.0], 50.0))(torch.tensor([1.5])).detach().round()
    tensor([[0., 1., 0.]])
    """

    def __init__(self, dichotomies: FuzzyDichotomies, *, learned: bool = False) -> None:
        super().__init__()
        n = len(dichotomies.boundaries)
        self.dichotomies, self.n_concepts = dichotomies, n + 1
        neighbours = torch.zeros(n + 1, n)
        neighbours[torch.arange(1, n + 1), torch.arange(n)] = 1.0
        neighbours[torch.arange(n), torch.arange(n)] = -1.0
        self.weight = nn.Parameter(neighbours, requires_grad=learned)

    def clamp(self) -> None:
        """Bring the weights back to where they are allowed."""
        with torch.no_grad():
            self.weight.clamp_(-1.0, 1.0)

    def forward(self, numbers: Tensor) -> Tensor:
        """Probability that each number lies in each interval, (..., intervals)."""
        return all_hold(self.dichotomies(numbers).unsqueeze(-2), self.weight)


class OneHot(nn.Module):
    """Which of some values a cell holds.

    Parameters
    ----------
    n_values : int
        Number of values. Cells hold indices from 0 on.

    Examples
    --------
    >>> import torch
    >>> OneHot(3)(torch.tensor([2.0, 0.0]))
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """

    def __init__(self, n_values: int) -> None:
        super().__init__()
        self.n_concepts = n_values

    def forward(self, cells: Tensor) -> Tensor:
        """1 for the value of each cell and 0 for the others, (..., values)."""
        values = torch.arange(self.n_concepts, device=cells.device, dtype=cells.dtype)
        return (cells.unsqueeze(-1) == values).to(cells.dtype)


class Module(nn.Module):
    """What one feature tells each rule: an OR node per rule over its concepts, and a weight for a missing cell.

    Parameters
    ----------
    concepts : OneHot or FuzzyIntervals
        What is made of a cell.
    n_rules : int
        Number of rules.

    Examples
    --------
    >>> import torch
    >>> module = Module(OneHot(2), n_rules=1)
    >>> _ = module.weight.data.copy_(torch.tensor([[1.0, 0.0]])), module.missing.data.fill_(0.25)
    >>> module(torch.tensor([0.0, 1.0, float("nan")])).detach()
    tensor([[1.0000],
            [0.0000],
            [0.2500]])
    """

    def __init__(self, concepts: OneHot | FuzzyIntervals, n_rules: int) -> None:
        super().__init__()
        self.concepts = concepts
        self.weight = nn.Parameter(torch.rand(n_rules, concepts.n_concepts))
        self.missing = nn.Parameter(torch.rand(n_rules))

    def draw(self, rules: Tensor) -> None:
        """Give some rules new random weights."""
        with torch.no_grad():
            self.weight[rules] = torch.rand_like(self.weight[rules])
            self.missing[rules] = torch.rand_like(self.missing[rules])

    def clamp(self) -> None:
        """Bring the weights back to where they are allowed."""
        with torch.no_grad():
            self.weight.clamp_(0.0, 1.0)
            self.missing.clamp_(0.0, 1.0)

    def forward(self, cells: Tensor) -> Tensor:
        """Probability that each rule's condition on the feature holds, (..., rules)."""
        is_missing = torch.isnan(cells)
        known = 1 - all_hold(self.concepts(torch.where(is_missing, 0.0, cells)).unsqueeze(-2), -self.weight)
        return torch.where(is_missing.unsqueeze(-1), self.missing, known)


class RuleModules(And):
    """AND nodes over the features of a table, each with its own view of every feature: the first layer of a network.

    Parameters
    ----------
    features : sequence of OneHot, FuzzyIntervals or None
        What is made of each column. None takes the column as it is: 0 or 1, or a probability, never missing.
    n_rules : int
        Number of nodes.

    Examples
    --------
    >>> import torch
    >>> rules = RuleModules([None, OneHot(3), FuzzyIntervals(FuzzyDichotomies([0.5]))], n_rules=4)
    >>> rules(torch.tensor([[1.0, 2.0, 0.1], [0.0, float("nan"), 0.9]])).shape
    torch.Size([2, 4])
    """

    def __init__(self, features: Sequence[OneHot | FuzzyIntervals | None], n_rules: int) -> None:
        super().__init__(len(features), n_rules)
        self.modules_of = nn.ModuleDict(
            {str(j): Module(concepts, n_rules) for j, concepts in enumerate(features) if concepts is not None}
        )
        self.draw(torch.arange(n_rules))

    def draw(self, nodes: Tensor) -> None:
        """Give some rules new random weights; those of modules begin at 1."""
        super().draw(nodes)
        for j, module in getattr(self, "modules_of", nn.ModuleDict()).items():
            module.draw(nodes)
            with torch.no_grad():
                self.weight[nodes, int(j)] = 1.0

    def conditions(self, table: Tensor) -> Tensor:
        """Probability that each rule's condition on each feature holds, (rows, rules, features)."""
        n_rules, n_features = self.weight.shape
        columns = [
            self.modules_of[str(j)](table[:, j]) if str(j) in self.modules_of else table[:, j, None].expand(-1, n_rules)
            for j in range(n_features)
        ]
        return torch.stack(columns, dim=-1)

    def forward(self, table: Tensor) -> Tensor:
        """Probability of each rule, (rows, rules)."""
        return self.bias * all_hold(self.conditions(table), self.weight)
