"""Compiled loops of the network."""

__all__: list[str] = []
