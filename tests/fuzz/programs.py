"""Random programs of every kind: values, boundaries, calculations, counts and child tables."""

from __future__ import annotations

from random import Random
from typing import Any

from nln.rules import ChildTable, Feature, LogicProgram, RuleSyntaxError, Schema, Target

FEATURES = (
    Feature("age", "continuous", range=(0, 99)),
    Feature("visits", "continuous", whole=True),
    Feature("colour", "categorical", ("red", "blue", "light green", "true", "1")),
    Feature("code", "categorical", (True, 0, 7, 2**60, 0.5)),
    Feature("grade", "ordinal", ("low", "mid", "high")),
    Feature("hour", "periodic", period=24),
    Feature("rain", "probability"),
    Feature("odd name", "binary", (0, 1)),
    Feature("shade", "categorical", ("red", "blue", "light green", "true", "1")),
)
STAYS = ChildTable(
    "stays",
    "owner",
    (
        Feature("from_last", "continuous", whole=True),
        Feature("dept", "categorical", ("ER", "eye", "in", "1", 1)),
        Feature("level", "ordinal", ("low", "mid", "high")),
        Feature("cost", "continuous"),
    ),
    parent_key="who",
    order="day",
)
TARGETS = (
    Target("class", "binary", ("no", "yes")),
    Target("kind", "multiclass", ("a", "b c", 3)),
    Target("labels", "multilabel", ("x", "y z")),
)
CONDITIONS = (
    "age < 3 ± 0.5", "1 <= age < 3 or missing (0.25)", "age * visits > 12", "visits = 3",
    "visits in 1 to 3", "colour = red",
    'colour not in {blue, "light green"}', "code in {true, 0}", f"code != {2**60}", "grade >= mid", "22 <= hour < 6",
    "rain = 1", '"odd name" = 1', "colour missing", "age not missing",
    'at least 2 of {age > 3; visits < 2; colour = red}',
    "age > visits", "age * age / visits >= 2 ± 0.5", "(age - visits) / (age + visits) < 0.25", "age - visits missing",
    "colour is shade", "colour is not shade or missing", "at most 1 of {age > visits; colour is shade; grade < mid}",
    "exactly 2 of {age > 3; visits < 2; colour = red; grade >= mid}",
    "1 to 2 of {visits = 3; code = true; 22 <= hour < 6}",
)  # fmt: skip
CHILD_CONDITIONS = (
    "some stays (dept = ER AND cost >= 1.5)", "no stays (level >= mid or missing)", "at least 2 stays",
    "at most 3 stays (from_last <= 3 AND dept in {eye, \"in\", \"1\"})", "exactly 2 stays (cost missing)",
    "2 to 3 stays (dept != 1)", "at least 2 of {some stays (level < mid); age > 3; at least 2 stays}",
)  # fmt: skip
CLAIMS = {
    "binary": ("class = yes",),
    "multiclass": ("kind = a", 'kind = "b c"', "kind = 3"),
    "multilabel": ("x", '"y z"'),
}


def a_program(rng: Random) -> LogicProgram:
    """Draw a valid program; every third counts rows of a child table."""
    target, has_children = rng.choice(TARGETS), rng.random() < 0.33
    schema = Schema(FEATURES, target, (STAYS,) if has_children else ())
    rules = []
    for _ in range(rng.randint(1, 4)):
        asked = rng.sample(CONDITIONS, rng.randint(1, 3))
        if has_children and rng.random() < 0.7:
            asked[0] = rng.choice(CHILD_CONDITIONS)
        rules.append(f"IF {' AND '.join(asked)} THEN {rng.choice(CLAIMS[target.kind])} (weight {rng.random():.3f})")
    while True:
        try:
            return LogicProgram.parse("\n".join(rules), schema=schema)
        except RuleSyntaxError:  # two conditions about one feature
            rules = rules[:-1] or [f"IF age < 3 THEN {CLAIMS[target.kind][0]}"]


def a_cell(feature: Feature, rng: Random) -> Any:
    """Draw a cell of a feature, now and then an empty one."""
    if rng.random() < 0.15:
        return None
    if feature.kind == "probability":
        return rng.random()
    return rng.choice((0.0, 1.0, 2.5, 3.0, 23.5)) if feature.is_numeric else rng.choice(feature.values)


def some_stays(rng: Random) -> list[dict[str, Any]]:
    """Draw rows of the child table, of which some belong to no row."""
    features = [feature for feature in STAYS.features if feature.name != "from_last"]
    return [
        {
            "owner": rng.choice((1, 2, 3, 4, None)),
            "day": rng.choice((1, 2, 2.5, None)),
            **{feature.name: a_cell(feature, rng) for feature in features},
        }
        for _ in range(rng.randint(1, 8))
    ]
