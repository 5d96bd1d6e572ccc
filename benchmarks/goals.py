"""Goals: a number that a part measured, and the bound it should keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Goal:
    """What a benchmark should reach.

    Parameters
    ----------
    text : str
        The goal in words.
    part, value : str
        Which of the `values` of which part it is about.
    limit : float
        The bound.
    side : {"at least", "at most"}
        On which side of the bound the value should be.
    """

    text: str
    part: str
    value: str
    limit: float
    side: Literal["at least", "at most"]

    def check(self, parts: Mapping[str, Any]) -> dict[str, Any]:
        """Compare with what was measured; `met` is None if it was not."""
        measured = parts.get(self.part, {}).get("values", {}).get(self.value)
        met = None
        if measured is not None:
            met = bool(measured >= self.limit if self.side == "at least" else measured <= self.limit)
        return {"goal": self.text, "measured": measured, "bound": f"{self.side} {self.limit:g}", "met": met}
