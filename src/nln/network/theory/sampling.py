"""What a network says may happen: relations and concepts drawn at random."""

from __future__ import annotations

import numpy as np

from nln.network.theory.layers import Layer
from nln.tables.encoding import Floats


def draw_layer(layer: Layer, concepts: Floats, rng: np.random.Generator) -> Floats:
    """Draw the relations of a layer, once per column, and return the concepts that follow.

    A weight w asks for its concept (or the absence, by its sign) with probability `|w|`, and a bias b is 1 with
    probability b.

    Parameters
    ----------
    layer : Layer
        The layer.
    concepts : ndarray of shape (inputs, columns)
        Crisp input concepts.
    rng : Generator
        The only source of randomness.

    Returns
    -------
    ndarray of zeros and ones, of shape (nodes, columns)

    Examples
    --------
    >>> import numpy as np
    >>> rain = np.ones((1, 10_000))
    >>> wet = draw_layer(Layer("or", [[0.8]]), rain, np.random.default_rng(0))
    >>> round(float(wet.mean()), 1)
    0.8
    """
    columns = concepts.shape[1]
    found = np.empty((layer.n_nodes, columns))
    for i, (weights, bias) in enumerate(zip(layer.weights, layer.bias, strict=True)):
        asked = np.sign(weights)[:, None] * (rng.random((layer.n_inputs, columns)) < np.abs(weights)[:, None])
        wanted = asked if layer.kind == "and" else -asked  # an OR fails where the AND of the negations holds
        holds = ((wanted == 0) | ((wanted > 0) == (concepts > 0.5))).all(axis=0)
        unobserved = rng.random(columns) < bias
        found[i] = holds & unobserved if layer.kind == "and" else ~holds | unobserved
    return found
