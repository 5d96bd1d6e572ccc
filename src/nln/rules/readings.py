"""Readings: how the cells of columns become the numbers or values of a feature, where they are not so as they stand.

A reading belongs to a `Feature` and is stored with it. `nln.tables.recognise` finds it in the cells of a training
table, once and from all of them; `nln.rules.cells.encode` applies it, whoever asks: learning, predicting, explaining,
composing, table files and commands. So a cell means the same everywhere, and a model file is enough to read new rows.

It would be wrong if some path gave another number for a cell than another path, or than the training table did; if a
cell that does not fit became a number or a missing value in silence instead of an error; or if a column were read in
one way although its cells allow two.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias, get_args

from nln.rules.dates import DateReading

Decimal: TypeAlias = Literal[".", ","]
DECIMALS: tuple[Decimal, ...] = get_args(Decimal)

CURRENCIES = "$€£¥₹₩₽฿"
_CODES = "US$|USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|NZD|SEK|NOK|DKK|PLN|CZK|BRL|ZAR"
_BEFORE = "|".join(map(re.escape, [*_CODES.split("|"), *CURRENCIES]))
_AFTER = r"[^\d\s.,;:+\-*<>≤≥=()'\"_#?!&|\\@](?:[^\d<>≤≥=;:?!]|(?<=[A-Za-z^])\d)*"
_MOST_LETTERS = 24
"""Most characters of a unit; longer text is no unit."""


class WrittenNumber(NamedTuple):
    """A number as a cell writes it."""

    value: float
    unit: str = ""
    at_limit: bool = False  # "<0.006" and ">200" count as the limit itself
    grouped: int = 0  # how many groups of three digits follow the first one: 2 in 1,020,000
    has_part: bool = False  # whether digits follow a decimal mark


@dataclass(frozen=True, slots=True)
class NumberReading:
    """Numbers in text: with a unit, with groups of three digits, or at a limit of detection.

    Parameters
    ----------
    unit : str, default=""
        What stands before the number ($) or behind it (%, mg); a cell without it counts as given in this unit.
    decimal : {".", ","}, default="."
        The decimal mark. Commas (or points, if the comma is the decimal mark), apostrophes and spaces may group digits.

    Examples
    --------
    >>> from nln.rules import NumberReading
    >>> money = NumberReading("$")
    >>> money.number("$1,020,000.00"), money.number("1020000"), money.number("12 kg")
    (1020000.0, 1020000.0, None)
    >>> NumberReading().number("<0.006")
    0.006
    """

    unit: str = ""
    decimal: Decimal = "."

    def __post_init__(self) -> None:
        if not isinstance(self.unit, str):
            raise TypeError(f"A unit is text, not {self.unit!r}.")
        if self.decimal not in DECIMALS:
            raise ValueError(f"A decimal mark is '.' or ',', not {self.decimal!r}.")

    def number(self, text: str) -> float | None:
        """Read one cell; None if it is no number in this unit."""
        found = written_number(text, self.decimal)
        return found.value if found and (not found.unit or same_unit(found.unit, self.unit)) else None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that the feature may have."""
        return ("continuous", "periodic")

    @property
    def what(self) -> str:
        """What the feature is, for messages."""
        return f"read from text with the unit {self.unit}" if self.unit else "read from text that writes numbers"

    @property
    def allowed(self) -> str:
        """What cells may hold, for messages."""
        example = "1,020.5" if self.decimal == "." else "1.020,5"
        if self.unit and self.unit in CURRENCIES:
            return f"numbers in {self.unit}, such as {self.unit}{example} or {example}"
        joined = self.unit if self.unit.startswith("%") else f" {self.unit}"
        return f"numbers in {self.unit}, such as {example}{joined} or {example}" if self.unit else "numbers"


@dataclass(frozen=True, slots=True)
class PrefixReading:
    """The first characters of the codes in a column: one level of a hierarchy, such as the chapter of a diagnosis.

    A code that is shorter stays whole, so that each value of a longer level lies in one value of a shorter one. The
    prefix is taken of the cell and not of a known value: a code that was never seen has a level that was.

    Parameters
    ----------
    column : str
        The column of codes: text, or whole numbers, which count as their digits.
    length : int
        How many characters are kept, at least 1.

    Examples
    --------
    >>> from nln.rules import Feature, PrefixReading, Schema, Target, read_columns
    >>> group = Feature("icd_first_3", "categorical", ("E11", "I21"), reading=PrefixReading("icd", 3))
    >>> schema = Schema((group,), Target("y", "binary", (0, 1)))
    >>> read_columns({"icd": ["I21.9", "E11.65", None, "Z00"]}, schema)
    {'icd_first_3': array([ 1,  0, -1, -2], dtype=int32)}
    """

    column: str
    length: int

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise TypeError(f"The column of codes is a name, not {self.column!r}.")
        if isinstance(self.length, bool) or not isinstance(self.length, int) or self.length < 1:
            raise ValueError(f"The length of a prefix is a whole number of at least 1, not {self.length!r}.")

    def of(self, code: str) -> str:
        """Take the prefix of one code."""
        return code[: self.length]

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that is read."""
        return (self.column,)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that the feature may have."""
        return ("categorical",)

    @property
    def what(self) -> str:
        """What the feature is, for messages."""
        return f"read from the codes in {self.column!r} (length {self.length})"


Reading: TypeAlias = NumberReading | DateReading | PrefixReading


def same_unit(one: str, other: str) -> bool:
    """Tell whether two units are one: `mg` and `MG`, `day` and `days`."""
    return one.casefold().removesuffix("s") == other.casefold().removesuffix("s")


def written_number(text: str, decimal: Decimal) -> WrittenNumber | None:
    """Read a number with its limit sign, unit and groups of digits; None if the text is something else."""
    found = number_pattern(decimal).fullmatch(_plain_spaces(text))
    if found is None or (found["before"] and found["after"]):
        return None
    unit = found["before"] or (found["after"] or "").rstrip()
    if len(unit) > _MOST_LETTERS:
        return None
    whole = re.sub(r"[^\d]", "", found["whole"] or "")
    part = found["part"] or found["bare"] or ""
    sign = found["sign"] or found["inner"] or ""
    value = float(f"{sign}{whole or '0'}.{part or '0'}{found['power'] or ''}")
    groups = (len(whole) - 1) // 3 if found["mark"] else 0
    return WrittenNumber(value, unit, bool(found["limit"]), groups, bool(part))


@lru_cache
def number_pattern(decimal: Decimal) -> re.Pattern[str]:
    """Make the regular expression of a number with its limit sign and unit."""
    group = "[,' ]" if decimal == "." else "[.' ]"
    point = re.escape(decimal)
    whole = rf"(?P<whole>[1-9]\d{{0,2}}(?P<mark>{group})\d{{3}}(?:(?P=mark)\d{{3}})*|\d+)"
    number = rf"(?:{whole}(?:{point}(?P<part>\d*))?|{point}(?P<bare>\d+))(?P<power>[eE][+-]?\d+)?"
    start = rf"(?P<limit>[<>]=?|[≤≥])? ?(?P<sign>[+-])?(?P<before>{_BEFORE})? ?(?P<inner>[+-])?"
    return re.compile(rf"{start}{number} ?(?P<after>{_AFTER})?", re.ASCII)


def _plain_spaces(text: str) -> str:
    """Make one plain space of every run of spaces, and a hyphen of a minus sign."""
    return " ".join(text.split()).replace("\N{MINUS SIGN}", "-").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
