import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from nln.rules.schema import Feature, Schema, Target
from nln.tables.frames import align, decode, read_columns, read_table

COLOUR = Feature("colour", "categorical", ("blue", "red"))
SIZE = Feature("size", "ordinal", ("S", "M", "L"))
AGE = Feature("age", "continuous")
FLAG = Feature("flag", "binary", (False, True))
GRADE = Feature("grade", "categorical", (1, 2, 5))


def schema_of(*features):
    return Schema(features, Target("class", "binary", (0, 1)))


def read_one(X, feature, **options):
    return read_columns(read_table(X), schema_of(feature), **options)[feature.name]


def test_names_and_rows_of_a_frame(any_frame):
    table = read_table(any_frame({"b": [1, 2], "a": ["x", "y"]}))
    assert (table.names, table.n_rows, table.named) == (("b", "a"), 2, True)


@pytest.mark.parametrize(
    "X", [np.eye(2), [[1, 0], [0, 1]], ((1, 0), (0, 1)), np.eye(2, dtype=bool), pd.DataFrame(np.eye(2))]
)
def test_inputs_without_names_get_numbered_names(X):
    table = read_table(X)
    assert (table.names, table.n_rows, table.named) == (("x0", "x1"), 2, False)


def test_objects_with_array_method_are_arrays():
    class Wrapper:
        def __array__(self, dtype=None, copy=None):
            return np.arange(6.0).reshape(3, 2)

    assert read_table(Wrapper()).n_rows == 3


def test_narwhals_frames_are_frames(frame):
    assert read_table(nw.from_native(frame({"a": [1]}))).names == ("a",)


def test_float_arrays_are_not_copied():
    X = np.ones((5, 2))
    assert np.shares_memory(read_table(X).cells("x1").values, X)


def test_mixed_lists_keep_their_types():
    table = read_table([[1, "a"], [2, "b"]])
    assert table.cells("x0").values.tolist() == [1, 2]
    assert table.cells("x1").values == ("a", "b")


def test_masked_cells_are_missing():
    X = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    assert read_table(X).cells("x1").missing.tolist() == [True, False]


@pytest.mark.parametrize("rows", [np.array([True, False, True]), np.array([0, 2])])
def test_take_keeps_rows(any_frame, rows):
    table = read_table(any_frame({"a": [1.0, np.inf, 3.0], "b": ["x", "y", "x"]})).take(rows)
    assert table.n_rows == 2
    assert table.cells("a").values.tolist() == [1, 3]
    assert table.cells("b").codes.tolist() == [0, 0]


@pytest.mark.parametrize("columns", [["a", "b"], [0, 1]])
def test_no_rows(columns):
    message = "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required."
    with pytest.raises(ValueError, match=re.escape(message)):
        read_table(pd.DataFrame(np.empty((0, 2)), columns=columns))


@pytest.mark.parametrize("X", [np.empty((3, 0)), pd.DataFrame(index=range(3)), pl.DataFrame(), [[], []]])
def test_no_columns(X):
    with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(\d*, 0\)\) while a minimum of \d* is required."):
        read_table(X)


@pytest.mark.parametrize("X", [np.arange(3), [1, 2], ["a"], pd.Series([1]), pl.Series([1]), pa.chunked_array([[1]])])
def test_one_dimension(X):
    with pytest.raises(ValueError, match=r"Expected 2D array, got 1D array instead.*Reshape your data"):
        read_table(X)


@pytest.mark.parametrize("X", [3, None, "text", {"a": [1]}])
def test_no_dimension(X):
    with pytest.raises(ValueError, match=r"Expected 2D array, got scalar array instead.*type (int|NoneType|str|dict)"):
        read_table(X)


def test_three_dimensions():
    with pytest.raises(ValueError, match=r"got 3D array instead.*shape \(1, 2, 3\)"):
        read_table(np.ones((1, 2, 3)))


def test_ragged_rows():
    with pytest.raises(ValueError, match="do all rows have the same length"):
        read_table([[1, 2], [3]])


def test_sparse_matrix():
    with pytest.raises(TypeError, match=r"sparse.*\.toarray\(\)"):
        read_table(csr_matrix(np.eye(2)))


