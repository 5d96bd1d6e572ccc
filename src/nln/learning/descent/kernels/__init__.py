"""Compiled loops of the descent."""

__all__: list[str] = []
