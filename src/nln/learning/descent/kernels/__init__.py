"""Compiled loops of the descent."""
