from __future__ import annotations

import gzip

import numpy as np
import pytest

from nln.rules import Feature, Schema, Target
from nln.tables.csvfile import read_csv

SCHEMA = Schema(
    (
        Feature("x", "continuous"),
        Feature("albumin", "categorical", (0, 1, 2.5)),
        Feature("code", "categorical", ("1", "a, b")),
        Feature("smokes", "binary", (False, True)),
    ),
    Target("class", "binary", ("no", "yes")),
)
TEXT = 'more,x,albumin,code,smokes,class\n?,1e3,1,1,True,yes\n?,,2.50,"a, b",false,no\n?,nan,7,1.0,1,yes\n'


@pytest.fixture
def write(tmp_path):
    def writer(text, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        data = text.encode(encoding)
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return writer


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_cells_are_read_by_the_schema(write, name, encoding):
    columns, truth = read_csv(write(TEXT, name, encoding), SCHEMA)
    np.testing.assert_array_equal(columns["x"], [1000, np.nan, np.nan])
    assert columns["albumin"].tolist() == [1, 2, -2]
    assert columns["code"].tolist() == [0, 1, -2]
    assert columns["smokes"].tolist() == [1, 0, 1]
    assert truth.ravel().tolist() == [True, False, True]


def test_another_column_can_be_the_target(write):
    text = "x,albumin,code,smokes,outcome\n1,0,1,0,yes\n"
    assert read_csv(write(text), SCHEMA, "outcome")[1].tolist() == [[True]]


def test_labels_have_a_column_each(write):
    schema = Schema((Feature("x", "continuous"),), Target("labels", "multilabel", ("a", "b")))
    columns, truth = read_csv(write("a,x,b\n1,2,0\n0,3,true\n"), schema)
    assert truth.tolist() == [[True, False], [False, True]] and columns["x"].tolist() == [2, 3]
    with pytest.raises(ValueError, match="Column 'b' holds '2' in row 0; a label holds 0 or 1"):
        read_csv(write("a,x,b\n1,2,2\n"), schema)
    with pytest.raises(ValueError, match="give no target column"):
        read_csv(write("a,x,b\n1,2,0\n"), schema, "a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x,class\n1,yes\n", "has no column 'albumin'; its columns: 'x', 'class'"),
        (TEXT.replace("1e3", "1,5"), "has 7 cells in row 0, but 6 columns"),
        (TEXT.replace("1e3", "much"), "Column 'x' is continuous, but row 0 holds 'much'"),
        (TEXT.replace("no\n", "\n"), "Column 'class' holds '' in row 1; known classes: 'no', 'yes'"),
        (TEXT.splitlines()[0], "has no rows below its header"),
        ("", "has no rows below its header"),
        ("x,x\n1,2\n", "names the column 'x' twice"),
    ],
)
def test_what_does_not_fit_is_named(write, text, expected):
    with pytest.raises(ValueError, match=expected):
        read_csv(write(text), SCHEMA)


def test_another_encoding_is_named(write):
    with pytest.raises(ValueError, match="is not UTF-8 text: byte 5"):
        read_csv(write("class\xe4", encoding="latin-1"), SCHEMA)
