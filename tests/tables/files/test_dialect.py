"""Separators and headers of text files."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.tables.files.dialect import SEPARATORS, find_dialect
from nln.tables.files.formats import open_source
from nln.tables.files.streams import Stream, TextStream


def dialect(text):
    return find_dialect(TextStream(Stream(io.BytesIO(text.encode()), "data.csv")))


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb\n1,5\t2;5\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("name, first;age\nDoe, J;3\nRoe, R;4\n", ";"),
        ('"a;b",c\n"1;2",3\n', ","),
        ("a\n1,5\n", ","),
        ("one column\n1\n", ","),
        ("sep=|\na|b\n1|2\n", "|"),
        ("\n\na;b\n1;2\n", ";"),
        ("\ta\tb\n1\t2\t3\n", "\t"),
    ],
)
def test_the_separator_is_the_one_that_fits(text, separator):
    assert dialect(text).separator == separator


def test_years_are_names_but_measurements_are_not():
    assert dialect("country,2019,2020\nFR,1,2\n").names == ("country", "2019", "2020")
    with pytest.raises(ValueError, match="has no header"):
        dialect("FR,1.5,2\n")


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0\r", exclude_categories=["Cs", "Cc"]), max_size=6)


@given(
    rows=st.lists(st.lists(CELL, min_size=3, max_size=3), min_size=1, max_size=8),
    separator=st.sampled_from(sorted(SEPARATORS)),
)
def test_what_a_writer_writes_is_read_back(rows, separator):
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([["first", "second", "third"], *rows])
    source = open_source(Stream(io.BytesIO(text.getvalue().encode()), "data.csv"))
    assert source.names == ("first", "second", "third")
    assert [list(row.values()) for batch in source.batches for row in batch.to_pylist()] == rows
