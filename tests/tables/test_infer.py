import re
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.rules.columns import read_columns
from nln.rules.schema import Feature, Schema, Target
from nln.tables.frames import Table, read_table
from nln.tables.infer import infer_features


def infer_one(X, feature_types=None):
    (feature,), columns = infer_features(read_table(X), feature_types)
    return feature, columns[feature.name]


@pytest.mark.parametrize(
    ("values", "kind", "known"),
    [
        ([True, False, True], "binary", (False, True)),
        ([True, False, None], "categorical", (False, True)),
        (["b", "a", "b"], "binary", ("a", "b")),
        (["b", "a", None], "categorical", ("a", "b")),
        (["b", "a", "c"], "categorical", ("a", "b", "c")),
        ([0, 1, 1], "binary", (0, 1)),
        ([7, 3, 3], "binary", (3, 7)),
        ([7, 3, None], "categorical", (3, 7)),
        ([0.0, 1.0, 1.0], "binary", (0, 1)),
        ([0.0, 1.0, None], "categorical", (0, 1)),
        ([3.0, 7.0, 7.0], "binary", (3, 7)),
        ([0.5, 1.5, 0.5], "continuous", ()),
        ([0.5, 1.5, None], "continuous", ()),
    ],
)
def test_kinds(any_frame, values, kind, known):
    feature, _ = infer_one(any_frame({"x": values}))
    assert feature == Feature("x", kind, known)
    assert [type(value) for value in feature.values] == [type(value) for value in known]
    as_objects, _ = infer_one(np.array([[value] for value in values], dtype=object))
    assert as_objects == Feature("x0", kind, known)


@pytest.mark.parametrize(
    ("values", "whole", "ends"),
    [([7, 3, 4], True, (3, 7)), ([7.0, -3.0, None, 4.0], True, (-3, 7)), ([7, 3, 4.5], False, (3, 7))],
)
def test_numbers_have_a_range_and_may_all_be_whole(any_frame, values, whole, ends):
    feature, _ = infer_one(any_frame({"x": values}))
    assert (feature, feature.range) == (Feature("x", "continuous", whole=whole), ends)


def test_numbers_too_large_to_be_told_apart_are_not_whole():
    feature, _ = infer_one(np.array([[1.0], [2.0], [1e16]]))
    assert not feature.whole


SAME_NUMBERS = {
    "pandas int": lambda x: pd.DataFrame({"x": pd.Series(x, dtype="Int64" if None in x else "int64")}),
    "pandas small int": lambda x: pd.DataFrame({"x": pd.Series(x, dtype="Int8" if None in x else "int8")}),
    "pandas float": lambda x: pd.DataFrame({"x": pd.Series(x, dtype="float64")}),
    "pandas small float": lambda x: pd.DataFrame({"x": pd.Series(x, dtype="float32")}),
    "pandas nullable float": lambda x: pd.DataFrame({"x": pd.Series(x, dtype="Float64")}),
    "pandas objects": lambda x: pd.DataFrame({"x": pd.Series(x, dtype=object)}),
    "polars int": lambda x: pl.DataFrame({"x": pl.Series(x, dtype=pl.Int64)}),
    "polars float": lambda x: pl.DataFrame({"x": pl.Series(x, dtype=pl.Float64)}),
    "pyarrow int": lambda x: pa.table({"x": pa.array(x, pa.int32())}),
    "pyarrow float": lambda x: pa.table({"x": pa.array(x, pa.float64())}),
    "array": lambda x: pd.DataFrame({"x": np.array(x, np.float64)}),
}


@given(st.lists(st.integers(-3, 100), min_size=2, max_size=6).filter(lambda x: len(set(x)) > 1), st.booleans())
def test_what_a_column_is_does_not_depend_on_its_type(numbers, gaps):
    values = [*numbers, None] if gaps else numbers
    expected, column = infer_one(SAME_NUMBERS["pandas int"](values))
    for name, make in SAME_NUMBERS.items():
        feature, own = infer_one(make(values))
        assert repr(feature) == repr(expected), name
        np.testing.assert_array_equal(own, column)


def test_values_are_plain_python():
    feature, _ = infer_one(np.array([[np.int64(3)], [np.float32(7)]], dtype=object), "categorical")
    assert [type(value) for value in feature.values] == [int, int]


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_pandas_text_types(dtype):
    feature, codes = infer_one(pd.DataFrame({"x": pd.Series(["b", "a", None], dtype=dtype)}))
    assert feature == Feature("x", "categorical", ("a", "b"))
    assert codes.tolist() == [1, 0, -1]


