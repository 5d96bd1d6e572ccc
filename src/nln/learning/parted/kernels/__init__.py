"""Compiled passes over one bucket of rows."""
