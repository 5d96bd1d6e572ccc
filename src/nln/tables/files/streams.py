"""The bytes of a table file: opened from a path or standard input, decompressed, and text as UTF-8."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from pathlib import Path
from typing import Any, BinaryIO, cast

HEAD = 1 << 18
"""Bytes of the beginning of a file that its format and separator are found from."""

_GZIP = b"\x1f\x8b"
_MARKS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class Stream(io.RawIOBase):
    """Bytes whose beginning can be looked at before they are read; `name` is what messages call them."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._below: Stream | None = None
        self.name = name
        self._ahead = b""

    def peek(self, size: int = HEAD) -> bytes:
        """Return the next bytes, fewer than asked for only at the end."""
        while len(self._ahead) < size and (more := self._next(size - len(self._ahead))):
            self._ahead += more
        return self._ahead[:size]

    def read(self, size: int = -1) -> bytes:
        """Read `size` bytes, or all; fewer only at the end."""
        if size is None or size < 0:
            pieces = [self._ahead, *iter(lambda: self._next(HEAD), b"")]
            self._ahead = b""
            return b"".join(pieces)
        found = self.peek(size)
        self._ahead = self._ahead[len(found) :]
        return found

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, and return the number of bytes read."""
        found = self.read(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def drop(self, size: int) -> None:
        """Leave out bytes that were looked at."""
        self._ahead = self._ahead[size:]

    def seekable_file(self) -> BinaryIO | None:
        """Return the file itself if it can be read in any order, from its beginning; None if it cannot."""
        if isinstance(self._file, io.BufferedReader) and self._file.seekable():
            self._file.seek(0)
            return self._file
        return None

    def readable(self) -> bool:
        """Tell that the stream can be read."""
        return True

    def close(self) -> None:
        """Close the file as well, but never standard input."""
        if self._file is not getattr(sys.stdin, "buffer", None):
            self._file.close()
        if self._below is not None:
            self._below.close()
        super().close()

    def _next(self, size: int) -> bytes:
        try:
            return self._file.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{self.name} is not a complete gzip file: {error}.") from None
        except OSError as error:
            raise ValueError(f"{self.name} cannot be read: {error.strerror}.") from None


class TextStream(Stream):
    """The text of a file as UTF-8, whatever it was written in, with a line end after its last line.

    Text without a mark is UTF-8. If its first byte beyond ASCII is not UTF-8, all of it is read as Windows-1252, which
    is what spreadsheets write on many machines; `encoding` says so afterwards.
    """

    def __init__(self, source: Stream) -> None:
        super().__init__(cast(BinaryIO, source), source.name)
        self.quotes = 0
        begin = source.peek(3)
        mark = next((mark for mark in _MARKS if begin.startswith(mark)), b"")
        source.drop(len(mark))
        self.encoding = _MARKS.get(mark, "utf-8")
        self._decoder = codecs.getincrementaldecoder(self.encoding)()
        self._place, self._ascii, self._ended, self._last = len(mark), True, False, b"\n"

    def close(self) -> None:
        """Close this view alone: whoever opened the source closes it."""
        io.RawIOBase.close(self)

    def _next(self, size: int) -> bytes:
        while not self._ended:
            data = super()._next(max(size, 1024))
            self._ended = not data
            text = self._decode(data).encode()
            if self._ended and (text or self._last)[-1:] != b"\n":
                text += b"\n"
            if text:
                self._last = text[-1:]
                self.quotes += text.count(b'"')
                return text
        return b""

    def _decode(self, data: bytes) -> str:
        try:
            text = self._decoder.decode(data, self._ended)
        except UnicodeDecodeError as error:
            whole = error.object  # with what the decoder had held back
            if self.encoding != "utf-8" or not self._ascii or not whole[: error.start].isascii():
                byte = self._place - (len(whole) - len(data)) + error.start
                raise ValueError(
                    f"{self.name} is not {self.encoding.upper()} text: byte {byte} is wrong. Save it as UTF-8."
                ) from None
            self.encoding = "cp1252"
            self._decoder = codecs.getincrementaldecoder("cp1252")(errors="replace")
            text = self._decoder.decode(whole, self._ended)
        self._place += len(data)
        self._ascii = self._ascii and text.isascii()
        if "\0" in text:
            raise ValueError(f"{self.name} is not a text file: it holds zero bytes. {FORMATS_HINT}")
        return text


FORMATS_HINT = "Give a CSV, TSV, Parquet, Arrow or JSON lines file."


def open_bytes(path: Path) -> Stream:
    """Open a file, or standard input for `-`, and decompress it if it is compressed by gzip."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder. {FORMATS_HINT}")
    if str(path) == "-" and sys.stdin is None:
        raise ValueError(f"Standard input is closed. {FORMATS_HINT}")
    try:
        file = sys.stdin.buffer if str(path) == "-" else open(path, "rb")  # noqa: SIM115 - the stream closes it
    except FileNotFoundError:
        raise ValueError(f"There is no file {path}. {FORMATS_HINT}") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from None
    name = "standard input" if str(path) == "-" else str(path)
    stream = Stream(cast(BinaryIO, file), name)
    if stream.peek(2) == _GZIP:
        unpacked = Stream(cast(BinaryIO, gzip.GzipFile(fileobj=stream, mode="rb")), name)
        unpacked._below = stream  # GzipFile does not close what it reads from
        return unpacked
    return stream
