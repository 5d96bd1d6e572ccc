"""Conditions as SQL expressions."""

from __future__ import annotations

from sqlglot import exp

from nln.export.sql.conditions import all_of, any_of, complement, degree, is_true, negligible_as_zero, product
from nln.export.sql.dialects import DIALECTS
from nln.rules import Feature, ValueCondition

COLOUR = Feature("colour", "categorical", ("blue", "red"))
SQLITE = DIALECTS["sqlite"]


def test_a_crisp_condition_is_a_comparison() -> None:
    written = is_true(ValueCondition("colour", ("red",), missing=1.0), COLOUR, SQLITE).sql("sqlite")
    assert written == '"source"."colour" = \'red\' OR "source"."colour" IS NULL'


def test_a_fuzzy_condition_is_a_number() -> None:
    written = degree(ValueCondition("colour", ("red",), missing=0.5), COLOUR, SQLITE).sql("sqlite")
    column = '"source"."colour"'
    assert written == f"CASE WHEN {column} IS NULL THEN 0.5 WHEN {column} = 'red' THEN 1.0 ELSE 0.0 END"


def test_operators_keep_their_operands_together() -> None:
    assert all_of([exp.column("a"), any_of([exp.column("b"), exp.column("c")])]).sql() == "a AND (b OR c)"


def test_probabilities_that_change_nothing_are_zero() -> None:
    assert (negligible_as_zero(1e-300), negligible_as_zero(0.25)) == (0.0, 0.25)


def test_products_and_complements_are_plain_arithmetic() -> None:
    assert product([exp.column("a"), exp.column("b")], SQLITE).sql() == "a * b"
    assert complement(exp.column("p"), SQLITE).sql() == "1.0 - p"
