"""Python and JavaScript read text and dates as the program does."""

from __future__ import annotations

import datetime as dt
import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.export import asp_facts
from nln.rules import DateReading, Feature, LogicProgram, NumberReading, Schema, Target
from nln.rules.dates import MONTHS, WEEKDAYS
from tests import tools
from tests.export import nodejs
from tests.export.loading import loaded

FEATURES = (
    Feature("price", "continuous", reading=NumberReading("$")),
    Feature("dose", "continuous", reading=NumberReading("mg", ",")),
    Feature("year", "continuous", reading=DateReading("visit", "year", order="dmy")),
    Feature("month", "ordinal", MONTHS, reading=DateReading("visit", "month", order="dmy")),
    Feature("weekday", "ordinal", WEEKDAYS, reading=DateReading("visit", "weekday", order="dmy")),
    Feature("hour", "periodic", period=24, reading=DateReading("visit", "hour", order="dmy")),
    Feature("days", "continuous", reading=DateReading("visit", "days", since="2020-01-01", order="dmy")),
    Feature("age", "continuous", reading=DateReading("visit", "days", since_column="birth", order="dmy")),
)
RULES = """
IF price >= 1000 THEN class = yes (0.5)
IF dose < 2.5 ± 1 THEN class = yes (0.4)
IF year >= 2021 or missing (0.5) THEN class = yes (0.3)
IF month >= June THEN class = yes (0.2)
IF weekday < Saturday THEN class = yes (0.15)
IF 22 <= hour < 6 THEN class = yes (0.1)
IF days >= 400 THEN class = yes (0.05)
IF age < 7000 THEN class = yes (0.03)
"""
PROGRAM = LogicProgram.parse(RULES, schema=Schema(FEATURES, Target("class", "binary", ("no", "yes"))))

PRICES = st.sampled_from(["$1,020.50", "-$3", "<$5", "1020", "$ 999.99", "≥ 1e3", 1000, 3.5, None])
DOSES = st.sampled_from(["1.020,5 mg", "2,4mg", "> 2,6 MG", "2", 2.5, None])
DATES = st.sampled_from([
    "2021-06-05", "2020/2/29 23:59", "3 March 2021, 11:30 PM", "Sept 3, 2019 12:05 am", "31.12.2020",
    "2021-03-04T05:06:07Z", None,
])  # fmt: skip
ROWS = st.fixed_dictionaries({"price": PRICES, "dose": DOSES, "visit": DATES, "birth": DATES})


@pytest.fixture(scope="module")
def node():
    with nodejs.started() as process:
        yield process


@given(st.lists(ROWS, min_size=1, max_size=5))
def test_both_read_rows_as_the_program_does(node, rows):
    for row in rows:
        if row["birth"] == "31.12.2020":
            row["birth"] = None  # needs an order, which this column does not have
    expected = PROGRAM.predict_proba(rows)
    module = loaded(PROGRAM.export("python"))
    found = [list(module["predict_proba"](row).values()) for row in rows]
    assert found == [pytest.approx(row, abs=1e-9) for row in expected.tolist()]
    in_node = nodejs.run(node, PROGRAM, rows)["probabilities"]
    assert in_node == [pytest.approx(row, abs=1e-9) for row in expected.tolist()]


def test_values_of_the_features_may_be_given(node):
    row = {
        "price": 2000,
        "month": "July",
        "days": 500,
        "weekday": "Sunday",
        "hour": 3,
        "year": 2021,
        "age": 3,
        "dose": 1,
    }
    expected = PROGRAM.predict_proba([row])[0]
    assert list(loaded(PROGRAM.export("python"))["predict_proba"](row).values()) == pytest.approx(expected)
    assert nodejs.run(node, PROGRAM, [row])["probabilities"][0] == pytest.approx(expected)


def test_python_takes_dates():
    module = loaded(PROGRAM.export("python"))
    row = {"price": 1, "dose": 1, "visit": dt.datetime(2021, 7, 4, 23, 30), "birth": dt.date(2000, 1, 1)}
    assert list(module["predict_proba"](row).values()) == pytest.approx(PROGRAM.predict_proba([row])[0])


@pytest.mark.parametrize(
    ("column", "cell"), [("price", "much"), ("price", "5 €"), ("visit", "soon"), ("birth", "3/4/2021")]
)
def test_a_cell_that_does_not_fit_is_an_error(column, cell):
    row = {"price": 1, "dose": 1, "visit": "2021-01-01", "birth": "2000-01-01", column: cell}
    with pytest.raises(ValueError, match=f"Column '{column}' is read as .* holds '{cell}'"):
        loaded(PROGRAM.export("python"))["predict"](row)
    source = PROGRAM.export("javascript", module=False)
    script = f"{source}\ntry {{ predict({json.dumps(row)}); }} catch (error) {{ console.log(error.message); }}"
    assert f"Column {column} is read as" in nodejs.printed(script)


def test_programs_without_readings_carry_no_code_for_them():
    plain = LogicProgram.parse(
        "IF x < 3 THEN class = yes", schema=Schema((Feature("x", "continuous"),), PROGRAM.schema.target)
    )
    assert "readRow" not in plain.export("javascript")
    assert "read_row" not in plain.export("python")


def test_a_workbook_takes_the_values_of_features():
    tools.package("xlsxwriter")
    with zipfile.ZipFile(io.BytesIO(PROGRAM.export("xlsx"))) as book:
        texts = book.read("xl/sharedStrings.xml").decode()
    assert "a number in $" in texts
    assert "weekday" in texts


def test_facts_for_answer_sets_are_read_from_the_columns():
    crisp = LogicProgram.parse("IF price >= 1000 AND month >= June THEN class = yes", schema=PROGRAM.schema)
    written, plain = ({"price": [price], "visit": ["2021-07-01"]} for price in ("$2,000", 2000))
    assert asp_facts(crisp, written) == asp_facts(crisp, plain)
    assert crisp.export("asp")
