import re

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix

from nln.tables.frames import read_table


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
