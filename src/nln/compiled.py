"""How loops are compiled: with Numba, cached on disk so that only the first run pays, free of the interpreter lock."""

from __future__ import annotations

from numba import njit

compiled = njit(cache=True, nogil=True, error_model="numpy")
"""Compile a function with exact arithmetic."""

fast = njit(cache=True, nogil=True, error_model="numpy", fastmath=True)
"""Compile a function that may reorder its arithmetic, so that sums over the rules use vector instructions."""
