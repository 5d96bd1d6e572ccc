"""Operations on programs that calculate and count."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from nln.compose import audit, compare, diff, edit, merge, prune, select, transfer
from nln.rules import Feature, LogicProgram, Schema, Target, define_features
from nln.rules.adopt import adopt

CLASS = Target("class", "binary", ("no", "yes"))
NUMBERS = tuple(Feature(name, "continuous") for name in ("x", "y", "z"))
GRADE = Feature("grade", "ordinal", ("low", "high"))
FINER = Feature("grade", "ordinal", ("low", "middle", "high"))
SEX = Feature("sex", "binary", ("f", "m"))
SCHEMA = Schema((*NUMBERS, GRADE, SEX), CLASS)
TEXT = """
IF x > y AND at least 2 of {x > 1; grade >= high; sex = f} THEN class = yes (weight 0.8)
IF y / z >= 1 THEN class = yes (weight 0.6)
"""
PROGRAM = LogicProgram.parse(TEXT, schema=SCHEMA)


def table(rows: int = 300) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    numbers = {name: rng.normal(size=rows) for name in "xyz"}
    return pd.DataFrame({**numbers, "grade": rng.choice(["low", "high"], rows), "sex": rng.choice(["f", "m"], rows)})


X = table()
Y = PROGRAM.predict(X)


def test_merging_joins_the_values_that_counts_ask_about() -> None:
    text = "IF at least 2 of {x > 1; grade >= middle; sex = f} THEN class = yes (weight 0.9)"
    other = LogicProgram.parse(text, schema=Schema((*NUMBERS, FINER, SEX), CLASS))
    merged = merge([PROGRAM, other]).program
    assert merged.schema["grade"].values == ("low", "middle", "high")
    texts = str(merged)
    assert "at least 2 of {grade >= high; sex = f; x > 1}" in texts
    assert "at least 2 of {grade >= middle; sex = f; x > 1}" in texts
    rows = X.assign(grade="middle")
    held = merged.rule_memberships(rows)
    wanted = other.rule_memberships(rows)[:, 0]
    place = next(i for i, rule in enumerate(merged.rules) if "middle" in rule.conditions[0].feature)
    assert (held[:, place] == wanted).all()


def test_one_name_for_two_calculations_is_refused() -> None:
    one, two = (
        LogicProgram.parse("IF s > 1 THEN class = yes", schema=define_features(SCHEMA, {"s": text}))
        for text in ("x + y", "x + z")
    )
    with pytest.raises(ValueError, match=r"'s' is 'x \+ y' and 'x \+ z' in different programs"):
        merge([one, two])
    plain = LogicProgram.parse(
        "IF s > 1 THEN class = yes", schema=Schema((*NUMBERS, Feature("s", "continuous")), CLASS)
    )
    with pytest.raises(ValueError, match=r"'s' is 'x \+ y' and a column of the table"):
        diff(one, plain)


def test_rules_are_compared_selected_and_pruned_by_what_they_calculate() -> None:
    assert "2 same" in str(diff(PROGRAM, PROGRAM))
    assert str(compare(PROGRAM, PROGRAM, X)).startswith("100.0% of the decisions agree")
    best = select(PROGRAM, X, Y, n_rules=1).program
    assert best.n_rules == 1
    useless = LogicProgram.parse(TEXT + "IF x * y > z * z AND x > 5 THEN class = yes", schema=SCHEMA)
    assert prune(useless, X, Y, price=2.0).n_rules <= 2


def test_an_edit_may_calculate_something_new() -> None:
    edited = edit(PROGRAM, X, Y).add("x * y >= 2", rule=2).add("IF z - y > 3 THEN class = yes (weight 0.5)")
    assert "y / z >= 1\n AND x * y >= 2" in str(edited.program)
    assert LogicProgram.from_dict(edited.program.to_dict()) == edited.program
    changed = edited.change(3, "y - z < -4").drop(2, "x * y")
    assert "IF   z - y > 4" in str(changed.program)


def test_rules_are_transferred_and_adopted_with_their_calculations() -> None:
    kinds = np.where(PROGRAM.rule_memberships(X)[:, 1] >= 0.5, "steep", "flat")
    moved = transfer(PROGRAM, X, kinds)
    assert "y / z >= 1" in str(moved)
    adopted = adopt(PROGRAM, SCHEMA)
    assert [rule.conditions for rule in adopted.rules] == [rule.conditions for rule in PROGRAM.rules]


def test_an_audit_sees_what_a_count_asks_about() -> None:
    report = audit(PROGRAM, X, Y, protected=["sex"])
    assert report.rules[0].protected == ("sex",)
    assert report.rules[1].protected == ()
