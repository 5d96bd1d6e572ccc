"""The search of arithmetic: which calculations save more than the columns that they are made of.

Pairs of columns come first. Those that save most, beyond what their two parents save, are joined with each other and
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
    sames = sames_of(features)
    scores: Scores = dict(zip(sames, screen.gains(sames, rows, alone, price).sum(axis=1).tolist(), strict=True))
    columns = [Arithmetic.column(f.name) for f in features if f.kind == "continuous" and f.derived is None]
    if len(columns) > MOST_COLUMNS:
        gains = screen.gains(columns, rows, alone, 0.0).sum(axis=1)
        columns = [columns[i] for i in sorted(np.argsort(-gains, kind="stable")[:MOST_COLUMNS].tolist())]
    first = above_parents(screen, list(combinations(columns, 2)), rows, alone, price)
    for i, conditions in enumerate(rules.conditions):
        asked = [column for column in columns if places[column.mentions[0]] in conditions]
        for a, b in combinations(asked, 2):
            context = rules.without(i, {places[a.mentions[0]], places[b.mentions[0]]})
            for found, gain in above_parents(screen, [(a, b)], rows, [context], price).items():
                first[found] = first.get(found, 0.0) + gain
    beam = sorted((e for e in first if first[e] > 0), key=lambda e: (-round(first[e], 6), e.text))[:BEAM]
    pairs = list(combinations([*beam, *columns], 2)) if beam else []
    for found, gain in (first | above_parents(screen, pairs, rows, alone, price, first)).items():
        scores[found] = gain
    return _best(screen, rows, scores)


def above_parents(
    screen: Screen,
    pairs: Sequence[tuple[Arithmetic, Arithmetic]],
    rows: Integers,
    contexts: Sequence[Context],
    price: float,
    before: Mapping[Arithmetic, float] | None = None,
) -> dict[Arithmetic, float]:
    """What each combination of a pair saves beyond the sum of what its parents save, over all contexts.

    What the better parent saved beyond its own parents (`before`) is added; combinations met before are left out.
    """
    before = before or {}
    parents = list(dict.fromkeys(e for pair in pairs for e in pair))
    own = dict(zip(parents, screen.gains(parents, rows, contexts, price), strict=True))
    families: dict[Arithmetic, tuple[Arithmetic, Arithmetic]] = {}
    for a, b in pairs:
        for joined in screen.join(a, b):
            if joined not in before:
                families.setdefault(joined, (a, b))
    gains = screen.gains(list(families), rows, contexts, price)
    found = {}
    for (joined, (a, b)), gain in zip(families.items(), gains, strict=True):
        above = float(np.maximum(gain - own[a] - own[b], 0.0).sum())
        found[joined] = above + (max(before.get(a, 0.0), before.get(b, 0.0)) if above > 0 else 0.0)
    return found


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


def _correlation(one: np.ndarray, other: np.ndarray) -> float:
    return float(abs(np.corrcoef(one, other)[0, 1]))
