"""One AND or OR node in plain NumPy, and the same nodes in another fuzzy logic.

With [w]+ = max(w, 0) and [w]- = max(-w, 0),

    AND:  c = a prod_j (1 - [A_j]+ (1 - c_j)) (1 - [A_j]- c_j)             A in [-1, 1], a in [0, 1]
    OR:   c = 1 - (1 - o) prod_j (1 - [O_j]+ c_j) (1 - [O_j]- (1 - c_j))     O in [-1, 1], o in [0, 1]

The bias a is the probability that the unobserved necessary conditions hold, o that some unobserved sufficient condition
does. Inputs lie along the first axis of an array (or in a list), so that a node works on a number, on all rows or on
all rows and rules at once. Products are loops, nothing is divided by: derivatives taken through these functions by an
automatic differentiation package are right at zeros, too.

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

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.floating] | Sequence[Any]
"""Along the first axis: one number or one array per input."""


def positive_part(weight: Any) -> Any:
    """[w]+ = max(w, 0), by the array's own operators; its derivative at 0 is that to the right, 1."""
    return weight * (weight >= 0)


def negative_part(weight: Any) -> Any:
    """[w]- = max(-w, 0), by the array's own operators; its derivative at 0 is that to the right, 0."""
    return -weight * (weight < 0)


def and_node(inputs: Numbers, weights: Numbers, bias: Any = 1.0) -> Any:
    """Probability that all necessary conditions hold.

    Parameters
    ----------
    inputs : ndarray or sequence of shape (inputs, ...)
        Probabilities of the input concepts.
    weights : ndarray or sequence of shape (inputs, ...)
        A: 1 asks for a concept, -1 for its absence, 0 for neither. Broadcast against the inputs.
    bias : float or ndarray, default=1.0
        a: probability that the unobserved necessary conditions hold.

    Examples
    --------
    >>> import numpy as np
    >>> bird, penguin = np.array([1.0, 1.0, 0.0]), np.array([0.0, 1.0, 0.0])
    >>> and_node([bird, penguin], [1.0, -1.0], 0.9)
    array([0.9, 0. , 0. ])
    """
    product = bias
    for c, w in zip(inputs, weights, strict=True):
        product = product * (1 - positive_part(w) * (1 - c)) * (1 - negative_part(w) * c)
    return product


def or_node(inputs: Numbers, weights: Numbers, bias: Any = 0.0) -> Any:
    """Probability that some sufficient condition holds; parameters as for `and_node`.

    With the weight 1 a concept suffices, with -1 its absence does, with 0 neither.

    Examples
    --------
    >>> import numpy as np
    >>> rain, sprinkler = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    >>> or_node([rain, sprinkler], [1.0, 0.5], 0.2)
    array([1. , 0.6, 0.2])
    """
    none = 1 - bias
    for c, w in zip(inputs, weights, strict=True):
        none = none * (1 - positive_part(w) * c) * (1 - negative_part(w) * (1 - c))
    return 1 - none


def de_morgan(weights: Any, bias: Any) -> tuple[Any, Any]:
    """Weights and bias of the other kind of node that computes NOT of this one: `O = -A`, `o = 1 - a`, and back.

    Examples
    --------
    >>> import numpy as np
    >>> inputs, weights = np.array([0.9, 0.2]), np.array([1.0, -0.5])
    >>> float(1 - and_node(inputs, weights, 0.5)) == float(or_node(inputs, *de_morgan(weights, 0.5)))
    True
    """
    return -weights, 1 - bias


def lukasiewicz_and(inputs: Numbers, weights: Numbers, bias: Any = 1.0) -> Any:
    """Degree to which all necessary conditions hold, after Łukasiewicz; parameters as for `and_node`.

    Examples
    --------
    >>> round(lukasiewicz_and([0.9, 0.2], [1.0, -1.0]), 3)
    0.7
    """
    degree = bias
    for c, w in zip(inputs, weights, strict=True):
        degree = degree - positive_part(positive_part(w) - c) - positive_part(negative_part(w) - (1 - c))
    return positive_part(degree)


def lukasiewicz_or(inputs: Numbers, weights: Numbers, bias: Any = 0.0) -> Any:
    """Degree to which some sufficient condition holds, after Łukasiewicz; parameters as for `and_node`.

    Examples
    --------
    >>> round(lukasiewicz_or([0.5, 0.2], [1.0, 1.0]), 3)
    0.7
    """
    return 1 - lukasiewicz_and(inputs, [-w for w in weights], 1 - bias)


class FuzzyLogic(NamedTuple):
    """The two nodes of a logic, each a function of inputs, weights and bias."""

    and_node: Callable[[Numbers, Numbers, Any], Any]
    or_node: Callable[[Numbers, Numbers, Any], Any]


PRODUCT = FuzzyLogic(and_node, or_node)
"""The logic of this package: AND is the product, the probability of independent inputs."""

LUKASIEWICZ = FuzzyLogic(lukasiewicz_and, lukasiewicz_or)
"""The logic of Łukasiewicz, for comparison."""