def test_unused_categories_are_not_values():
    feature, codes = infer_one(pd.DataFrame({"x": pd.Categorical(["b", "c"], ["a", "c", "b"])}))
    assert feature == Feature("x", "binary", ("b", "c"))
    assert codes.tolist() == [0, 1]


def test_ordered_type_is_ordinal_with_all_its_values():
    X = pd.DataFrame({"size": pd.Categorical(["M", "S"], ["S", "M", "L"], ordered=True)})
    for table in (X, pa.Table.from_pandas(X)):
        feature, codes = infer_one(table)
        assert feature == Feature("size", "ordinal", ("S", "M", "L"))
        assert codes.tolist() == [1, 0]


def test_enum_is_categorical_and_ordinal_on_request():
    X = pl.DataFrame({"size": pl.Series(["M", "S", "S"], dtype=pl.Enum(["S", "M", "L"]))})
    assert infer_one(X)[0] == Feature("size", "binary", ("M", "S"))
    assert infer_one(X, {"size": "ordinal"})[0] == Feature("size", "ordinal", ("S", "M", "L"))


def test_mixed_objects_are_categories_numbers_first():
    feature, codes = infer_one(np.array([["b"], [2.0], ["a"], [0.5], [True], [None]], dtype=object))
    assert feature == Feature("x0", "categorical", (0.5, 1, 2, "a", "b"))
    assert [type(value) for value in feature.values[:3]] == [float, int, int]
    assert codes.tolist() == [4, 2, 3, 0, 1, -1]


def test_decimals_are_continuous(frame):
    feature, numbers = infer_one(frame({"x": [Decimal("0.5"), Decimal("1.5"), Decimal("2.5")]}))
    assert feature.kind == "continuous"
    assert numbers.tolist() == [0.5, 1.5, 2.5]


def test_number_categories_are_categories():
    feature, codes = infer_one(pd.DataFrame({"x": pd.Categorical([3.0, 1.0, 2.0])}))
    assert feature == Feature("x", "categorical", (1, 2, 3))
    assert codes.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("values", "wish", "expected"),
    [
        ([3, 1, 2], "categorical", Feature("x", "categorical", (1, 2, 3))),
        ([3.5, 1.0, 2.0], "categorical", Feature("x", "categorical", (1, 2, 3.5))),
        ([3, 1, 2], "ordinal", Feature("x", "ordinal", (1, 2, 3))),
        (["b", "a", "c"], "ordinal", Feature("x", "ordinal", ("a", "b", "c"))),
        ([0, 1, 1], "continuous", Feature("x", "continuous", whole=True)),
        ([True, False, None], "continuous", Feature("x", "continuous", whole=True)),
        ([3.5, 1.5, 3.5], "binary", Feature("x", "binary", (1.5, 3.5))),
        ([3.5, 1.5, None], "binary", Feature("x", "categorical", (1.5, 3.5))),
        (["S", "L", "M"], ["S", "M", "L"], Feature("x", "ordinal", ("S", "M", "L"))),
        (["S", "L", None], ("S", "M", "L"), Feature("x", "ordinal", ("S", "M", "L"))),
        ([3, 1, 2], np.array([2, 1, 3]), Feature("x", "ordinal", (2, 1, 3))),
    ],
)
def test_feature_types(any_frame, values, wish, expected):
    feature, _ = infer_one(any_frame({"x": values}), {"x": wish})
    assert feature == expected


def test_one_kind_for_all_columns(frame):
    features, _ = infer_features(read_table(frame({"a": [1, 2, 3], "b": ["u", "v", "w"]})), "categorical")
    assert [feature.kind for feature in features] == ["categorical", "categorical"]


