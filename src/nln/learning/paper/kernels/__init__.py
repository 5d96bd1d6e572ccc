"""Compiled loops of the paper's method."""
