"""Compiled loops of the choice of columns."""

__all__: list[str] = []
