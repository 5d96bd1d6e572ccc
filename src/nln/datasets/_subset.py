"""Choice among the files of a data set that comes in two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals as nw


def check_choice(parameter: str, value: str, allowed: Sequence[str]) -> None:
    """Raise a ValueError that lists what is allowed."""
    if value not in allowed:
        raise ValueError(f"{parameter}={value!r} is not known; allowed: {', '.join(map(repr, allowed))}.")


def stack(frames: Sequence[nw.DataFrame[Any]]) -> nw.DataFrame[Any]:
    """Put frames under each other, rows numbered anew (pandas)."""
    return frames[0] if len(frames) == 1 else nw.maybe_reset_index(nw.concat(frames))
