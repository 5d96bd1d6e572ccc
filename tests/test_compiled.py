"""The cache of compiled code is a convenience: where it is damaged, full or without a place, functions work."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numba
import pytest
from numba.core import caching

import nln
from nln import compiled


def double(x):
    return 2 * x


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of its own, and no notes of other tests."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compiled, "_notes", {})
    return tmp_path


def notes():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled.warn_of_cache()
    return [str(warning.message) for warning in caught]


def files(folder, ending):
    return [path for path in folder.rglob(f"*{ending}")]


def test_code_is_kept_and_nothing_is_said(cache):
    assert compiled.compiled(double)(2) == 4
    again = compiled.compiled(double)
    assert again(2) == 4 and sum(again.stats.cache_hits.values()) == 1
    assert files(cache, ".nbc") and notes() == []


@pytest.mark.parametrize("ending", [".nbi", ".nbc"])
@pytest.mark.parametrize("kept", [0, 10])
def test_a_cache_file_that_was_cut_short_is_written_anew(cache, ending, kept):
    assert compiled.compiled(double)(2) == 4
    (file,) = files(cache, ending)
    file.write_bytes(file.read_bytes()[:kept])
    assert compiled.compiled(double)(2) == 4
    (said,) = notes()
    assert "cannot be read (a file is damaged) and is compiled again" in said and notes() == []
    mended = compiled.compiled(double)
    assert mended(2) == 4 and sum(mended.stats.cache_hits.values()) == 1


def test_a_full_disk_is_a_note(cache, monkeypatch):
    def full(self, path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(caching.IndexDataCacheFile, "_open_for_write", full)
    assert compiled.compiled(double)(2) == 4
    (said,) = notes()
    assert f"cannot be kept in {cache}" in said and "No space left on device" in said and "NUMBA_CACHE_DIR" in said


def test_without_a_place_for_the_cache_functions_are_compiled_all_the_same(cache, monkeypatch):
    monkeypatch.setattr(caching.CompileResultCacheImpl, "_locator_classes", [])
    assert compiled.compiled(double)(2) == 4
    assert ["no folder for it can be written" in said for said in notes()] == [True]


def test_the_package_is_imported_and_the_doctor_speaks_where_nothing_can_be_written():
    code = """if True:
        from numba.core import caching
        caching.CompileResultCacheImpl._locator_classes = []
        from nln import NLNClassifier
        from nln.cli.doctor import _cache
        print(_cache())
    """
    source = str(Path(nln.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": source}, capture_output=True, check=True
    )
    assert done.stdout.decode().strip() == str({"folder": None, "writable": False, "files": 0})
    assert done.stderr == b""
