"""The words of the rule language: how names, values and numbers are spelled.

A name or a text value that is a plain word is written bare; every other one stands in double quotes with the escapes
of JSON. So a bare `1` is the number, `"1"` the text; a bare `true` the Boolean, `"true"` the text.
"""

from __future__ import annotations

import json
import math
import re

from nln.rules.schema import Value

KEYWORDS = (
    "if", "and", "then", "otherwise", "always", "in", "not", "or", "missing", "covers", "of", "rows", "from",
    "true", "false",
)  # fmt: skip
"""Words of the language, in any case; a name or a text value spelled like one of them is quoted."""

# A minus, a dot, a slash or a percent sign may stand inside a word but not begin it, where it could begin a number.
WORD = r"[^\W\d][\w.\-/%]*"

_WORD = re.compile(WORD)
# The same case folding as that of the grammar: it takes the long s and the dotless i for s and i.
_KEYWORD = re.compile("|".join(KEYWORDS), re.IGNORECASE)


def spelled(value: Value) -> str:
    """Spell a name or a value so that it reads back with its type."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return number(value)
    if _WORD.fullmatch(value) and not _KEYWORD.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=not value.isprintable())


def cell_text(cell: Value | None) -> str:
    """Write a plain cell as the rule language does."""
    return "missing" if cell is None else spelled(cell)


def is_word(value: Value) -> bool:
    """Tell whether a value is text that is written without quotes."""
    return isinstance(value, str) and spelled(value) == value


def number(value: float) -> str:
    """Write the shortest number that reads back to the same float; whole numbers without `.0`."""
    return str(value) if isinstance(value, int) else repr(float(value)).removesuffix(".0")


def rounded(probability: float, threshold: float | None = None) -> str:
    """Write a probability in two digits, or more where two would show it as 0, as 1 or across the threshold."""
    for digits in range(2, 17):
        text = f"{probability:.{digits}g}"
        shown = float(text)
        sides = (0.0, 1.0) if threshold is None else (0.0, 1.0, threshold)
        if all((shown < side, shown > side) == (probability < side, probability > side) for side in sides):
            return text
    return repr(float(probability))


def percent(share: float, limit: float = 0.0) -> str:
    """Write a share in whole percents, `98 %`; more digits only if it would read 0, 100 or past a limit."""
    for digits in range(16):
        # Half a unit rounds up, as in JavaScript.
        shown = math.floor(100 * share * 10**digits + 0.5) / 10**digits
        is_true = (shown <= 0, shown >= 100) == (share <= 0, share >= 1)
        if is_true and (round(shown / 100, 15) >= limit) == (share >= limit):
            break
    return f"{shown:.{digits}f} %"


def about_percent(share: float, limit: float = 0.0) -> str:
    """Write a share as `percent` does, but `below 0.01 %` and `above 99.99 %` for what is nearly 0 or 1."""
    if 0 < share < 0.0001:
        return "below 0.01 %"
    return "above 99.99 %" if 0.9999 < share < 1 else percent(share, limit)


def is_percent(text: str, share: float) -> bool:
    """Tell whether a number of percents is a share, rounded to the digits that it has; 0 and 100 are exact."""
    given, step = 0.01 * float(text), 10.0 ** -(2 + len(text.partition(".")[2]))
    exact = (given <= 0, given >= 1) == (share <= 0, share >= 1)
    return exact and abs(given - share) <= 0.5 * step * (1 + 1e-9)


def counted(count: int, noun: str) -> str:
    """Write a number of things: `1 row`, `2 rows`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
