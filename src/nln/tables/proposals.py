"""What a user may want to say about a column, though its cells do not tell for sure: proposals, never applied unasked.

Low, medium and high have an order that text does not show; a code 1, 2, 3, 9 is no number; `03/04/2021` is a date, but
which one? `propose` says what a column looks like, and the kind that would make it so: `nln fit` shows it to the user.
Learning asks for the order alone, to choose among sets of values that are about equally good.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nln.rules.cells import Categories, Cells
from nln.rules.dates import MONTHS, WEEKDAYS, parse_date
from nln.rules.schema import Feature, Value
from nln.tables.recognise import find_numbers

_SCALES: tuple[tuple[str, ...], ...] = (
    ("lowest", "very low", "low", "medium low", "medium|moderate|normal|mid|middle|average|intermediate|med",
     "medium high", "high|elevated", "very high", "highest|extreme"),
    ("none|no|absent|normal", "minimal|trace", "slight", "mild", "mild to moderate", "moderate", "moderate to severe",
     "severe", "very severe|critical", "fatal"),
    ("never|none", "almost never", "rarely|seldom", "occasionally", "sometimes", "often|frequently", "usually",
     "almost always", "always"),
    ("strongly disagree|completely disagree", "disagree", "somewhat disagree|slightly disagree",
     "neutral|neither|undecided|neither agree nor disagree", "somewhat agree|slightly agree", "agree",
     "strongly agree|completely agree"),
    ("very bad|very poor|terrible", "bad|poor", "fair|average|ok|okay|acceptable", "good", "very good",
     "excellent|great"),
    ("very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"),
    ("not at all", "a little|slightly", "somewhat|moderately", "quite a bit|very", "very much|extremely"),
    ("xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"),
    ("tiny|very small", "small", "medium|mid", "large|big", "huge|very large"),
    ("very short", "short", "medium", "long|tall", "very long|very tall"),
    ("light", "moderate|medium", "heavy|vigorous", "very heavy"),
    ("cold", "cool|mild", "warm", "hot"),
    ("child|infant", "young|adolescent", "adult|middle|middle aged", "old|elderly|senior"),
    ("first", "second", "third", "fourth", "fifth", "sixth"),
    *(tuple(name[:length].lower() for name in names) for names in (MONTHS, WEEKDAYS) for length in (3, None)),
)  # fmt: skip
"""Words in ascending order; a bar stands between words of the same place."""

_NUMBER = re.compile(r"-?\d{1,4}(?:\.\d+)?")
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10}
_GRADES = re.compile(r"(grade|stage|level|tier|phase|step|degree|class|asa|nyha)?[ _-]*(\d{1,2}|[ivx]{1,4})")
_BANDS = re.compile(r"[\[(]? ?([<>]?)=? ?(\d+(?:\.\d+)?) ?(?:(?:-|–|to) ?(\d+(?:\.\d+)?)|\+)? ?[\])]?")
_CODE_NAMES = (
    "code|codes|id|type|types|category|cat|kind|group|region|zone|district|site|ward|clinic|dept|department|source|method|"
    "status|reason|race|ethnicity|marital|occupation|job|religion|country|state|sector|brand|model|disposition"
)
_MISSING_CODES = {-99, -9, -8, -7, -1, 7, 8, 9, 77, 88, 97, 98, 99, 777, 888, 999}
_FEWEST, _MOST = 3, 20
"""How many values a scale or a code has."""


class Proposal(NamedTuple):
    """What a column looks like, and what to say in `feature_types` if it is so."""

    what: str
    kind: str | tuple[Value, ...]  # a kind, or the values in order


def propose(feature: Feature, cells: Cells) -> Proposal | None:
    """Propose another kind for a feature that was inferred from decoded cells."""
    if feature.kind == "continuous" and feature.reading is None:
        return _propose_codes(feature, cells)
    texts = [value for value in feature.values if isinstance(value, str)]
    is_free = isinstance(cells, Categories) and cells.order == "none"  # of the order that a type declares
    if feature.kind == "categorical" and is_free and _FEWEST <= len(texts) == len(feature.values):
        return _propose_for_text(texts)
    return None


def order_of_values(values: Sequence[Value]) -> list[int] | None:
    """Places of values in ascending order, if they look ordered: numbers, numbered texts, grades, bands or words."""
    if not _FEWEST <= len(values) <= _MOST:
        return None
    texts = [value for value in values if isinstance(value, str)]
    if not texts:
        keys = [float(value) for value in values]
    elif len(texts) < len(values):
        return None
    elif all(map(_NUMBER.fullmatch, texts)):
        keys = [float(text) for text in texts]
    else:
        order = _order(texts)
        if order is None:
            return None
        keys = [float(order.index(text)) for text in texts]
    return sorted(range(len(values)), key=keys.__getitem__)


def _propose_for_text(texts: Sequence[str]) -> Proposal | None:
    if all(parse_date(text, "dmy") and parse_date(text, "mdy") for text in texts):
        return Proposal("dates with the day or the month first?", "date:dmy")
    if find_numbers(texts, plain=True) is not None:
        return Proposal("numbers?", "continuous")
    order = _order(texts)
    return None if order is None else Proposal("ordered?", order)


def _order(texts: Sequence[str]) -> tuple[str, ...] | None:
    """Find the order of words on a scale, of grades, or of bands of numbers."""
    if len(texts) > _MOST:
        return None
    plain = {text: " ".join(re.split(r"[\s_-]+", text.strip().casefold())) for text in texts}
    for scale in _SCALES:
        place = {word: rank for rank, words in enumerate(scale) for word in words.split("|")}
        if order := _sorted({text: place.get(word) for text, word in plain.items()}):
            return order
    return _sorted({text: _grade(word) for text, word in plain.items()}) or _sorted({t: _band(t) for t in texts})


def _sorted(ranks: dict[str, float | None]) -> tuple[str, ...] | None:
    known = {text: rank for text, rank in ranks.items() if rank is not None}
    if len(known) < len(ranks) or len(set(known.values())) < len(known):
        return None
    return tuple(sorted(known, key=known.__getitem__))


def _grade(word: str) -> float | None:
    found = _GRADES.fullmatch(word)
    if found is None or (found[2].isdigit() and not found[1]):
        return None
    return float(found[2]) if found[2].isdigit() else _ROMAN.get(found[2])


def _band(text: str) -> float | None:
    """Place a band such as 18-25, 65+ or <18 by its lower end."""
    found = _BANDS.fullmatch(" ".join(text.split()))
    if found is None:
        return None
    low = float(found[2])
    return low - 0.5 if found[1] == "<" else low + 0.5 if found[1] == ">" else low


def _propose_codes(feature: Feature, cells: Cells) -> Proposal | None:
    if isinstance(cells, Categories) or cells.kind == "bool":
        return None
    distinct = np.unique(np.asarray(cells.values[~cells.missing], np.float64))
    if not _FEWEST <= len(distinct) <= _MOST or (distinct != np.floor(distinct)).any():
        return None
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", feature.name).lower()
    top, gap = int(distinct[-1]), distinct[-1] - distinct[-2]
    bottom = int(distinct[0])
    if re.split(r"[^a-z]+", name.rstrip("0123456789_ "))[-1] in _CODE_NAMES.split("|"):
        return Proposal("codes?", "categorical")
    if top in _MISSING_CODES and gap > max(1, np.diff(distinct[:-1]).max()) and top > 1.5 * distinct[-2]:
        return Proposal(f"codes, {top} for missing?", "categorical")
    if bottom in _MISSING_CODES and bottom < 0 <= distinct[1]:
        return Proposal(f"codes, {bottom} for missing?", "categorical")
    return None
