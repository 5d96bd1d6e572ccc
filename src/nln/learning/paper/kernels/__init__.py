"""Compiled loops of the paper's method."""

__all__: list[str] = []