def test_lazy_frame():
    with pytest.raises(TypeError, match=r"lazy frame.*X\.collect\(\)"):
        read_table(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("X", [np.ones((1, 1), dtype=complex), np.array([[1], [2j]], dtype=object)])
def test_complex_numbers(X):
    with pytest.raises(ValueError, match="Complex data not supported"):
        read_table(X).cells("x0")


@pytest.mark.parametrize(
    "X", [pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]), pa.table([[1], [2], [3]], names=["a", "b", "a"])]
)
def test_duplicate_names(X):
    with pytest.raises(ValueError, match=r"(?s)Column names must differ.*'a' 2 times. Rename them."):
        read_table(X)


def test_some_names_not_strings():
    message = r"Feature names are only supported if all input features have string names.*X\.columns\.astype\(str\)"
    with pytest.raises(TypeError, match=message):
        read_table(pd.DataFrame([[1, 2]], columns=["a", 0]))


def test_tuples_are_no_names():
    X = pd.DataFrame([[1, "u"]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")]))
    assert read_table(X).names == ("x0", "x1")
    assert read_table(X).cells("x1").values == ("u",)


MOMENTS = {
    "date": [dt.date(2020, 1, 1)],
    "datetime": [dt.datetime(2020, 1, 1)],
    "time": [dt.time(12)],
    "duration": [dt.timedelta(1)],
}


@pytest.mark.parametrize("what", list(MOMENTS))
def test_times(any_frame, what):
    with pytest.raises(
        TypeError, match=f"Column '{what}' holds points or spans of time.*Turn it into numbers.*weekday"
    ):
        read_table(any_frame({what: MOMENTS[what]})).cells(what)


@pytest.mark.parametrize(
    "column", [np.array(["2020-01-01"], dtype="M8[D]"), np.array([np.datetime64("2020")], dtype=object)]
)
def test_times_in_arrays(column):
    with pytest.raises(TypeError, match="Column 'when' holds points or spans of time"):
        decode("when", column)


def test_periods():
    with pytest.raises(TypeError, match="Column 'when' holds points or spans of time"):
        read_table(pd.DataFrame({"when": pd.period_range("2020", periods=2, freq="Y")})).cells("when")


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}])
def test_nested_cells(any_frame, cell):
    with pytest.raises(
        TypeError, match=r"Column 'x' holds a value of type .* in row 1.*argument must be a string or a number"
    ):
        read_table(any_frame({"x": [None, cell]})).cells("x")


@pytest.mark.parametrize("cell", [{"foo": "bar"}, [1], b"bytes", object(), pd.Interval(0, 1), (1, 2)])
def test_strange_cells(cell):
    column = np.array([1.5, None, "a"], dtype=object)
    column[1] = cell
    with pytest.raises(TypeError, match=f"'x' .* type {type(cell).__name__} in row 1, .*must be a string or a number"):
        decode("x", column)


def test_byte_strings():
    with pytest.raises(TypeError, match="type bytes in row 0"):
        decode("x", np.array([b"a"]))


def test_binned_numbers_name_the_interval_type():
    with pytest.raises(TypeError, match="Column 'x' holds a value of type Interval in row 0"):
        read_table(pd.DataFrame({"x": pd.cut([1, 5, 9], 2)})).cells("x")


def test_infinite_numbers_at_fit(any_frame):
    X = any_frame({"age": [1.0, np.inf, -np.inf, np.inf]})
    message = "Column 'age' has 3 infinite values (first at row 1). Replace them or drop the rows."
    with pytest.raises(ValueError, match=re.escape(message)):
        read_one(X, AGE, at_fit=True)
    assert read_one(X, AGE).tolist() == [1, np.inf, -np.inf, np.inf]


def test_infinite_number_among_texts_at_fit():
    X = np.array([["a"], [np.inf]], dtype=object)
    with pytest.raises(ValueError, match=re.escape("Column 'x0' has 1 infinite value (at row 1).")):
        read_one(X, Feature("x0", "categorical", ("a", "b")), at_fit=True)


def test_columns_of_every_kind(any_frame):
    X = any_frame(
        {
            "flag": [True, None, False],
            "age": [3, None, 5],
            "colour": ["red", None, "green"],
            "size": ["M", "S", None],
            "grade": [5, 1, 7],
        }
    )
    columns = read_columns(read_table(X), schema_of(COLOUR, SIZE, AGE, FLAG, GRADE))
    assert list(columns) == ["colour", "size", "age", "flag", "grade"]
    assert columns["colour"].tolist() == [1, -1, -2]
    assert columns["size"].tolist() == [1, 0, -1]
    assert columns["flag"].tolist() == [1, -1, 0]
    assert columns["grade"].tolist() == [2, 0, -2]
    np.testing.assert_array_equal(columns["age"], [3, np.nan, 5])
    assert {name: column.dtype for name, column in columns.items()} == {
        "age": np.float64,
        **dict.fromkeys(["colour", "size", "flag", "grade"], np.int32),
    }


