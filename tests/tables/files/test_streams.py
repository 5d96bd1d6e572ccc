"""Bytes of table files: text of any encoding becomes UTF-8, in pieces of any size."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.tables.files.streams import Stream, TextStream


def pieces(stream, size):
    return b"".join(iter(lambda: stream.read(size), b""))


@given(text=st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"])), size=st.integers(1, 9))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_the_same_in_every_encoding(text, size, encoding):
    stream = TextStream(Stream(io.BytesIO(text.encode(encoding)), "data.csv"))
    assert pieces(stream, size).decode() == (text if text.endswith("\n") or not text else f"{text}\n")


@given(text=st.text("aé€ \n", max_size=4000), size=st.integers(1, 5000))
def test_windows_1252_is_seen_at_its_first_letter_beyond_ascii(text, size):
    text = f"{text}ü"  # alone at the end it is never UTF-8
    stream = TextStream(Stream(io.BytesIO(text.replace("€", "").encode("cp1252")), "data.csv"))
    assert pieces(stream, size).decode() == text.replace("€", "") + "\n"
    assert stream.encoding == "cp1252"


def test_looking_ahead_takes_nothing_away():
    stream = Stream(io.BytesIO(b"abcdef"), "data.csv")
    assert (stream.peek(2), stream.peek(4), stream.read(3), stream.read()) == (b"ab", b"abcd", b"abc", b"def")
    assert stream.read() == b"" == stream.read(5)
