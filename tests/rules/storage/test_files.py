import os
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.rules import Feature, LogicProgram, Schema, Target
from nln.rules.storage import files as jsonfile
from nln.rules.storage.files import dump_json, load_json
from nln.rules.storage.reading import ModelFormatError
from tests.rules.kidney import PROGRAM
from tests.rules.strategies import programs

TEXT = dump_json(PROGRAM.to_dict())


def test_a_program_survives_the_disk(tmp_path):
    path = tmp_path / "program.json"
    PROGRAM.save(path)
    assert LogicProgram.load(path) == LogicProgram.load(str(path)) == PROGRAM
    assert path.read_text(encoding="utf-8") == TEXT
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))  # as some editors leave it
    assert LogicProgram.load(path) == PROGRAM


def test_a_change_of_one_rule_changes_its_lines_only():
    text = str(PROGRAM).replace("weight 0.9)", "weight 0.8)")
    changed = dump_json(LogicProgram.parse(text, schema=PROGRAM.schema).to_dict())
    lines = zip(TEXT.splitlines(), changed.splitlines(), strict=True)
    assert [pair for pair in lines if pair[0] != pair[1]] == [('      "weight": 0.9,', '      "weight": 0.8,')]


def test_text_is_utf_8_and_names_that_are_not_text_are_refused(tmp_path):
    target = Target("class", "binary", (0, 1))
    schema = Schema((Feature("größe ± \u2028\0", "continuous"),), target)
    program = LogicProgram(schema, (), (0.0,), (0.5,))
    program.save(tmp_path / "größe.json")
    assert "größe" in (tmp_path / "größe.json").read_text(encoding="utf-8")
    assert LogicProgram.load(tmp_path / "größe.json") == program
    with pytest.raises(ValueError, match="not Unicode"):
        Feature("a\ud800", "continuous")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "program.json"
    path.write_text("old")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(jsonfile.os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        PROGRAM.save(path)
    assert os.listdir(tmp_path) == ["program.json"]
    assert path.read_text() == "old"


def test_an_existing_file_keeps_its_permissions_and_a_link_its_goal(tmp_path):
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    PROGRAM.save(link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert LogicProgram.load(real) == PROGRAM
    with pytest.raises(OSError):
        PROGRAM.save(tmp_path)
    with pytest.raises(FileNotFoundError):
        LogicProgram.load(tmp_path / "none.json")
    assert sorted(os.listdir(tmp_path)) == ["link.json", "real.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON, or not all of it: Expecting value at line 1, column 1"),
        (TEXT[:-20], "not JSON, or not all of it"),
        (TEXT + "{}", "Extra data"),
        ("[" * 1_000_000, "Line 1 is nested more than 32 levels deep"),
        ('{"a":' * 1_000_000, "nested more than 32 levels deep"),
        ('{"a": NaN}', "NaN is not a number in JSON"),
        ("[-Infinity]", "-Infinity is not a number in JSON"),
        ("[1e999]", "The number 1e999 is too large"),
        ("[" + "9" * 5000 + "]", "has 5000 digits"),
        ('{"a": 1, "b": {"c": 1, "c": 1}}', "the key 'c' twice"),
        ("{'a': 1}", "not JSON"),
        ('"' + '\\"' * 500_000, "not JSON"),
        ('["' + "[" * 500_000 + '"', "not JSON"),
    ],
)
def test_what_is_not_strict_json_is_refused(text, message):
    with pytest.raises(ModelFormatError) as caught:
        load_json(text)
    assert message in str(caught.value)


def test_brackets_in_text_are_no_nesting():
    assert load_json('["' + "[{" * 100 + '\\"["]') == ["[{" * 100 + '"[']
    assert load_json("[" * 32 + "]" * 32)
    assert len(load_json(f"[{'[],' * 100}[]]")) == 101


def test_large_and_foreign_files_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "program.json"
    path.write_bytes(b"\x80\x04\x95")
    with pytest.raises(ModelFormatError, match=r"program\.json is not UTF-8 text: byte 0"):
        LogicProgram.load(path)
    path.write_text("{")
    with pytest.raises(ModelFormatError, match=r"program\.json: This is not JSON"):
        LogicProgram.load(path)
    monkeypatch.setattr(jsonfile, "MAX_BYTES", 100)
    path.write_text(" " * 101)
    with pytest.raises(ModelFormatError, match="more than 100 bytes"):
        LogicProgram.load(path)
    with pytest.raises(ModelFormatError, match="a model file holds at most 100"):
        PROGRAM.save(path)


def _read(text):
    """Load, or give up with our own error; whatever loads must be a program that writes and reads back."""
    try:
        program = LogicProgram.from_dict(load_json(text))
    except ModelFormatError:
        return
    assert LogicProgram.from_dict(load_json(dump_json(program.to_dict()))) == program


@settings(deadline=None, max_examples=60)
@given(programs(), st.data())
def test_a_truncated_file_is_refused(program, data):
    text = dump_json(program.to_dict()).strip()
    with pytest.raises(ModelFormatError):
        load_json(text[: data.draw(st.integers(0, len(text) - 1))])


@settings(deadline=None, max_examples=150)
@given(programs(), st.data())
def test_a_damaged_file_loads_or_is_refused_with_our_error(program, data):
    text = dump_json(program.to_dict())
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        length = data.draw(st.sampled_from([0, 1, 2, 20]))
        patch = data.draw(
            st.sampled_from(["", "0", "-", "9" * 5000, "e9", '"', "{", "}", "[", "]", ",", "null", "\\u0"])
        )
        text = text[:start] + patch + text[start + length :]
    _read(text)