CATEGORY_COLUMNS = {
    "pandas category": pd.DataFrame({"colour": pd.Categorical(["red", None, "green"], ["red", "unused", "green"])}),
    "pandas object": pd.DataFrame({"colour": ["red", None, "green"]}, dtype=object),
    "pandas NA": pd.DataFrame({"colour": pd.array(["red", pd.NA, "green"], dtype="string")}),
    "pandas arrow": pd.DataFrame({"colour": pd.array(["red", None, "green"], dtype="string[pyarrow]")}),
    "polars category": pl.DataFrame({"colour": pl.Series(["red", None, "green"], dtype=pl.Categorical)}),
    "polars enum": pl.DataFrame({"colour": pl.Series(["red", None, "green"], dtype=pl.Enum(["green", "red"]))}),
    "polars object": pl.DataFrame({"colour": pl.Series(["red", None, "green"], dtype=pl.Object)}),
    "pyarrow dictionary": pa.table({"colour": pa.array(["red", None, "green"]).dictionary_encode()}),
    "pyarrow chunks": pa.table({"colour": pa.chunked_array([["red"], [None, "green"]]).dictionary_encode()}),
    "numpy NA": np.array([["red"], [pd.NA], ["green"]], dtype=object),
}


@pytest.mark.parametrize("X", CATEGORY_COLUMNS.values(), ids=CATEGORY_COLUMNS)
def test_categories_of_every_library(X):
    table = align(read_table(X), ["colour"], named=not isinstance(X, np.ndarray))
    assert read_columns(table, schema_of(COLOUR))["colour"].tolist() == [1, -1, -2]


@pytest.mark.parametrize(
    "values",
    [
        pd.array([3, None], dtype="Int64"),
        pd.array([3, None], dtype="Float32"),
        pd.array([3, None], dtype="int64[pyarrow]"),
        pd.arrays.SparseArray([3, np.nan]),
        pd.Categorical([3, None]),
        np.array([Decimal(3), None]),
        np.array([Fraction(3), np.nan], dtype=object),
        pl.Series([3, None], dtype=pl.Decimal(10, 2)).to_pandas(),
    ],
    ids=lambda values: str(values.dtype),
)
def test_numbers_of_every_type(values):
    np.testing.assert_array_equal(read_one(pd.DataFrame({"age": values}), AGE), [3.0, np.nan])


def test_polars_decimals():
    X = pl.DataFrame({"age": [Decimal("3.5"), None]})
    np.testing.assert_array_equal(read_one(X, AGE), [3.5, np.nan])


@pytest.mark.parametrize("given", [[1.0, 2.0, 5.0], [1, 2, 5], np.array([1, 2, 5], dtype=object), [1.0, 2, Decimal(5)]])
def test_whole_numbers_match_whatever_their_type(given):
    assert read_one(pd.DataFrame({"grade": given}), GRADE).tolist() == [0, 1, 2]


def test_truth_values_match_zero_and_one(frame):
    assert read_one(frame({"flag": [1, 0, 2]}), FLAG).tolist() == [1, 0, -2]
    assert read_one(frame({"n": [True, False]}), Feature("n", "binary", (0, 1))).tolist() == [1, 0]


def test_negative_zero_is_zero(frame):
    assert read_one(frame({"n": [-0.0, 0.0, 1.0]}), Feature("n", "binary", (0, 1))).tolist() == [0, 0, 1]


def test_numbers_never_match_text(frame):
    assert read_one(frame({"n": [1, 2]}), Feature("n", "categorical", ("1", "2"))).tolist() == [-2, -2]


def test_large_integers_stay_different():
    big = 2**60
    X = pl.DataFrame({"id": [big, big + 1, big + 2]})
    assert read_one(X, Feature("id", "categorical", (big, big + 1))).tolist() == [0, 1, -2]


