"""One row gives one answer: through the estimator, a saved model, the program, and the command line on every file."""

from __future__ import annotations

import csv
import datetime as dt
import math
import tempfile
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln import NLNClassifier, load_model
from nln.cli.predict import decisions
from nln.model import model_from_dict
from nln.rules import (
    Boundary,
    DateReading,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    NumberReading,
    PrefixReading,
    Rule,
    Schema,
    Target,
    ValueCondition,
)
from nln.rules.dates import MONTHS
from nln.tables.files.table_file import TableFile
from nln.tables.frames import read_table
from nln.tables.infer import infer_features

pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")

HUGE = 2**53
CODES = (123456789012345678, 123456789012345679, HUGE, HUGE + 1)
TEXTS = ("a", "b", "Ä", "", "1", "true", "a\x00", "a,b", "light red")


def program_for(feature):
    """A program with an answer of its own for every value, other values, missing values and stretches of numbers."""
    if feature.is_ordered:
        cuts = range(1, len(feature.values)) if feature.kind == "ordinal" else (0.25, 0.5, 1, 2, 5, 22.4)
        asked = [IntervalCondition("f", (Interval(high=Boundary(cut)),), missing=0.3) for cut in cuts]
    else:
        asked = [ValueCondition("f", (value,), missing=0.3) for value in feature.values]
        asked.append(ValueCondition("f", feature.values, negated=True))
    rules = tuple(Rule((one,), "yes", 0.5 + 0.4 / (i + 2)) for i, one in enumerate(asked))
    schema = Schema((Feature("unused", "continuous"), feature), Target("class", "binary", ("no", "yes")))
    return LogicProgram(schema, rules, (0.01,), (0.5,))


def estimator_for(program):
    return NLNClassifier.from_program(program)


def through_a_file(program, path):
    chunks = TableFile(path).chunks(program.schema, only=program.features_used)
    return [share for chunk in chunks for _, _, share in decisions(program, chunk)]


def typed_answers(program, X):
    """Answers of the estimator, the saved model and the program; an error is an answer, too."""
    model = estimator_for(program)
    saved = model_from_dict(model._saved().to_dict())
    return [answer(lambda path=path: path.predict_proba(X).tolist()) for path in (model, saved, program)]


def parquet_answer(program, table):
    with tempfile.TemporaryDirectory() as folder:
        pyarrow.parquet.write_table(table, Path(folder, "data.parquet"))
        return answer(lambda: through_a_file(program, Path(folder, "data.parquet")))


def text_answer(program, cells):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.csv")
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["f", "more"], *([spelled(cell), "x"] for cell in cells)])
        return answer(lambda: through_a_file(program, path))


def spelled(cell):
    return "" if cell is None else str(cell)


def answer(read):
    try:
        return read()
    except (ValueError, TypeError) as error:
        return f"{type(error).__name__}: {error}"


def assert_alike(answers):
    first = next(iter(answers.values()))
    for path, found in answers.items():
        assert found == first, f"{path}: {found} instead of {first}"


def forms_of(cells):
    """The same column in every form of table that holds it as it is."""
    forms = {
        "dict of columns": {"f": cells},
        "list of dicts": [{"f": cell} for cell in cells],
        "pandas objects": pd.DataFrame({"f": pd.Series(cells, dtype=object)}),
        "structured array": np.array([(cell,) for cell in cells], dtype=[("f", object)]),
        "array": np.array([[None, cell] for cell in cells], dtype=object),
    }
    types = {type(cell) for cell in cells} - {type(None)}
    if len(types) == 1:
        forms["pyarrow"] = table = pa.table({"f": cells})
        forms["polars"] = pl.DataFrame({"f": cells})
        forms["pandas nullable"] = table.to_pandas(types_mapper=pd.ArrowDtype)
        if types != {Decimal}:
            forms["pandas category"] = pd.DataFrame({"f": pd.Categorical(cells)})
            forms["pyarrow dictionary"] = pa.table({"f": table["f"].dictionary_encode()})
        if types == {int}:
            forms["pandas integers"] = pd.DataFrame({"f": pd.array(cells, dtype="Int64")})
        if types == {bool}:
            forms["pandas truth values"] = pd.DataFrame({"f": pd.array(cells, dtype="boolean")})
        if types == {str}:
            forms["pandas text"] = pd.DataFrame({"f": pd.array(cells, dtype="string")})
            forms["polars category"] = forms["polars"].cast(pl.Categorical)
            forms["polars enum"] = forms["polars"].cast(pl.Enum([*dict.fromkeys(c for c in cells if c is not None)]))
            forms["pyarrow view"] = pa.table({"f": pa.array(cells, pa.string_view())})
            forms["pyarrow large"] = pa.table({"f": pa.array(cells, pa.large_string())})
    return forms


