"""Kinds of features in the network, as the kernels number them."""

BINARY, VALUES, ORDERED, CIRCULAR, PROBABILITY = 0, 1, 2, 3, 4
