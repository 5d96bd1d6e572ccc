from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.rules import Feature, LogicProgram, ModelFormatError, NumberReading, Schema, Target, read_columns
from tests.tools import model_file_validator

DOLLARS = NumberReading("$")
SCHEMA = Schema((Feature("price", "continuous", reading=DOLLARS),), Target("class", "binary", ("no", "yes")))


@pytest.mark.parametrize(
    ("reading", "text", "number"),
    [
        (DOLLARS, "$1,020,000.00", 1020000.0),
        (DOLLARS, "-$5", -5.0),
        (DOLLARS, "$-5", -5.0),
        (DOLLARS, "  $ 5.50 ", 5.5),
        (DOLLARS, "1020000", 1020000.0),
        (DOLLARS, "5 €", None),
        (DOLLARS, "1,02", None),
        (DOLLARS, "$", None),
        (DOLLARS, "", None),
        (NumberReading("%"), "10.41%", 10.41),
        (NumberReading("%"), "10.41 %", 10.41),
        (NumberReading("€", ","), "1 020,50 €", 1020.5),
        (NumberReading("€", ","), "1\N{NO-BREAK SPACE}020,50\N{NO-BREAK SPACE}€", 1020.5),
        (NumberReading("CHF"), "CHF 1'020.50", 1020.5),
        (NumberReading(), "<0.006", 0.006),
        (NumberReading(), ">= 200", 200.0),
        (NumberReading(), "≤ 1e-3", 0.001),
        (NumberReading(), "\N{MINUS SIGN}.5", -0.5),
        (NumberReading(), "nan", None),
        (NumberReading("days"), "1 day", 1.0),
        (NumberReading("mg"), "5 MG", 5.0),
        (NumberReading("kg/m2"), "22.5 kg/m2", 22.5),
        (NumberReading("mg"), "5 mg 7", None),
    ],
)
def test_a_cell_is_a_number_in_the_unit_or_nothing(reading, text, number):
    assert reading.number(text) == number


@given(st.integers(-(10**9), 10**9), st.integers(0, 99))
def test_a_written_number_is_read_back(whole, hundredths):
    value = float(f"{whole}.{hundredths:02}")
    assert DOLLARS.number(f"{'-' * (value < 0)}${abs(value):,.2f}") == value
    german = f"{abs(value):,.2f}".translate(str.maketrans(",.", ".,"))
    assert NumberReading("€", ",").number(f"{'-' * (value < 0)}{german} €") == value


def test_a_cell_that_does_not_fit_is_an_error_that_names_column_row_cell_and_what_is_allowed():
    message = r"Column 'price' is read as numbers in \$, such as \$1,020.5 or 1,020.5, but row 1 holds 'cheap'"
    with pytest.raises(ValueError, match=message):
        read_columns({"price": ["$5", "cheap"]}, SCHEMA)


def test_numbers_text_and_gaps_may_stand_in_one_column():
    found = read_columns({"price": ["$1,000", 2.5, None, 7]}, SCHEMA)["price"].tolist()
    assert found[:2] == [1000.0, 2.5]
    assert math.isnan(found[2])
    assert found[3] == 7.0


def test_readings_are_stored_and_read_back():
    program = LogicProgram.parse("IF price >= 20 THEN class = yes", schema=SCHEMA)
    document = program.to_dict()
    assert document["features"][0]["reading"] == {"kind": "number", "unit": "$"}
    assert LogicProgram.from_dict(document) == program
    comma = Schema((Feature("x", "continuous", reading=NumberReading("", ",")),), SCHEMA.target)
    stored = LogicProgram(comma, (), (0.5,), (0.5,)).to_dict()
    assert stored["features"][0]["reading"] == {"kind": "number", "decimal": ","}
    assert LogicProgram.from_dict(stored).schema == comma
    for valid in (document, stored):
        model_file_validator().validate(valid)


@pytest.mark.parametrize(
    ("reading", "place"),
    [
        ({"kind": "colour"}, r"features\[0\].reading.kind"),
        ({"kind": "number", "decimal": "x"}, r"features\[0\].reading.decimal"),
        ({"kind": "number", "unit": 3}, r"features\[0\].reading.unit"),
        ({"unit": "$"}, r"features\[0\].reading: lacks the key 'kind'"),
    ],
)
def test_a_wrong_reading_in_a_file_is_named(reading, place):
    document = LogicProgram(SCHEMA, (), (0.5,), (0.5,)).to_dict()
    document["features"][0]["reading"] = reading
    with pytest.raises(ModelFormatError, match=place):
        LogicProgram.from_dict(document)


def test_categories_have_no_numbers_in_text():
    with pytest.raises(ValueError, match=r"but read from text with the unit \$ it is continuous or periodic"):
        Feature("price", "categorical", ("a",), reading=DOLLARS)


@pytest.mark.parametrize("name", ["sql", "r", "prolog", "pmml"])
def test_formats_that_cannot_read_text_refuse_and_say_what_to_do(name):
    program = LogicProgram.parse("IF price >= 20 THEN class = yes", schema=SCHEMA)
    with pytest.raises(ValueError, match=r"'price' is read from text with the unit \$.*Export to Python or JavaScript"):
        program.export(name)
