"""One AND or OR node in plain NumPy.

With [w]+ = max(w, 0) and [w]- = max(-w, 0),

    AND:  c = a prod_j (1 - [A_j]+ (1 - c_j)) (1 - [A_j]- c_j)             A in [-1, 1], a in [0, 1]
    OR:   c = 1 - (1 - o) prod_j (1 - [O_j]+ c_j) (1 - [O_j]- (1 - c_j))     O in [-1, 1], o in [0, 1]

The bias a is the probability that the unobserved necessary conditions hold, o that some unobserved sufficient condition
does. Inputs lie along the first axis of an array (or in a list), so that a node works on a number, on all rows or on
all rows and rules at once. Products are loops, nothing is divided by: derivatives taken through these functions by an
automatic differentiation package are right at zeros, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

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
    """Probability that some sufficient condition holds.

    Parameters
    ----------
    inputs : ndarray or sequence of shape (inputs, ...)
        Probabilities of the input concepts.
    weights : ndarray or sequence of shape (inputs, ...)
        O: with 1 a concept suffices, with -1 its absence does, with 0 neither. Broadcast against the inputs.
    bias : float or ndarray, default=0.0
        o: probability that some unobserved sufficient condition holds.

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
