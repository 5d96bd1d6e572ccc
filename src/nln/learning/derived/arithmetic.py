"""The search of arithmetic: which calculations save more than the columns that they are made of.

Pairs of columns come first. Those that save most, beyond what their columns save, are joined with each other and
with the columns once more, so that products are compared with products.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from nln.learning.derived.contexts import Context, RulesOnRows
from nln.learning.derived.screen import Candidate, Screen
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.same import Same
from nln.rules.schema import Feature
from nln.tables.encoding import Integers

MOST_COLUMNS, BEAM, NOMINEES = 16, 12, 3
"""Columns that are joined, pairs that are joined once more, and calculations that a start nominates."""
ALIKE = 0.97
"""Rank correlation from which two calculations say the same."""

Scores = dict[Candidate, float]


def sames_of(features: Sequence[Feature]) -> list[Same]:
    """Pairs of columns of values that can be the same: more than two values, and the same ones in both."""
    plain = [f for f in features if f.kind in ("categorical", "ordinal") and f.derived is None and len(f.values) > 2]
    return [Same((f.name, g.name)) for f, g in combinations(plain, 2) if _values(f) == _values(g)]


def _values(feature: Feature) -> set[tuple[bool, object]]:
    return {(isinstance(value, str), value) for value in feature.values}


def nominate(
    screen: Screen, places: Mapping[str, int], rows: Integers, rules: RulesOnRows, price: float
) -> list[Candidate]:
    """Find the best calculations on some rows of a screen: alone for each output, or in the place of conditions.

    `places` gives the number of each feature in the encoding, and `rules` are those that were learned on these rows.
    """
    alone = [rules.alone(k) for k in range(rules.n_outputs)]
    features = [screen.features[name] for name in places]
    sames = list(filter(screen.allows, sames_of(features)))
    scores: Scores = dict(zip(sames, screen.gains(sames, rows, alone, price).sum(axis=1).tolist(), strict=True))
    columns = [Arithmetic.column(f.name) for f in features if f.kind == "continuous" and f.derived is None]
    if len(columns) > MOST_COLUMNS:
        gains = screen.gains(columns, rows, alone, 0.0).sum(axis=1)
        columns = [columns[i] for i in sorted(np.argsort(-gains, kind="stable")[:MOST_COLUMNS].tolist())]
    first = above_columns(screen, list(combinations(columns, 2)), rows, alone, price)
    for i, conditions in enumerate(rules.conditions):
        asked = [column for column in columns if places[column.mentions[0]] in conditions]
        for a, b in combinations(asked, 2):
            context = rules.without(i, {places[a.mentions[0]], places[b.mentions[0]]})
            for found, gain in above_columns(screen, [(a, b)], rows, [context], price).items():
                first[found] = first.get(found, 0.0) + gain
    beam = _beam(screen, rows, alone, price, first)
    pairs = list(combinations([*beam, *columns], 2)) if beam else []
    second = above_columns(screen, pairs, rows, alone, price)
    for found, gain in (second | first).items():
        scores[found] = gain
    best = _best(screen, rows, scores)
    expressions = [e for e in best if isinstance(e, Arithmetic)]
    more = [_best_pair(e, beam) for e in expressions if len(e.mentions) > 2]
    more += [_difference(screen, e) for e in expressions if e.landmark == 1.0]
    return list(dict.fromkeys([*best, *(e for e in more if e is not None)]))


def above_columns(
    screen: Screen,
    pairs: Sequence[tuple[Arithmetic, Arithmetic]],
    rows: Integers,
    contexts: Sequence[Context],
    price: float,
) -> dict[Arithmetic, float]:
    """What each combination of a pair saves beyond the sum of what its columns save, over all contexts.

    Columns in rules of their own, or in one, save about the sum. A combination that saves no more than the better of
    the pair has 0: the other brings nothing.
    """
    families: dict[Arithmetic, tuple[Arithmetic, Arithmetic]] = {}
    for a, b in pairs:
        for joined in screen.join(a, b):
            families.setdefault(joined, (a, b))
    columns = (screen.column(name) for joined in families for name in joined.mentions)
    single = list(dict.fromkeys([*columns, *(parent for pair in pairs for parent in pair)]))
    own = dict(zip(single, screen.gains(single, rows, contexts, price), strict=True))
    if not families:
        return {}
    gains = screen.gains(list(families), rows, contexts, price)
    apart = np.array([sum(own[screen.column(name)] for name in set(joined.mentions)) for joined in families])
    better = np.array([np.maximum(own[a], own[b]) for a, b in families.values()])
    found = np.where(gains > better, np.maximum(gains - apart, 0.0), 0.0).sum(axis=1)
    return dict(zip(families, found.tolist(), strict=True))


def _beam(
    screen: Screen, rows: Integers, contexts: Sequence[Context], price: float, first: Mapping[Arithmetic, float]
) -> list[Arithmetic]:
    """The pairs to join once more; none if no pair saves more than its columns.

    Behind those that do stand those that save most: w * z and x * y save no more than their columns, but their
    difference may save far more.
    """
    if not any(score > 0 for score in first.values()):
        return []
    gains = screen.gains(list(first), rows, contexts, price).sum(axis=1).tolist()
    saved = dict(zip(first, gains, strict=True))
    return sorted(first, key=lambda e: (-round(first[e], 6), -round(saved[e], 6), e.text))[:BEAM]


def _best(screen: Screen, rows: Integers, scores: Scores) -> list[Candidate]:
    """The best candidates that are no monotone copies of each other, unless the shorter follows the longer."""
    kept: list[tuple[Candidate, np.ndarray]] = []
    order = sorted((c for c in scores if scores[c] > 0), key=lambda c: (-round(scores[c], 6), c.extra, c.text))
    for candidate in order:
        ranks = screen.bins(candidate)[0][rows].astype(np.float64)
        if ranks.std() > 0 and all(candidate.extra < c.extra or _correlation(ranks, r) < ALIKE for c, r in kept):
            kept.append((candidate, ranks))
        if len(kept) == NOMINEES:
            break
    return [candidate for candidate, _ in kept]


def _best_pair(expression: Arithmetic, beam: Sequence[Arithmetic]) -> Arithmetic | None:
    """The best pair of the columns of a longer expression: beside other conditions it may say as much."""
    return next((pair for pair in beam if set(pair.mentions) <= set(expression.mentions)), None)


def _difference(screen: Screen, ratio: Arithmetic) -> Arithmetic | None:
    """The difference that compares the same two sides as a ratio with 1, if the two may be subtracted."""
    sides = Arithmetic(ratio.numerator), Arithmetic(ratio.denominator)
    return next((e for e in screen.join(*sides) if e.is_difference), None)


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    return float(abs(np.corrcoef(one, other)[0, 1]))
