"""The network that is trained, as plain nodes: the tests compare everything compiled with this.

Functions that take an array module `xp` work with that of an automatic differentiation package, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from nln.network.kernels.modules import BINARY, CIRCULAR, ORDERED, PROBABILITY, VALUES
from nln.network.layout import Integers, Layout, Weights
from nln.network.theory.nodes import Numbers, and_node, or_node, positive_part
from nln.tables.encoding import Codes


def fuzzy_dichotomy(x: Any, boundary: Any, sharpness: Any, xp: Any = np) -> Any:
    """Probability `sigma(alpha (x - B))` that a number lies above a boundary.

    Parameters
    ----------
    x, boundary, sharpness : float or ndarray
        The number x, the boundary B and the sharpness alpha, broadcast against each other.
    xp : module, default=numpy
        NumPy, or the array module of an automatic differentiation package.

    Examples
    --------
    >>> import numpy as np
    >>> fuzzy_dichotomy(np.array([-9.0, 3.0, 9.0]), 3.0, 12.0)
    array([0. , 0.5, 1. ])
    """
    return (1 + xp.tanh(sharpness * (x - boundary) / 2)) / 2


def fuzzy_intervals(
    x: Any, boundaries: Numbers, sharpness: Numbers, xp: Any = np, *, circle: float | None = None
) -> list[Any]:
    """Probabilities that a number lies in each of the intervals between neighbouring boundaries.

    An interval is the AND of the dichotomy of its lower boundary and the absence of that of its upper one. On a line
    the outermost intervals are open: nothing lies below the first or above the last. On a circle a dichotomy is true on
    the half circle from its boundary on, and the last interval ends where the first begins.

    Parameters
    ----------
    x : float or ndarray
        The number.
    boundaries, sharpness : ndarray or sequence of shape (dichotomies,)
        Boundaries, lowest first, and their sharpnesses.
    xp : module, default=numpy
        NumPy, or the array module of an automatic differentiation package.
    circle : float, default=None
        Length of the circle on which the numbers lie; None for a line.

    Returns
    -------
    list of float or ndarray, (dichotomies + 1,) or, on a circle, (dichotomies,)
        One entry per interval, each shaped as `x`.

    Examples
    --------
    >>> import numpy as np
    >>> low, middle, high = fuzzy_intervals(np.array([0.0, 1.5]), [1.0, 2.0], [50.0, 50.0])
    >>> middle.round(3)
    array([0., 1.])
    """
    if circle is not None:
        around = [x - b - circle * xp.floor((x - b) / circle + 0.5) for b in boundaries]
        half = [fuzzy_dichotomy(u, 0.0, alpha, xp) for u, alpha in zip(around, sharpness, strict=True)]
        above = [*half, half[0]]
    else:
        inner = [fuzzy_dichotomy(x, b, alpha, xp) for b, alpha in zip(boundaries, sharpness, strict=True)]
        above = [1.0 + 0.0 * x, *inner, 0.0 * x]
    return [and_node(sides, [1.0, -1.0]) for sides in pairwise(above)]


def interval_nodes(x: Any, boundaries: Numbers, sharpness: Numbers, weights: Any, xp: Any = np) -> list[Any]:
    """Probabilities that a number lies in each of some intervals with AND weights over all boundaries.

    Parameters
    ----------
    x : float or ndarray
        The number.
    boundaries, sharpness : ndarray or sequence of shape (dichotomies,)
        Boundaries and their sharpnesses.
    weights : ndarray of shape (dichotomies, intervals)
        AND weights: 1 asks that the number lies above a boundary, -1 that it does not.
    xp : module, default=numpy
        NumPy, or the array module of an automatic differentiation package.

    Returns
    -------
    list of float or ndarray, (intervals,)
        One entry per interval, each shaped as `x`.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.5]])
    >>> [float(p.round(3)) for p in interval_nodes(np.array(1.5), [1.0, 2.0], [50.0, 50.0], weights)]
    [1.0, 1.0, 0.5]
    """
    above = [fuzzy_dichotomy(x, b, alpha, xp) for b, alpha in zip(boundaries, sharpness, strict=True)]
    if not above:
        return [1.0 + 0.0 * x]
    return [and_node(above, weights[:, m]) for m in range(weights.shape[1])]


def module_output(layout: Layout, weights: Weights, codes: Codes, feature: int, xp: Any = np) -> Any:
    """Return what one feature passes to the AND nodes of the rules: (rows, rules), or (rows, 1) if all get the same.

    A binary feature or a probability passes its value. A categorical feature has an OR node per rule over its one-hot
    values, an ordered feature one over its fuzzy intervals. For a missing value the rule's missing weight takes their
    place.
    """
    code, kind = codes[:, feature].astype(np.int64), layout.kinds[feature]
    if kind == BINARY:
        return code[:, None].astype(np.float64)
    weight, stop, n_regular = *layout.weight_offsets[feature : feature + 2], int(layout.n_regular[feature])
    x = layout.positions[layout.slot_offsets[feature] + code].astype(np.float64)[:, None]
    if kind == PROBABILITY:
        module = x
    else:
        if kind == VALUES:
            inputs = [(code == value).astype(np.float64)[:, None] for value in range(n_regular)]
        else:
            dichotomies = slice(*layout.dichotomy_offsets[feature : feature + 2])
            parameters = weights.boundaries[dichotomies], weights.sharpness[dichotomies]
            if kind == ORDERED and weights.interval_weights.shape[0]:
                learned = weights.interval_weights[: n_regular - 1, weight : weight + n_regular]
                inputs = interval_nodes(x, *parameters, learned, xp)
            else:
                inputs = fuzzy_intervals(x, *parameters, xp, circle=float(n_regular) if kind == CIRCULAR else None)
        module = or_node(inputs, weights.or_weights[weight : weight + n_regular])
    if stop == weight + n_regular:  # no missing weight
        return module
    missing = (code == (n_regular if kind == VALUES else layout.n_bins[feature])).astype(np.float64)[:, None]
    return (1 - missing) * module + missing * weights.or_weights[weight + n_regular]


def network_outputs(layout: Layout, weights: Weights, codes: Codes, xp: Any = np) -> Any:
    """Probability of each output, from the nodes one by one.

    Parameters
    ----------
    layout : Layout
        Where each feature lies in the network's arrays.
    weights : Weights
        The network; arrays of any float type.
    codes : ndarray of int, of shape (rows, features)
        Slot of each feature.
    xp : module, default=numpy
        NumPy, or the array module of an automatic differentiation package.

    Returns
    -------
    ndarray of shape (outputs, rows)

    Examples
    --------
    One binary feature and one rule that asks for it, with probability 0.8:

    >>> import numpy as np
    >>> one, none = np.array([0, 1]), np.empty(0)
    >>> layout = Layout(np.array([0]), np.array([0, 2]), np.array([0, 0]), np.array([0]), np.array([0]), one[:0], none)
    >>> weights = Weights(np.ones((1, 1)), np.ones((0, 1)), np.array([0.8]), np.ones((1, 1)), np.zeros(1), none, none)
    >>> network_outputs(layout, weights, one[:, None])
    array([[0. , 0.8]])
    """
    modules = [module_output(layout, weights, codes, j, xp) for j in range(codes.shape[1])]
    rules = and_node(modules, weights.and_weights, weights.rule_bias)
    outputs = [or_node(rules.T, w, o) for w, o in zip(weights.output_weights, weights.output_bias, strict=True)]
    return xp.stack(outputs)


def network_loss(
    layout: Layout,
    weights: Weights,
    codes: Codes,
    targets: npt.NDArray[np.floating],
    row_weights: npt.NDArray[np.floating],
    xp: Any = np,
) -> Any:
    """Weighted mean squared error over rows and outputs.

    Parameters
    ----------
    layout, weights, codes : Layout, Weights, ndarray
        As for `network_outputs`.
    targets : ndarray of shape (rows, outputs)
        1 where the output's label holds.
    row_weights : ndarray of shape (rows,)
        Weight of each row.
    xp : module, default=numpy
        NumPy, or the array module of an automatic differentiation package.
    """
    error = network_outputs(layout, weights, codes, xp) - targets.T
    return xp.sum(error * error * row_weights) / (row_weights.sum() * targets.shape[1])


def penalty(layer: Sequence[Any], non_empty: float, l1: float, xp: Any = np) -> Any:
    """Penalty of a layer: L1 averaged over its weights, and `(1 - sum |w|)^2` for empty nodes averaged over its nodes.

    Parameters
    ----------
    layer : sequence of ndarray of shape (inputs, nodes)
        Weights, with nodes of equally many inputs in one array.
    non_empty, l1 : float
        Strength of each part. A node is empty as far as its weights sum to less than 1.
    xp : module, default=numpy
        NumPy, or the array module of an automatic differentiation package.

    Examples
    --------
    >>> import numpy as np
    >>> float(penalty([np.array([[0.5, 1.0], [0.0, 1.0]])], non_empty=1.0, l1=0.0))
    0.125
    """
    sums = [xp.sum(abs(w), axis=0) for w in layer]
    empty = sum(xp.sum(positive_part(1 - s) ** 2) for s in sums)
    count, nodes = sum(w.shape[0] * w.shape[1] for w in layer), sum(w.shape[1] for w in layer)
    return l1 * sum(xp.sum(s) for s in sums) / count + non_empty * empty / nodes


def or_layer(layout: Layout, or_weights: Any) -> list[Any]:
    """Weights of the modules' OR nodes feature by feature, without the missing weights."""
    starts: Integers = layout.weight_offsets[:-1]
    return [or_weights[i : i + n] for i, n in zip(starts, layout.n_regular, strict=True) if n > 0]
