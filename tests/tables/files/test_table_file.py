"""Table files: the same table from every format, read whole and by a schema."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from nln.rules import Feature, Schema, Target, read_columns
from nln.tables.files import formats
from nln.tables.files.table_file import TableFile

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
TYPED = {
    "x": [1.5, None, 3.0],
    "colour": ["red", None, "light blue"],
    "count": [1, 2, None],
    "smokes": [True, False, None],
    "class": ["yes", "no", "yes"],
}


@pytest.fixture
def write(tmp_path):
    def writer(text, name="data.csv", encoding="utf-8"):
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode(encoding)
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return writer


def as_bytes(kind):
    """The table of `TYPED` in a format."""
    table, file = pa.table(TYPED), io.BytesIO()
    if kind == "parquet":
        pyarrow.parquet.write_table(table, file)
    elif kind == "feather":
        pyarrow.feather.write_feather(table, file)
    elif kind == "arrow":
        with pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    elif kind == "jsonl":
        rows = [{key: cell for key, cell in row.items() if cell is not None} for row in table.to_pylist()]
        file.write("\n\n".join(map(json.dumps, rows)).encode())
    else:
        separator = {"csv": ",", "tsv": "\t"}[kind]
        file.write(pd.DataFrame(TYPED).to_csv(sep=separator, index=False).encode())
    return file.getvalue()


KINDS = ("csv", "tsv", "parquet", "feather", "arrow", "jsonl")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_every_format_gives_the_same_table(write, kind, packed):
    table = TableFile(write(as_bytes(kind), f"data.{kind}{packed}")).read()
    assert table.to_pydict() == TYPED


@pytest.mark.parametrize("kind", KINDS)
def test_standard_input_tells_its_format(monkeypatch, write, kind):
    with open(write(as_bytes(kind), "data"), "rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        table = TableFile(Path("-")).read()
    assert table.to_pydict() == TYPED


@pytest.mark.parametrize("kind", KINDS)
def test_every_format_is_read_by_a_schema(write, kind):
    schema = Schema(
        (
            Feature("x", "continuous"),
            Feature("colour", "categorical", ("red",)),
            Feature("count", "categorical", (1, 2)),
            Feature("smokes", "categorical", (False, True)),
        ),
        Target("class", "binary", ("no", "yes")),
    )
    rows = TableFile(write(as_bytes(kind), f"data.{kind}")).rows(schema)
    columns = read_columns(rows.X, schema)
    np.testing.assert_array_equal(columns["x"], [1.5, np.nan, 3])
    assert columns["colour"].tolist() == [0, -1, -2]
    assert columns["count"].tolist() == [0, 1, -1]
    assert columns["smokes"].tolist() == [1, 0, -1]
    assert rows.y.tolist() == ["yes", "no", "yes"]


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_read_by_the_schema(write, name, encoding):
    rows = TableFile(write(TEXT, name, encoding)).rows(SCHEMA)
    columns = read_columns(rows.X, SCHEMA)
    np.testing.assert_array_equal(columns["x"], [1000, np.nan, np.nan])
    assert columns["albumin"].tolist() == [1, 2, -2]
    assert columns["code"].tolist() == [0, 1, -2]
    assert columns["smokes"].tolist() == [1, 0, 1]
    assert rows.y.tolist() == ["yes", "no", "yes"]


def test_another_column_can_be_the_target(write):
    text = "x,albumin,code,smokes,outcome\n1,0,1,0,yes\n"
    assert TableFile(write(text)).rows(SCHEMA, target="outcome").y.tolist() == ["yes"]


def test_labels_have_a_column_each(write):
    schema = Schema((Feature("x", "continuous"),), Target("labels", "multilabel", ("a", "b")))
    rows = TableFile(write("a,x,b\n1,2,0\n0,3,true\n")).rows(schema)
    assert rows.y.tolist() == [[1, 0], [0, 1]] and rows.X["x"].values.tolist() == [2, 3]
    with pytest.raises(ValueError, match="Column 'b' holds 2 in row 0; a label holds 0 or 1"):
        TableFile(write("a,x,b\n1,2,2\n")).rows(schema)
    with pytest.raises(ValueError, match="give no target column"):
        TableFile(write("a,x,b\n1,2,0\n")).rows(schema, target="a")


def test_rows_without_a_class_are_left_out_with_a_note(write):
    table = TableFile(write("x,class\n1,yes\n2,\n3,NA\n4,no\n"))
    rows = table.rows(Schema(SCHEMA.features[:1], SCHEMA.target))
    assert (rows.rows.tolist(), rows.X["x"].values.tolist(), rows.y.tolist()) == ([0, 3], [1, 4], ["yes", "no"])
    assert table.notes == ["2 rows have no value of the target and are left out."]
    with pytest.raises(ValueError, match="no row with a value of the target"):
        TableFile(write("x,class\n1,\n")).rows(Schema(SCHEMA.features[:1], SCHEMA.target))


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_chunks_count_the_rows_of_the_whole_file(monkeypatch, write, kind):
    monkeypatch.setattr(formats, "BATCH", 10)
    monkeypatch.setattr(formats, "_BLOCK", 100)
    schema = Schema(SCHEMA.features[:1], SCHEMA.target)
    cells = [str(number) for number in range(300)]
    lines = {"csv": ["x", *cells], "jsonl": [f'{{"x": {cell}}}' for cell in cells]}[kind]
    chunks = list(TableFile(write("\n".join(lines), f"data.{kind}")).chunks(schema))
    assert len(chunks) > 3
    assert np.concatenate([chunk.rows for chunk in chunks]).tolist() == list(range(300))
    assert np.concatenate([chunk.X["x"].values for chunk in chunks]).tolist() == list(range(300))
    if kind == "csv":
        lines[251] = "much"
        with pytest.raises(ValueError, match="row 250 holds 'much'"):
            list(TableFile(write("\n".join(lines))).chunks(schema))


def test_an_error_in_a_later_chunk_says_where_the_chunk_begins(monkeypatch, write):
    monkeypatch.setattr(formats, "BATCH", 10)
    schema = Schema((Feature("p", "probability"),), SCHEMA.target)
    lines = [f'{{"p": {2 if row == 17 else 0.5}}}' for row in range(30)]
    first, second, _ = TableFile(write("\n".join(lines), "data.jsonl")).chunks(schema)
    assert first.columns(schema)["p"].tolist() == [0.5] * 10
    with pytest.raises(ValueError, match=r"first 2.0 at row 7.*Here row 0 is row 10 of the file"):
        second.columns(schema)


def test_a_long_file_is_read_piece_by_piece(monkeypatch, write):
    monkeypatch.setattr(formats, "_BLOCK", 1 << 14)
    path = write("x\n" + "1234567\n" * 500_000)
    with open(path, "rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        chunks = TableFile(Path("-")).chunks(Schema(SCHEMA.features[:1], SCHEMA.target))
        assert len(next(chunks).rows) < 10_000
        assert file.tell() < path.stat().st_size / 2
        chunks.close()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x,class\n1,yes\n", "has no column 'albumin'. Its columns: 'x', 'class'"),
        ("xx,albumn,code,smokes,class\n1,1,1,1,yes\n", "has no column 'x'. Did you mean 'xx'"),
        (TEXT.replace("1e3", "1,5"), "has 7 cells in row 0 .line 2 of the table., but 6 columns"),
        (TEXT.replace("1e3", "much"), "Column 'x' is continuous, but row 0 holds 'much'"),
        (TEXT.replace("yes", "maybe"), "Column 'class' holds 'maybe' in row 0; known classes: 'no', 'yes'"),
        (TEXT.splitlines()[0], "has no rows below its header"),
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("x,x\n1,2\n", "names two columns 'x' .the 1st and the 2nd."),
        ("1.5,2,red\n2.5,3,blue\n", "has no header: its first row holds the number '1.5'"),
        ("1,2\n2,3\n", "has no header"),
        ("x,y\n1,\0\n", "holds zero bytes"),
    ],
)
def test_what_does_not_fit_is_named(write, text, expected):
    path = write(text)
    with pytest.raises(ValueError, match=expected) as caught:
        TableFile(path).rows(SCHEMA)
    assert str(path) in str(caught.value) or "Column" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("a.parquet", b"PAR1 and more", "is not a Parquet file"),
        ("a.arrow", b"more", "is not an Arrow file"),
        ("a.jsonl", b'{"a": 1}\n{"a": ', "line 2 is not JSON"),
        ("a.jsonl", b'[{"a": 1}]', "a JSON list in line 1"),
        ("a.jsonl", b'{"a": 1}\n{"a": "b"}', "holds text in column 'a', row 1"),
        ("a.jsonl", b'{"a": [1]}', "holds a list or object in column 'a', row 0"),
        ("a.jsonl", b"", "is empty"),
        ("a.csv", b'x,y\n1,"open\n2,3\n', "never closed"),
        ("a.csv", gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-9], "not a complete gzip file"),
        ("a.csv", "größe\n".encode() + b"\xe4\n", "is not UTF-8 text: byte 8"),
        ("none.csv", None, "There is no file"),
    ],
)
def test_broken_files_are_named(tmp_path, name, data, expected):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(ValueError, match=expected) as caught:
        TableFile(path).read()
    assert str(path) in str(caught.value)


def test_a_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match="is a folder"):
        TableFile(tmp_path)


def test_without_pyarrow_the_extra_is_named(monkeypatch, write):
    gone = "pyarrow", "nln.tables.files.formats", "nln.tables.files.cells"
    for name in [name for name in sys.modules if name.startswith(gone)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "nln\[cli\]"'):
        TableFile(write(TEXT))


MESSY = (
    "\ufeffsep=;\r\n; age ;blood pressure;smokes\r\n1;41;12,5;Yes\r\n2; NA ;-;no\r\n3;abt. 50;13,25;?\r\n4;7;1;no\r\n"
)


def test_a_messy_file_is_tidied_with_notes(write):
    table = TableFile(write(MESSY))
    assert table.read().to_pydict() == {
        "age": ["41", None, "abt. 50", "7"],
        "blood pressure": [12.5, None, 13.25, 1.0],
        "smokes": ["Yes", "no", None, "no"],
    }
    assert table.notes[0] == "Column 1 has no name in the header and is left out."
    assert "Column 'age' is taken as text, since 1 cell is no number (first 'abt. 50' in row 2)" in table.notes[1]
    again = TableFile(write(MESSY), missing=["abt. 50", "NA", "-"]).read().to_pydict()
    assert again["age"] == [41, None, None, 7] and again["smokes"] == ["Yes", "no", "?", "no"]


@pytest.mark.parametrize("name", ["data.parquet", "data.feather"])
def test_row_names_of_pandas_are_left_out(tmp_path, name):
    table = pa.Table.from_pandas(pd.DataFrame({"x": [1, 2]}, index=["a", "b"]))
    write = pyarrow.parquet.write_table if name.endswith("parquet") else pyarrow.feather.write_feather
    write(table, tmp_path / name)
    file = TableFile(tmp_path / name)
    assert file.read().to_pydict() == {"x": [1, 2]}
    assert file.notes == ["__index_level_0__: row names that pandas wrote, which are left out."]


def test_a_name_that_occurs_twice_is_refused_in_every_format(tmp_path):
    pyarrow.parquet.write_table(pa.table([[1], [2]], names=["x", "x"]), tmp_path / "data.parquet")
    with pytest.raises(ValueError, match="names two columns 'x'"):
        TableFile(tmp_path / "data.parquet")


def test_windows_1252_is_read_with_a_note(write):
    table = TableFile(write("größe,x\ngroß,1\n", encoding="cp1252"))
    assert table.read().to_pydict() == {"größe": ["groß"], "x": [1]}
    assert "is read as Windows-1252" in table.notes[0]