CELLS = {
    "text": st.sampled_from(TEXTS),
    "truth value": st.booleans(),
    "whole": st.sampled_from((0, 1, 2, 3, 5, -1)),
    "code": st.sampled_from((*CODES, 1, HUGE + 2, 123456789012345677)),
    "real": st.sampled_from((0.0, 0.5, 0.1, 1.0, 2.5, -1.5, 1e17)),
    "decimal": st.sampled_from([*map(Decimal, ("0.1", "0.5", "1", "2.0", "-1.5", "123456789012345679"))]),
}
NUMBERS = [kind for kind in CELLS if kind != "text"]
NUMBER_FEATURES = [
    Feature("f", "binary", (0, 1)),
    Feature("f", "binary", (False, True)),
    Feature("f", "categorical", (1, 2, 5)),
    Feature("f", "categorical", (0.1, 0.5, 1)),
    Feature("f", "categorical", CODES),
    Feature("f", "ordinal", (2, 1, 5)),
    Feature("f", "continuous"),
    Feature("f", "periodic", period=24),
]
TEXT_FEATURES = [
    Feature("f", "categorical", ("a", "b", "Ä", "1", "true", "a,b")),
    Feature("f", "ordinal", ("b", "a")),
    Feature("f", "binary", ("1", "2")),
]
BLANK = Feature("f", "categorical", ("", "a"))
MIXED = Feature("f", "categorical", (1, 0.5, "a", "1"))


@st.composite
def columns(draw, kinds):
    cell = CELLS[draw(st.sampled_from(kinds))]
    return draw(st.lists(cell | st.none(), min_size=1, max_size=6))


@settings(max_examples=150)
@given(st.sampled_from([*NUMBER_FEATURES, *TEXT_FEATURES, BLANK, MIXED]), columns(list(CELLS)))
def test_a_typed_column_has_one_answer_in_every_library_and_path(feature, cells):
    program = program_for(feature)
    answers = {}
    for form, X in forms_of(cells).items():
        for path, found in zip(("estimator", "saved model", "program"), typed_answers(program, X), strict=True):
            answers[f"{form}, {path}"] = found
        if isinstance(X, pa.Table):
            answers[f"{form}, file"] = parquet_answer(program, X)
    assert_alike(answers)


@settings(max_examples=150)
@given(st.sampled_from(NUMBER_FEATURES), columns(NUMBERS))
def test_numbers_mean_the_same_in_a_text_file(feature, cells):
    program = program_for(feature)
    in_table, *_ = typed_answers(program, {"f": cells})
    assert text_answer(program, cells) == in_table


@settings(max_examples=100)
@given(st.sampled_from(TEXT_FEATURES), columns(["text"]))
def test_text_means_the_same_in_a_text_file(feature, cells):
    cells = [None if cell in ("", "a\x00") else cell for cell in cells]  # a text file has neither
    program = program_for(feature)
    in_table, *_ = typed_answers(program, {"f": cells})
    assert text_answer(program, cells) == in_table


WRITTEN = st.sampled_from(
    ["$1", "$0.25", "1.00", "$1,000", "2", "<0.5", "> 5", "$22.40", " $3 ", "5 mg", "much", "1,5", "7%"]
)
READ_FEATURES = [
    Feature("f", "continuous", reading=NumberReading("$")),
    Feature("f", "continuous", reading=NumberReading("mg", ",")),
    Feature("f", "periodic", period=24, reading=NumberReading()),
]


