"""The same network read in another fuzzy logic.

A node is a t-norm of conditions, and a condition says "not asked for, or present": with the t-norm T, its t-conorm
S(x, y) = 1 - T(1 - x, 1 - y) and the negation 1 - x,

    AND:  c = T(a, S(1 - [A_j]+, c_j), S(1 - [A_j]-, 1 - c_j), ...)        over all j
    OR:   c = S(o, T([O_j]+, c_j), T([O_j]-, 1 - c_j), ...)                over all j

The product T(x, y) = x y gives the nodes of the paper. The t-norm of Łukasiewicz, T(x, y) = max(0, x + y - 1), gives

    AND:  c = max(0, a - sum_j ([A_j]+ - c_j)+ - sum_j ([A_j]- - (1 - c_j))+)
    OR:   c = min(1, o + sum_j ([O_j]+ + c_j - 1)+ + sum_j ([O_j]- - c_j)+)

where x+ = max(x, 0): what is asked for and not there adds up. Both are dual under De Morgan's law, and both are
classical logic where weights, biases and inputs are crisp.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from nln.network.theory.nodes import Numbers, and_node, negative_part, or_node, positive_part


class FuzzyLogic(NamedTuple):
    """The two nodes of a logic, each a function of inputs, weights and bias."""

    and_node: Callable[[Numbers, Numbers, Any], Any]
    or_node: Callable[[Numbers, Numbers, Any], Any]


def lukasiewicz_and(inputs: Numbers, weights: Numbers, bias: Any = 1.0) -> Any:
    """Degree to which all necessary conditions hold, after Łukasiewicz; parameters as for `and_node`.

    Examples
    --------
    >>> round(lukasiewicz_and([0.9, 0.2], [1.0, -0.5]), 3)
    0.9
    >>> round(lukasiewicz_and([0.9, 0.2], [1.0, -1.0]), 3)
    0.7
    """
    degree = bias
    for c, w in zip(inputs, weights, strict=True):
        degree = degree - _missed(w, c)
    return positive_part(degree)


def lukasiewicz_or(inputs: Numbers, weights: Numbers, bias: Any = 0.0) -> Any:
    """Degree to which some sufficient condition holds, after Łukasiewicz; parameters as for `or_node`.

    Examples
    --------
    >>> round(lukasiewicz_or([0.5, 0.2], [1.0, 1.0]), 3)
    0.7
    """
    degree = 1 - bias
    for c, w in zip(inputs, weights, strict=True):
        degree = degree - _missed(-w, c)
    return 1 - positive_part(degree)


def _missed(weight: Any, concept: Any) -> Any:
    """How far a concept falls short of what an AND weight asks for."""
    present = positive_part(positive_part(weight) - concept)
    return present + positive_part(negative_part(weight) - (1 - concept))


PRODUCT = FuzzyLogic(and_node, or_node)
"""The logic of this package: AND is the product, the probability of independent inputs."""

LUKASIEWICZ = FuzzyLogic(lukasiewicz_and, lukasiewicz_or)
"""The logic of Łukasiewicz, for comparison."""
