"""Text that people see in a terminal: on one line, no longer than a screen, and without signs that move the cursor."""

from __future__ import annotations

import re

MOST = 1500
"""Most characters of a message; a cell of a table may have millions."""

_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def one_line(text: str) -> str:
    """Write a message on one line, only the ends of a long one."""
    line = visible(" ".join(text.split()))
    return line if len(line) <= MOST else f"{line[: MOST - 500]} ... {line[-490:]}"


def visible(text: str) -> str:
    """Write control characters as their codes: a name must not colour, clear or turn what follows."""
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)