@settings(max_examples=150)
@given(st.sampled_from(READ_FEATURES), st.lists(WRITTEN | st.none(), min_size=1, max_size=6))
def test_numbers_written_in_text_mean_the_same_everywhere(feature, cells):
    program = program_for(feature)
    answers = written_answers(program, cells)
    answers["text file"] = text_answer(program, [cell and cell.strip() for cell in cells])
    assert_alike({path: str(found).replace("' $3 '", "'$3'") for path, found in answers.items()})


DATE_FEATURES = [
    Feature("month", "ordinal", MONTHS, reading=DateReading("f", "month", order="dmy")),
    Feature("hour", "periodic", period=24, reading=DateReading("f", "hour")),
    Feature("days", "continuous", reading=DateReading("f", "days", since="2021-01-01")),
]
MOMENTS = st.sampled_from(["2021-01-01", "2021-01-02T22:30:00", "2020-12-31", "1 Jan 2021", "3/4/2021", "soon", "2021"])
TIMES = st.datetimes(dt.datetime(2020, 12, 1), dt.datetime(2021, 1, 20)).map(lambda time: time.replace(microsecond=0))


def date_program(feature):
    """The program of the feature, with the name that it has beside the column of dates."""
    program = program_for(replace(feature, name="f", reading=None))
    schema = Schema((program.schema.features[0], feature), program.schema.target)
    rules = (
        replace(r, conditions=tuple(replace(c, feature=feature.name) for c in r.conditions)) for r in program.rules
    )
    return LogicProgram(schema, tuple(rules), program.biases, program.thresholds)


def written_answers(program, cells):
    """What a program says of text in tables of all libraries, and in a file that has types."""
    answers = {
        f"{form}, {i}": a for form, X in forms_of(cells).items() for i, a in enumerate(typed_answers(program, X))
    }
    return {**answers, "parquet": parquet_answer(program, pa.table({"f": pa.array(cells, pa.string())}))}


@settings(max_examples=150)
@given(st.sampled_from(DATE_FEATURES), st.lists(MOMENTS | st.none(), min_size=1, max_size=6))
def test_dates_written_in_text_mean_the_same_everywhere(feature, cells):
    program = date_program(feature)
    answers = written_answers(program, cells)
    if "2021" not in cells:  # a number in a text file
        answers["text file"] = text_answer(program, cells)
    assert_alike(answers)


CODED_FEATURES = [
    Feature("start", "categorical", ("0", "1", "a"), reading=PrefixReading("f", 1)),
    Feature("start", "categorical", ("01", "a", "a1"), reading=PrefixReading("f", 2)),
]
CODED = st.sampled_from(["a1", "a12", "a", "01067", "10", "ä", "true", "1.5", "none", "-", "b 2"])


@settings(max_examples=150)
@given(st.sampled_from(CODED_FEATURES), st.lists(CODED | st.none(), min_size=1, max_size=6))
def test_codes_mean_the_same_everywhere(feature, cells):
    program = date_program(feature)
    answers = written_answers(program, cells)
    answers["text file"] = text_answer(program, cells)
    assert_alike(answers)


@settings(max_examples=100)
@given(st.sampled_from(DATE_FEATURES), st.lists(TIMES | st.none(), min_size=1, max_size=6))
def test_typed_dates_mean_what_their_text_means(feature, cells):
    program = date_program(feature)
    texts = [None if cell is None else cell.isoformat() for cell in cells]
    answers = {"text": typed_answers(program, {"f": texts})[0], "file": text_answer(program, texts)}
    typed = {
        "objects": {"f": cells},
        "rows": [{"f": cell} for cell in cells],
        "pandas": pd.DataFrame({"f": pd.Series(cells, dtype="datetime64[ns]")}),
        "polars": pl.DataFrame({"f": pl.Series(cells, dtype=pl.Datetime)}),
        "pyarrow": pa.table({"f": pa.array(cells, pa.timestamp("us"))}),
        "array": np.array([[None, cell] for cell in cells], "M8[us]"),
    }
    for form, X in typed.items():
        answers |= {f"{form}, {i}": found for i, found in enumerate(typed_answers(program, X))}
    answers["parquet"] = parquet_answer(program, typed["pyarrow"])
    assert_alike(answers)


