"""What `nln fit` proposes about columns; none of it changes what is learned."""

from __future__ import annotations

import pytest

from nln.tables.frames import read_table
from nln.tables.infer import infer_features
from nln.tables.proposals import propose


def proposed(any_frame, column, name="f"):
    table = read_table(any_frame({name: [*column, *column]}))
    (feature,), _ = infer_features(table)
    return propose(feature, table.cells(name))


@pytest.mark.parametrize(
    "values",
    [
        ("Low", "Medium", "High"),
        ("none", "mild", "moderate", "severe"),
        ("never", "rarely", "sometimes", "often", "always"),
        ("strongly_disagree", "disagree", "neutral", "agree", "strongly_agree"),
        ("I", "II", "III", "IV"),
        ("Grade 1", "Grade 2", "Grade 10"),
        ("stage I", "stage II", "stage IV"),
        ("S", "M", "L", "XL"),
        ("<18", "18 - 25", "26 to 35", "65+"),
        ("[0-10)", "[10-20)", "[100-110)"),
        ("Mon", "Wed", "Sun"),
    ],
)
def test_words_with_an_order_are_proposed_as_ordinal(any_frame, values):
    assert proposed(any_frame, sorted(values)).kind == values


@pytest.mark.parametrize(
    "values",
    [
        ("red", "green", "blue"),
        ("low", "high", "red"),
        ("138 33 68", "154 33 56", "9 1 2"),
        ("A", "B", "C"),
        ("yes", "no", "maybe"),
        ("low", "high"),
    ],
)
def test_other_words_are_not(any_frame, values):
    assert proposed(any_frame, values) is None


@pytest.mark.parametrize(
    ("name", "values"),
    [("region", (1, 2, 3)), ("admission_type", (1, 2, 3, 5)), ("jobCode", (10, 20, 30)), ("smoker", (1, 2, 9))],
)
def test_small_integers_are_proposed_as_codes_where_the_name_or_a_gap_says_so(any_frame, name, values):
    assert proposed(any_frame, values, name).kind == "categorical"


@pytest.mark.parametrize(
    ("name", "values"), [("children", (0, 1, 2, 3, 5)), ("grade", (1, 2, 3)), ("region", (0.5, 1, 2))]
)
def test_counts_and_measures_are_not(any_frame, name, values):
    assert proposed(any_frame, [float(value) for value in values], name) is None


def test_dates_and_numbers_that_can_be_read_in_two_ways_are_proposed(any_frame):
    assert proposed(any_frame, ["03/04/2021", "01/02/2021", "05/06/2021"]).kind == "date:dmy"
    assert proposed(any_frame, ["1,020", "2,300", "4,500"]).kind == "continuous"
    assert proposed(any_frame, ["12", "13", "14"]).kind == "continuous"
