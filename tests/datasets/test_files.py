import gzip

import narwhals as nw
import pytest

from nln.datasets._files import read_table

DTYPES = {"grade": nw.String, "flag": nw.Int64, "size": nw.Float64, "name": nw.String}
TEXT = "name,size,flag,grade,extra\nNA,1,0,1.020,x\n,2.5,1,,x\nnull,,1,007,x\n"


@pytest.fixture(params=["table.csv", "table.csv.gz"])
def path(request, tmp_path):
    file = tmp_path / request.param
    with (gzip.open if file.suffix == ".gz" else open)(file, "wt", encoding="utf-8") as stream:
        stream.write(TEXT)
    return file


def test_columns_come_in_the_order_and_types_asked_for(path, backend):
    frame = read_table(path, DTYPES, backend)
    assert dict(frame.schema) == DTYPES
    assert list(frame.columns) == list(DTYPES)


def test_digits_stay_as_written_and_only_empty_cells_are_missing(path, backend):
    frame = read_table(path, DTYPES, backend)
    assert frame["grade"].is_null().to_list() == [False, True, False]
    assert [frame["grade"][0], frame["grade"][2]] == ["1.020", "007"]
    assert frame["name"].is_null().to_list() == [False, True, False]
    assert [frame["name"][0], frame["name"][2]] == ["NA", "null"]
    assert frame["size"].is_null().to_list() == [False, False, True]


def test_a_file_without_header_takes_the_names_given(tmp_path, backend):
    file = tmp_path / "original.txt"
    file.write_text("01,7,x\n02,8,y\n")
    frame = read_table(file, {"count": nw.Float64, "code": nw.String}, backend, names=("code", "count", "rest"))
    assert frame.rows() == [(7.0, "01"), (8.0, "02")]


def test_a_lacking_column_is_named_with_the_file(path, backend):
    with pytest.raises(ValueError, match=r"table\.csv.* lacks the columns 'weight', 'age'"):
        read_table(path, {**DTYPES, "weight": nw.Float64, "age": nw.String}, backend)
