import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import DataConversionWarning

from nln.rules.schema import Target
from nln.tables.target import read_target

SERIES = {
    "pandas": lambda values: pd.Series(values, name="outcome"),
    "polars": lambda values: pl.Series("outcome", values),
    "pyarrow": lambda values: pa.chunked_array([values]),
    "array": np.array,
    "objects": lambda values: np.array(values, dtype=object),
    "list": list,
}


@pytest.fixture(params=list(SERIES))
def series(request):
    return SERIES[request.param]


@pytest.mark.parametrize("labels", [("no", "yes"), (False, True), (0, 1), (-1, 1), (2, 10)])
def test_two_classes(series, labels):
    low, high = labels
    target, outputs, classes = read_target(series([high, low, high]))
    assert (target.kind, target.labels) == ("binary", labels)
    assert [type(label) for label in target.labels] == [type(label) for label in labels]
    assert outputs.tolist() == [[1.0], [0.0], [1.0]]
    assert outputs.dtype == np.float64
    assert classes.tolist() == list(labels)


@pytest.mark.parametrize("labels", [("a", "b", "c"), (1, 2, 3)])
def test_several_classes(series, labels):
    target, outputs, classes = read_target(series([labels[2], labels[0], labels[1], labels[0]]))
    assert (target.kind, target.labels) == ("multiclass", labels)
    assert outputs.tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert classes.tolist() == list(labels)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float32, "U3", object])
def test_classes_keep_their_type(dtype):
    y = np.array([0, 1, 1]).astype(dtype) if dtype is not object else np.array(["a", "b", "b"], dtype=object)
    classes = read_target(y).classes
    assert classes.dtype == y.dtype
    np.testing.assert_array_equal(classes, np.unique(y))


def test_whole_floats_are_integer_labels():
    target, _, classes = read_target([1.0, 2.0, 1.0])
    assert [(label, type(label)) for label in target.labels] == [(1, int), (2, int)]
    assert classes.dtype == np.float64


@pytest.mark.parametrize("dtype", ["category", "string", object, "string[pyarrow]"])
def test_pandas_text_types(dtype):
    target, outputs, classes = read_target(pd.Series(["b", "a", "b"], dtype=dtype))
    assert target == Target("class", "binary", ("a", "b"))
    assert outputs.ravel().tolist() == [1, 0, 1]
    assert classes.tolist() == ["a", "b"]


def test_unused_categories_are_no_classes():
    y = pd.Series(pd.Categorical([3, 1, 3], categories=[1, 2, 3]))
    target, outputs, classes = read_target(y)
    assert target.labels == (1, 3)
    assert outputs.ravel().tolist() == [1, 0, 1]
    assert classes.tolist() == [1, 3]


def test_polars_categories():
    assert read_target(pl.Series("y", ["b", "a"], dtype=pl.Enum(["b", "a"]))).target.labels == ("a", "b")


def test_name():
    assert read_target(pd.Series([0, 1], name="ill")).target.name == "ill"
    assert read_target(pl.Series([0, 1])).target.name == "class"
    assert read_target(pd.Series([0, 1], name=3)).target.name == "class"
    assert read_target([0, 1]).target.name == "class"
    assert read_target(pd.Series([0, 1], name="ill"), name="sick").target.name == "sick"


def test_one_row_of_a_class_is_enough():
    assert read_target(["a", "b", "c"]).outputs.sum(axis=0).tolist() == [1, 1, 1]


@pytest.mark.parametrize("values", [[1, None, None], ["a", None, None]])
def test_missing_values(series, values):
    with pytest.raises(ValueError, match=r"has 2 missing values \(first at row 1\). Drop these rows or label them."):
        read_target(series(values))


def test_one_missing_value():
    with pytest.raises(ValueError, match=re.escape("The target 'class' has 1 missing value (at row 0).")):
        read_target([np.nan, 1.0])


@pytest.mark.parametrize("values", [[1, 1, 1], ["a", "a"], [True]])
def test_one_class(series, values):
    with pytest.raises(ValueError, match=f"has 1 class, {values[0]!r}, .* at least 2 classes"):
        read_target(series(values))


@pytest.mark.parametrize("values", [[0.5, 1.5], [0.0, 1.0, 2.5], [1.0, np.inf]])
def test_continuous_target(series, values):
    with pytest.raises(ValueError, match=r"^Unknown label type: continuous.*first at row"):
        read_target(series(values))


def test_mixed_labels():
    with pytest.raises(ValueError, match=r"The target 'class' mixes text and numbers as labels: \(1, 'a'\)"):
        read_target(["a", 1])


def test_lengths_differ(series):
    message = "Found input variables with inconsistent numbers of samples: [10, 9]"
    with pytest.raises(ValueError, match=re.escape(message)):
        read_target(series([0, 1, 1] * 3), 10)


def test_empty_target(series):
    with pytest.raises(ValueError, match=re.escape("Found array with 0 sample(s) (shape=(0,))")):
        read_target(pd.Series([], dtype=object) if series is SERIES["pyarrow"] else series([]))


def test_sparse_labels():
    with pytest.raises(TypeError, match=r"y is a sparse matrix.*Use y\.toarray\(\)"):
        read_target(csr_matrix(np.eye(2)))


@pytest.mark.parametrize("y", [1, "yes"])
def test_scalar_target(y):
    with pytest.raises(ValueError, match=r"got scalar array instead.*but y is of type (int|str)"):
        read_target(y)


def test_no_target():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        read_target(None)


def test_labels_of_a_frame(any_frame):
    target, outputs, classes = read_target(any_frame({"wet": [1, 0, 1], "cold": [False, True, True]}), 3)
    assert target == Target("class", "multilabel", ("wet", "cold"))
    assert outputs.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert classes.tolist() == ["wet", "cold"]


@pytest.mark.parametrize(
    "y", [np.eye(3), np.eye(3, dtype=bool), np.eye(3, dtype=int).tolist(), np.eye(3, dtype=object)]
)
def test_labels_of_an_array(y):
    target, outputs, _ = read_target(y)
    assert target.labels == ("y0", "y1", "y2")
    np.testing.assert_array_equal(outputs, np.eye(3))


@pytest.mark.parametrize("values", [[1, 2], [0.5, 1.0], ["0", "1"]])
def test_labels_are_zeros_and_ones(any_frame, values):
    with pytest.raises(ValueError, match=r"^Unknown label type: multiclass-multioutput.*column 'b' has"):
        read_target(any_frame({"a": [0, 1], "b": values}))


def test_missing_labels(any_frame):
    with pytest.raises(ValueError, match=re.escape("The target 'b' has 1 missing value (at row 1).")):
        read_target(any_frame({"a": [0, 1], "b": [1, None]}))


def test_labels_of_all_or_no_rows(any_frame):
    with pytest.warns(
        UserWarning, match="all rows or no rows have cannot be learned: 'b', 'c'. .* leave these columns out"
    ):
        read_target(any_frame({"a": [0, 1], "b": [1, 1], "c": [0, 0]}))


def test_label_rows_differ():
    with pytest.raises(ValueError, match=re.escape("inconsistent numbers of samples: [4, 3]")):
        read_target(np.eye(3), 4)


def test_column_vector_is_one_column(any_frame):
    for y, name in ((np.array([["a"], ["b"]]), "class"), (any_frame({"ill": ["a", "b"]}), "ill")):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array was expected"):
            target, outputs, _ = read_target(y)
        assert target == Target(name, "binary", ("a", "b"))
        assert outputs.tolist() == [[0], [1]]
