"""Crisp programs as answer set programs."""
