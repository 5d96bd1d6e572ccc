"""Compiled loops of the search of calculations."""

__all__: list[str] = []