@settings(max_examples=100)
@given(columns(NUMBERS), st.sampled_from(NUMBER_FEATURES))
def test_one_row_has_the_answer_that_it_has_in_a_table(cells, feature):
    program = program_for(feature)
    row = {"f": cells[0], "unused": None}
    whole = typed_answers(program, {"f": cells[:1]})
    assert typed_answers(program, row) == typed_answers(program, pd.Series(row, dtype=object)) == whole
    paths = estimator_for(program), program
    explained = [answer(lambda path=path: path.explain(row).outputs[0].probability) for path in paths]
    if isinstance(whole[0], list):
        assert explained == [whole[0][0][1]] * 2


def test_codes_of_18_digits_are_learned_saved_and_read_back(tmp_path):
    cells = [*CODES[:2]] * 20
    truth = [cell == CODES[0] for cell in cells]
    X = pa.table({"f": cells, "g": [1.5, 1.5, 2.5, 2.5] * 10})
    model = NLNClassifier(starts=1, random_state=0).fit(X, truth)
    assert model.schema_["f"].values == CODES[:2]
    assert model.score({"f": cells}, truth) == 1.0
    model.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load_model(tmp_path / "model.json").predict({"f": cells}), truth)
    assert text_answer(model.program_, cells) == model.predict_proba({"f": cells}).tolist()


def test_codes_with_gaps_keep_their_digits():
    cells = [*CODES, None]
    for X in (pa.table({"f": cells}), pl.DataFrame({"f": cells}), pd.DataFrame({"f": pd.array(cells, dtype="Int64")})):
        (feature,), columns = infer_features(read_table(X), "categorical")
        assert feature.values == tuple(sorted(CODES))
        assert columns["f"].tolist() == [2, 3, 0, 1, -1]


@pytest.mark.parametrize("values", [(1, 2), (0.5, 1.5)])
def test_numbers_as_text_must_be_cast_through_every_path_but_are_numbers_in_a_text_file(values, any_frame):
    program = program_for(Feature("f", "categorical", values))
    cells = [str(value) for value in values]
    answers = [*typed_answers(program, any_frame({"f": cells})), parquet_answer(program, pa.table({"f": cells}))]
    what = f"Column 'f' is categorical and its values are numbers, but row 0 holds {cells[0]!r}"
    assert set(answers) == {f"ValueError: {what}. Cast the column, for example to float."}
    assert text_answer(program, cells) == program.predict_proba({"f": list(values)}).tolist()


def test_a_column_that_no_rule_uses_may_be_absent_and_one_that_is_used_may_not(any_frame):
    program = program_for(Feature("f", "continuous"))
    with_all = any_frame({"unused": [1.0], "f": [3.0]})
    without = any_frame({"f": [3.0]})
    assert typed_answers(program, with_all) == typed_answers(program, without)
    model = estimator_for(program)
    saved = model._saved()
    for method in ("predict", "predict_proba", "rule_memberships", "explain"):
        np.testing.assert_equal(getattr(model, method)(without), getattr(saved, method)(without))
        for path in (model, saved):
            with pytest.raises(ValueError, match="yet now missing:\n- f\n"):
                getattr(path, method)(any_frame({"unused": [3.0], "g": [1]}))


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_a_matrix_is_an_array():
    program = program_for(Feature("f", "continuous"))
    rows = [[0.0, 3.0], [0.0, math.nan]]
    assert typed_answers(program, np.matrix(rows)) == typed_answers(program, np.array(rows))


def test_integers_beyond_64_bits_are_told_apart():
    values = (10**30, 10**30 + 1, 10**400)
    program = program_for(Feature("f", "categorical", values))
    cells = np.array([*values, 10**30 + 2], dtype=object)
    found = typed_answers(program, {"f": cells})
    assert found[0] == found[1] == found[2] == text_answer(program, cells.tolist())
    assert len({share for _, share in found[0]}) == 4
