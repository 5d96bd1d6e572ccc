"""Columns of a table file that a schema does not know, read beside those that it does."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from nln.rules import Feature, Schema, Target
from nln.tables.files import formats
from nln.tables.files.table_file import TableFile
from nln.tables.frames import read_table

SCHEMA = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
CELLS = {"x": [1.5, 2.5, 3.5], "region": ["a", None, "b"], "count": [1, 2, None], "class": ["yes", None, "no"]}


@pytest.fixture(params=["csv", "parquet", "jsonl"])
def path(request, tmp_path):
    """The cells in a file of each sort."""
    path, table = tmp_path / f"data.{request.param}", pa.table(CELLS)
    if request.param == "parquet":
        pyarrow.parquet.write_table(table, path)
    elif request.param == "jsonl":
        path.write_text("\n".join(json.dumps(row) for row in table.to_pylist()))
    else:
        path.write_text("x,region,count,class\n1.5,a,1,yes\n2.5,,2,\n3.5,b,,no\n")
    return path


def test_further_columns_have_the_types_that_their_cells_tell(path):
    rows = TableFile(path).rows(SCHEMA, truth=False, further=["count", "region"])
    assert rows.X["x"].values.tolist() == CELLS["x"]
    assert rows.further.to_pydict() == {name: CELLS[name] for name in ("count", "region")}
    assert pa.types.is_integer(rows.further["count"].type)


def test_rows_without_a_class_are_left_out_of_further_columns(path):
    rows = TableFile(path).rows(SCHEMA, further=["region"])
    assert (rows.y.tolist(), rows.further.to_pydict()) == (["yes", "no"], {"region": ["a", "b"]})


def test_a_column_may_be_known_and_further(path):
    rows = TableFile(path).rows(SCHEMA, truth=False, further=["x"])
    assert rows.X["x"].values.tolist() == rows.further["x"].to_pylist() == CELLS["x"]


def test_rows_with_gaps_can_be_left_out(path):
    rows = TableFile(path).rows(SCHEMA, truth=False, further=["count", "region"]).known()
    assert (rows.rows.tolist(), rows.X["x"].values.tolist()) == ([0], [1.5])
    assert rows.further.to_pydict() == {"count": [1], "region": ["a"]}
    labelled = TableFile(path).rows(SCHEMA, further=["count"]).known()
    assert (labelled.rows.tolist(), labelled.y.tolist()) == ([0], ["yes"])


def test_all_columns_make_one_table(path):
    table = TableFile(path).rows(SCHEMA, truth=False, further=["region"]).table()
    assert (table.names, table.n_rows, table.named) == (("x", "region"), 3, True)
    assert table.cells("region").values == ("a", "b")
    np.testing.assert_array_equal(table.cells("x").values, CELLS["x"])
    assert read_table(table) is table
    alone = TableFile(path).rows(SCHEMA, truth=False).table()
    assert alone.names == ("x",)


def test_a_further_column_that_is_not_there_is_named_and_the_file_closed(path):
    with pytest.raises(ValueError, match=r"no column 'regions'\. Did you mean 'region'"):
        TableFile(path).rows(SCHEMA, truth=False, further=["regions"])


@pytest.mark.parametrize("first", [0, 150, 295])
def test_a_key_may_be_absent_from_many_lines(monkeypatch, tmp_path, first):
    monkeypatch.setattr(formats, "BATCH", 10)
    rows = [{"x": row, **({"region": "a"} if row == 0 or row >= first else {})} for row in range(300)]
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = TableFile(tmp_path / "data.jsonl").rows(SCHEMA, truth=False, further=["region"])
    assert found.further["region"].to_pylist() == [row.get("region") for row in rows]