@pytest.mark.parametrize("feature", [AGE, Feature("age", "binary", (0, 1)), Feature("age", "ordinal", (1, 2))])
def test_text_in_a_column_of_numbers(any_frame, feature):
    message = f"Column 'age' holds text in row 2: 'old', but it is a {feature.kind} feature of numbers. Correct"
    with pytest.raises(ValueError, match=message):
        read_one(any_frame({"age": ["1", None, "old"]}), feature)


def test_numbers_as_text_must_be_cast(any_frame):
    with pytest.raises(ValueError, match=r"Column 'age' holds text in row 1: '1\.5'.*Cast the column, for example"):
        read_one(any_frame({"age": [None, "1.5", "2"]}), AGE)


def test_unused_text_categories_do_no_harm():
    X = pd.DataFrame({"age": pd.Categorical([1, 2], categories=[1, 2, "none"])})
    assert read_one(X, AGE).tolist() == [1, 2]


def test_missing_column_of_any_type_is_missing(any_frame):
    X = read_table(any_frame({"colour": [None, None], "age": [None, None]}))
    columns = read_columns(X, schema_of(COLOUR, AGE))
    assert columns["colour"].tolist() == [-1, -1]
    assert np.isnan(columns["age"]).all()


def test_whole_numbers_with_gaps_are_integers():
    assert decode("x", np.array([1.0, np.nan])).kind == "int"
    assert decode("x", np.array([1.0, 2.0])).kind == "float"
    assert decode("x", np.array([1.5, np.nan])).kind == "float"


def test_order_of_the_column_type():
    ordered = pd.Categorical(["M", "S"], ["S", "M"], ordered=True)
    for X in (pd.DataFrame({"s": ordered}), pa.Table.from_pandas(pd.DataFrame({"s": ordered}))):
        cells = read_table(X).cells("s")
        assert (cells.values, cells.order, cells.codes.tolist()) == (("S", "M"), "ordered", [1, 0])
    enum = read_table(pl.DataFrame({"s": pl.Series(["M", "S"], dtype=pl.Enum(["S", "M"]))})).cells("s")
    assert (enum.values, enum.order, enum.codes.tolist()) == (("S", "M"), "declared", [1, 0])


def test_align_reorders_and_selects_by_name(any_frame):
    table = align(read_table(any_frame({"b": [2], "c": [dt.date(2020, 1, 1)], "a": [1]})), ["a", "b"])
    assert table.names == ("a", "b")
    assert table.cells("a").values.tolist() == [1]


def test_align_lists_missing_and_extra_names(any_frame):
    message = (
        "The feature names should match those that were passed during fit.\n"
        "Feature names unseen at fit time:\n- d\n"
        "Feature names seen at fit time, yet now missing:\n- a\n- c\n"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        align(read_table(any_frame({"b": [2], "d": [1]})), ["a", "b", "c"])


def test_align_by_position():
    assert align(read_table(np.eye(2)), ["x0", "x1"], named=False).names == ("x0", "x1")
    message = "X has 2 features, but MyModel is expecting 4 features as input."
    with pytest.raises(ValueError, match=message):
        align(read_table(np.eye(2)), list("abcd"), named=False, estimator="MyModel")


def test_align_warns_when_names_come_or_go(frame):
    with pytest.warns(
        UserWarning, match="X does not have valid feature names, but NLNClassifier was fitted with feature"
    ):
        assert align(read_table(np.eye(2)), ["a", "b"]).names == ("a", "b")
    with pytest.warns(UserWarning, match="X has feature names, but NLNClassifier was fitted without feature names"):
        assert align(read_table(frame({"a": [1], "b": [2]})), ["x0", "x1"], named=False).names == ("x0", "x1")


@given(
    st.lists(st.tuples(st.sampled_from(["blue", "red", "green", None]), st.sampled_from([0.5, 1.5, None])), min_size=1),
    st.permutations(["colour", "age", "more"]),
)
def test_reading_does_not_depend_on_the_order_of_columns(rows, order):
    data = {"colour": [row[0] for row in rows], "age": [row[1] for row in rows], "more": list(range(len(rows)))}
    schema = schema_of(COLOUR, AGE)
    expected = read_columns(read_table(pl.DataFrame(data)), schema)
    for library in (pd.DataFrame, pl.DataFrame, pa.table):
        table = align(read_table(library({name: data[name] for name in order})), schema.names)
        for name, column in read_columns(table, schema).items():
            np.testing.assert_array_equal(column, expected[name])