@pytest.mark.parametrize(
    ("values", "feature_types", "message"),
    [
        ([1, 2], {"blod": "binary"}, "feature_types names 'blod', but X has no such column. Did you mean 'blood'?"),
        ([1, 2], {0: "binary"}, "feature_types names 0, but X has no such column. Did you mean 'blood'?"),
        ([1, 2], {"blood": "nominal"}, "feature_types says 'nominal' for column 'blood'; allowed: 'binary', 'categ"),
        ([1, 2], {"blood": 3}, "feature_types says 3 for column 'blood'; allowed: 'binary'"),
        ([1, 2], {"blood": [1, 1, 2]}, "feature_types says [1, 1, 2] for column 'blood'; allowed: 'binary'"),
        ([1, 2], {"blood": []}, "feature_types says [] for column 'blood'; allowed: 'binary'"),
        ([1, 2], "nominal", "feature_types says 'nominal' for all columns; allowed: 'binary'"),
        (["1", "u"], {"blood": "continuous"}, "Column 'blood' is continuous, but row 1 holds 'u'"),
        ([1, 2, 3], {"blood": "binary"}, "Column 'blood' cannot be binary: it has 3 different values (1, 2, 3)."),
        (
            ["u", "v"],
            {"blood": ["u", "w"]},
            "Column 'blood' has values that its list in feature_types leaves out: 'v'.",
        ),
    ],
)
def test_impossible_feature_types(frame, values, feature_types, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        infer_features(read_table(frame({"blood": values})), feature_types)


def test_feature_types_of_another_type(frame):
    with pytest.raises(TypeError, match=r"feature_types must be a kind for all columns or a mapping.*not list"):
        infer_features(read_table(frame({"a": [1, 2]})), ["binary"])


def test_constant_and_missing_columns_are_ignored(any_frame):
    X = any_frame({"a": [1, 1, None], "b": [None, None, None], "c": ["u", "u", "u"], "d": [1, 2, 3], "e": [True] * 3})
    message = "Columns without two different values tell nothing and are ignored: 'a', 'b', 'c', 'e'."
    with pytest.warns(UserWarning, match=message) as caught:
        features, columns = infer_features(read_table(X))
    assert len(caught) == 1
    assert [feature.name for feature in features] == list(columns) == ["d"]


def test_nothing_to_learn_from(frame):
    with pytest.warns(UserWarning, match="ignored: 'a'"):
        assert infer_features(read_table(frame({"a": [1, 1]}))) == ((), {})


def test_long_lists_of_ignored_columns_are_cut():
    with pytest.warns(UserWarning, match="'x0', .* 'x19' and 5 more"):
        infer_features(read_table(np.ones((3, 25))))


def test_infinite_numbers(any_frame):
    with pytest.raises(ValueError, match=re.escape("Column 'a' has 2 infinite values (first at row 1).")):
        infer_features(read_table(any_frame({"a": [0.5, np.inf, -np.inf]})))


def test_rows_left_out_do_not_matter(any_frame):
    table = read_table(any_frame({"a": ["u", "v", "w"], "b": [0.5, 1.5, np.inf]})).take(np.array([True, True, False]))
    features, columns = infer_features(table)
    assert features == (Feature("a", "binary", ("u", "v")), Feature("b", "continuous"))
    assert columns["b"].tolist() == [0.5, 1.5]


CELLS = {
    "text": st.sampled_from(["a", "b", "c", "", None]),
    "flag": st.sampled_from([True, False, None]),
    "whole": st.sampled_from([0, 1, 5, -3, None]),
    "real": st.sampled_from([0.0, -0.0, 1.0, 0.25, 1e300, None]),
}


@st.composite
def data_sets(draw):
    n_rows = draw(st.integers(1, 8))
    return {name: draw(st.lists(cell, min_size=n_rows, max_size=n_rows)) for name, cell in CELLS.items()}


@given(data_sets())
def test_libraries_agree(data):
    rows = list(zip(*data.values(), strict=True))
    tables = [
        read_table(pd.DataFrame(data)),
        read_table(pl.DataFrame(data)),
        read_table(pa.table(data)),
        read_table(pd.DataFrame(data).convert_dtypes()),
        Table(tuple(data), tuple(np.array([*rows, [None] * 4], dtype=object)[:-1].T), len(rows), named=True),
    ]
    with warnings.catch_warnings(action="ignore"):
        (features, columns), *others = [infer_features(table) for table in tables]
    schema = Schema(features, Target("class", "binary", (0, 1)))
    for table, (other_features, other_columns) in zip(tables[1:], others, strict=True):
        assert [repr(feature) for feature in other_features] == [repr(feature) for feature in features]
        again = read_columns(table, schema)
        for name, column in columns.items():
            np.testing.assert_array_equal(other_columns[name], column, strict=True)
            np.testing.assert_array_equal(again[name], column, strict=True)


@given(data_sets(), data_sets())
def test_new_rows_read_as_without_a_table_library(data, new):
    with warnings.catch_warnings(action="ignore"):
        features, _ = infer_features(read_table(pl.DataFrame(data)))
    schema = Schema(features, Target("class", "binary", (0, 1)))
    expected = read_columns(new, schema)
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        for name, column in read_columns(frame(new), schema).items():
            np.testing.assert_array_equal(column, expected[name], strict=True)
