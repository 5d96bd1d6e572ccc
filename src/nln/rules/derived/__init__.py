"""Columns that are calculated from others: arithmetic of numbers, whether two values are the same, and counts."""

__all__: list[str] = []
