"""Kernels in C, compiled ahead of time, and how Python calls them."""

from nln.native.binding import (
    CODES,
    COUNTS,
    DOUBLES,
    FLAGS,
    INTEGERS,
    REAL,
    SINGLES,
    SMALL,
    WHOLE,
    Bound,
    Optional,
    Record,
    kernel,
)

__all__ = [
    "CODES",
    "COUNTS",
    "DOUBLES",
    "FLAGS",
    "INTEGERS",
    "REAL",
    "SINGLES",
    "SMALL",
    "WHOLE",
    "Bound",
    "Optional",
    "Record",
    "kernel",
]
