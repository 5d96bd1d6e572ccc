"""The recipe after rules were brought together: prune, adjust, drop what is included."""

from __future__ import annotations

from nln.compose.core.adjust import Method, adjust_outputs, adjust_state, drop_included
from nln.compose.core.prune import prune_state
from nln.compose.core.state import State


def refine(state: State, price: float, method: Method) -> None:
    """Prune and adjust in turn until nothing changes, then drop included rules."""
    prune_state(state, price)
    adjust_state(state, method)
    while prune_state(state, price):
        adjust_state(state, method)
    if drop_included(state):
        adjust_outputs(state) if method == "coverage" else adjust_state(state, method)
