"""Generated tables whose truth calculates or counts, and tables of other kinds whose truth does neither."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.count import Count
from nln.rules.schema import Feature

Mask = npt.NDArray[np.bool_]
Random = np.random.Generator

ROWS = 1000


@dataclass(frozen=True)
class Truth:
    """A table whose target calculates or counts."""

    draw: Callable[[Random, int], pd.DataFrame]
    holds: Callable[[pd.DataFrame], Any]
    rule: str  # as a person would say it
    asked: frozenset[str]  # calculations, as `named` writes them, and columns: the rules ask about these and no others
    n_rules: int = 1


def _vital(rng: Random, n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "temp": rng.normal(37.6, 0.9, n).round(1),
            "pulse": rng.normal(85, 15, n).round(),
            "breaths": rng.normal(18, 4, n).round(),
            "wbc": rng.lognormal(2.2, 0.4, n).round(1),
            "age": rng.integers(18, 95, n),
            "sodium": rng.normal(140, 4, n).round(),
        }
    )


def _sirs(t: pd.DataFrame) -> Any:
    return (t.temp > 38).astype(int) + (t.pulse > 90) + (t.breaths > 20) + (t.wbc > 12)


def _stroke_risk(rng: Random, n: int) -> pd.DataFrame:
    yes = {
        name: np.where(rng.random(n) < share, "yes", "no")
        for name, share in (("failure", 0.4), ("pressure", 0.6), ("diabetes", 0.35), ("stroke", 0.3), ("smoker", 0.3))
    }
    return pd.DataFrame({"age": rng.integers(50, 95, n), **yes, "weight": rng.normal(78, 14, n).round(1)})


def _points(t: pd.DataFrame) -> Any:
    ones = (t[["failure", "pressure", "diabetes"]] == "yes").sum(axis=1)
    return ones + (t.age >= 75) + 2 * (t.stroke == "yes")


def _body(rng: Random, n: int) -> pd.DataFrame:
    height = rng.normal(1.72, 0.1, n).round(2)
    return pd.DataFrame(
        {
            "weight": (rng.normal(27, 5, n) * height**2).round(1),
            "height": height,
            "age": rng.integers(18, 90, n),
            "glucose": rng.normal(100, 20, n).round(),
        }
    )


def _blood(rng: Random, n: int) -> pd.DataFrame:
    diastolic = rng.normal(80, 12, n).round()
    return pd.DataFrame(
        {
            "systolic": (diastolic + rng.gamma(9, 5, n)).round(),
            "diastolic": diastolic,
            "pulse": rng.normal(75, 12, n).round(),
            "age": rng.integers(18, 90, n),
        }
    )


def _numbers(low: float, high: float) -> Callable[[Random, int], pd.DataFrame]:
    def draw(rng: Random, n: int) -> pd.DataFrame:
        return pd.DataFrame({name: rng.uniform(low, high, n).round(3) for name in ("x", "y", "z", "w")})

    return draw


def _letters(rng: Random, n: int) -> pd.DataFrame:
    return pd.DataFrame({f"a{j}": rng.choice(["u", "v", "w"], n) for j in range(1, 6)})


_SIRS = "count of {breaths; pulse; temp; wbc}"

TRUTHS: dict[str, Truth] = {
    "SIRS": Truth(
        _vital,
        lambda t: _sirs(t) >= 2,
        "at least 2 of {temp > 38; pulse > 90; breaths > 20; wbc > 12}",
        frozenset({_SIRS}),
    ),
    "CHADS, 2 points": Truth(
        _stroke_risk,
        lambda t: _points(t) >= 2,
        "stroke = yes OR at least 2 of {failure; pressure; age >= 75; diabetes}",
        frozenset({"stroke", "count of {age; diabetes; failure; pressure}"}),
        2,
    ),
    "CHADS, 3 points": Truth(
        _stroke_risk,
        lambda t: _points(t) >= 3,
        "at least 3 of {failure; pressure; age >= 75; diabetes; stroke, which counts twice}",
        frozenset({"count of {age; diabetes; failure; pressure; stroke}"}),
    ),
    "body mass index": Truth(
        _body,
        lambda t: t.weight / t.height**2 >= 30,
        "weight / height / height >= 30",
        frozenset({"arithmetic of {height; height; weight}"}),
    ),
    "ratio of uniform columns": Truth(
        _numbers(0.001, 1), lambda t: t.x / t.y**2 > 1.5, "x / y / y > 1.5", frozenset({"arithmetic of {x; y; y}"})
    ),
    "comparison": Truth(_numbers(0, 1), lambda t: t.x > t.y, "x > y", frozenset({"arithmetic of {x; y}"})),
    "pulse pressure": Truth(
        _blood,
        lambda t: t.systolic - t.diastolic >= 50,
        "systolic - diastolic >= 50",
        frozenset({"arithmetic of {diastolic; systolic}"}),
    ),
    "product": Truth(_numbers(0, 1), lambda t: t.x * t.y > 0.25, "x * y > 0.25", frozenset({"arithmetic of {x; y}"})),
    "products compared": Truth(
        _numbers(0, 1), lambda t: t.x * t.y > t.z * t.w, "x * y > z * w", frozenset({"arithmetic of {w; x; y; z}"})
    ),
    "same value": Truth(_letters, lambda t: t.a1 == t.a2, "a1 is a2", frozenset({"a1 is a2"})),
    "condition and count": Truth(
        _vital,
        lambda t: (t.age >= 50) & (_sirs(t) >= 2),
        "age >= 50 AND at least 2 of {temp > 38; pulse > 90; breaths > 20; wbc > 12}",
        frozenset({"age", _SIRS}),
    ),
    "condition and comparison": Truth(
        _numbers(0, 1),
        lambda t: (t.z > 0.4) & (t.x > t.y),
        "z > 0.4 AND x > y",
        frozenset({"z", "arithmetic of {x; y}"}),
    ),
}
"""Tables by name."""


def named(feature: Feature) -> str:
    """Name of a feature by what it is made of, so that `x > y` and `x / y > 1` have one name."""
    if isinstance(feature.derived, Arithmetic):
        return f"arithmetic of {{{'; '.join(sorted(feature.derived.mentions))}}}"
    if isinstance(feature.derived, Count):
        return f"count of {{{'; '.join(sorted(feature.derived.features))}}}"
    return feature.name


def flipped(holds: Any, share: float, rng: Random) -> npt.NDArray[np.int64]:
    """Labels with a share of them wrong."""
    truth = np.asarray(holds, bool)
    return (truth ^ (rng.random(len(truth)) < share)).astype(np.int64)


PLAIN_KINDS = ("noise", "one conjunction", "several conjunctions", "values", "mixed, with missing values")
PLAIN_SIZES = (300, 600, 1000, 2000, 3000)
PLAIN_NOISE = (0.0, 0.05, 0.1)


def plain_table(number: int) -> tuple[pd.DataFrame, npt.NDArray[np.int64], str]:
    """Draw a table whose target follows rules on single columns, or nothing; `number` decides its kind and size."""
    rng, kind = np.random.default_rng([7, number]), PLAIN_KINDS[number % len(PLAIN_KINDS)]
    n = PLAIN_SIZES[number // len(PLAIN_KINDS) % len(PLAIN_SIZES)]
    table, conditions = _columns(kind, rng, n)
    if kind == "noise":
        return table, (rng.random(n) < rng.uniform(0.2, 0.5)).astype(np.int64), kind
    n_rules = 1 if kind == "one conjunction" else int(rng.integers(2, 5))
    holds = np.zeros(n, bool)
    for _ in range(n_rules):
        chosen = rng.choice(len(conditions), int(rng.integers(2, 4)), replace=False)
        holds |= np.logical_and.reduce([conditions[c] for c in chosen])
    return table, flipped(holds, PLAIN_NOISE[number % len(PLAIN_NOISE)], rng), kind


def _columns(kind: str, rng: Random, n: int) -> tuple[pd.DataFrame, list[Mask]]:
    """Columns of a kind of table, and one condition on each."""
    columns: dict[str, Any] = {}
    conditions: list[Mask] = []
    for j in range(int(rng.integers(5, 11))):
        is_text = kind == "values" or (kind in ("noise", "mixed, with missing values") and j % 2 == 1)
        if is_text:
            values = np.array(list("abcd")[: int(rng.integers(2, 5))])
            x = rng.choice(values, n)
            conditions.append(x == values[0] if len(values) < 4 else np.isin(x, values[:2]))
            gaps: Any = None
        else:
            x = (rng.normal(size=n), rng.lognormal(0, 0.7, n), rng.uniform(0, 1, n), rng.integers(0, 10, n))[j % 4]
            cut = np.quantile(x, rng.uniform(0.3, 0.7))
            conditions.append(x > cut if rng.random() < 0.5 else x <= cut)
            gaps = np.nan
        if kind.endswith("missing values") and j % 3 == 0:
            x = np.where(rng.random(n) < 0.1, gaps, x.astype(object))
            x = x if is_text else x.astype(float)
        columns[f"c{j}"] = x
    return pd.DataFrame(columns), conditions
