"""`nln rules` and `nln export`: what they print and write, and what they say of wrong arguments and broken files."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from nln import LogicProgram
from nln.cli import main, outputs
from nln.cli.export import SPELLINGS, read_options
from nln.cli.inputs import load_program
from nln.export import EXPORTERS
from nln.model import load_model
from nln.rules import Feature, Rule, Schema, Target
from nln.rules.language.text import LEGEND, STARTS_LEGEND
from tests import tools
from tests.cli.commands import complaint, run_here
from tests.export.loading import loaded

DATA = Path(__file__).parents[1] / "rules" / "data"
MODEL, PROGRAM = DATA / "model-v1.json", DATA / "program-v1.json"
SCHEMA = Schema(
    (Feature("x", "continuous"), Feature("größe 😀", "categorical", ("klein", "groß"))),
    Target("class", "binary", ("no", "yes")),
)


@pytest.fixture
def file(tmp_path):
    """A small program with a fuzzy boundary and letters beyond ASCII."""
    program = LogicProgram.parse('IF x < 3 ± 0.5 AND "größe 😀" = groß THEN class = yes (0.9)', schema=SCHEMA)
    program.save(tmp_path / "rules.json")
    return tmp_path / "rules.json"


@pytest.mark.parametrize("path", [MODEL, PROGRAM], ids=["model", "program"])
def test_rules_are_printed_as_text_that_parses_back(capfd, path):
    done = run_here(capfd, "rules", path)
    assert (done.returncode, done.stderr) == (0, f"{LEGEND}\n")
    program = load_program(path)
    assert LogicProgram.parse(done.stdout, schema=program.schema) == program


def test_what_few_starts_mean_is_said_where_a_rule_was_found_in_few(capfd, tmp_path):
    rule = Rule((), "yes", 0.9, starts=(1, 5))
    LogicProgram(SCHEMA, (rule,), (0.0,), (0.5,)).save(tmp_path / "rules.json")
    done = run_here(capfd, "rules", tmp_path / "rules.json")
    assert "(in 1 of 5 starts; weight 0.9)" in done.stdout
    assert done.stderr == f"{LEGEND} {STARTS_LEGEND}\n"


def test_rules_are_printed_as_json_records(capfd):
    done = run_here(capfd, "rules", MODEL, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == load_model(MODEL).program_.to_records()


@pytest.mark.parametrize("name", sorted(set(EXPORTERS) - {"asp", "xlsx"}))
def test_every_format_is_written(file, name, capfdbinary):
    assert main(["export", str(file), "--to", name]) == 0
    written = capfdbinary.readouterr()
    assert written.err == b""
    assert written.out.decode().rstrip("\n") == LogicProgram.load(file).export(name).rstrip("\n")


def test_formats_are_known_by_the_endings_of_their_files_too(capfd, file):
    for short, name in SPELLINGS.items():
        assert (
            run_here(capfd, "export", file, "--to", short).stdout
            == run_here(capfd, "export", file, "--to", name).stdout
        )
    assert run_here(capfd, "export", file, "--to", "JavaScript").returncode == 0


def test_options_reach_the_format(capfd, file):
    done = run_here(capfd, "export", file, "--to", "sql", "--option", "dialect=duckdb", "--option", "table=a b")
    assert done.stdout.rstrip("\n") == LogicProgram.load(file).export("sql", dialect="duckdb", table="a b")
    assert read_options(["indent=4"], "json") == {"indent": 4}
    assert read_options(["module=false"], "javascript") == {"module": False}


def test_a_file_is_written_and_replaced_only_by_force(capfd, file, tmp_path):
    output = tmp_path / "rules.py"
    arguments = "export", file, "--to", "python", "-o", output
    done = run_here(capfd, *arguments)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", f"Wrote {output}.\n")
    assert loaded(output.read_text(encoding="utf-8"))["predict"]({"x": 1, "größe 😀": "groß"}) == "yes"
    output.write_text("mine")
    assert "--force" in complaint(run_here(capfd, *arguments))
    assert output.read_text() == "mine"
    assert run_here(capfd, *arguments, "--force").returncode == 0
    assert output.read_text(encoding="utf-8") == LogicProgram.load(file).export("python")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["rules.json", "rules.py"]


def test_a_failed_export_leaves_the_file_as_it_was(capfd, file, tmp_path):
    output = tmp_path / "rules.lp"
    output.write_text("mine")
    line = complaint(run_here(capfd, "export", file, "--to", "asp", "-o", output, "--force"))
    assert "cannot be written as asp" in line and "fuzzy" in line
    assert output.read_text() == "mine"


WRONG = {
    "no command": ([], "Missing command"),
    "unknown format": (["export", MODEL, "--to", "yaml"], f"'yaml'; known: {', '.join(EXPORTERS)}."),
    "unknown option": (
        ["export", MODEL, "--to", "sql", "--option", "tabel=t"], "no option 'tabel'; known: dialect, table",
    ),
    "no key=value": (["export", MODEL, "--to", "sql", "--option", "duckdb"], "takes key=value, not 'duckdb'"),
    "folder": (["rules", DATA], f"{DATA} is a folder"),
    "unknown command": (["rule"], "rule"),
    "no file": (["rules"], "MODEL.json"),
    "unknown flag": (["rules", MODEL, "--yaml"], "--yaml"),
    "no format": (["export", MODEL], "--to"),
    "option of none": (["export", MODEL, "--to", "text", "--option", "a=b"], "no option 'a'; known: none"),
    "program as option": (["export", MODEL, "--to", "sql", "--option", "program=1"], "no option 'program'"),
    "no truth value": (["export", MODEL, "--to", "latex", "--option", "unicode=yes"], "true or false, not 'yes'"),
    "no number": (["export", MODEL, "--to", "json", "--option", "indent=two"], "whole number, not 'two'"),
    "option twice": (
        ["export", MODEL, "--to", "sql", "--option", "table=a", "--option", "table=b"], "given twice",
    ),
    "wrong value": (
        ["export", MODEL, "--to", "sql", "--option", "dialect=oracle"], "known: 'sqlite', 'duckdb', 'postgres'",
    ),
    "output is a folder": (["export", MODEL, "--to", "text", "-o", DATA, "--force"], "Give another name"),
    "no folder for the output": (["export", MODEL, "--to", "text", "-o", DATA / "no" / "x"], "Make it first"),
}  # fmt: skip
BROKEN = {
    "missing": (None, "There is no file"),
    "truncated": (MODEL.read_bytes()[:-40], "not JSON, or not all of it"),
    "not UTF-8": (MODEL.read_text().replace('"format"', '"\xfformat"').encode("latin-1"), "not UTF-8"),
    "newer program": (b'{"format": "nln-program", "version": 6}', "newer than 5"),
    "empty": (b"", "not JSON"),
    "a list": (b"[]", "must be an object"),
    "another file": (b'{"format": "png"}', "'png'"),
    "newer model": (b'{"format": "nln-model", "version": 99}', "newer than 5"),
    "newer program in a model": (MODEL.read_bytes().replace(b'"version": 1,\n    "', b'"version": 6,\n    "'), "newer"),
    "nested too deep": (b"[" * 100, "levels deep"),
    "wrong place": (PROGRAM.read_bytes().replace(b'"probability"', b'"probable"', 1), "rules[0]"),
}


@pytest.mark.parametrize(("arguments", "expected"), WRONG.values(), ids=WRONG)
def test_wrong_arguments_give_one_line_and_code_2(capfd, arguments, expected):
    assert expected in complaint(run_here(capfd, *arguments))


@pytest.mark.parametrize(("content", "expected"), BROKEN.values(), ids=BROKEN)
def test_every_command_names_a_broken_file(capfd, tmp_path, content, expected):
    path = tmp_path / "model.json"
    if content is not None:
        path.write_bytes(content)
    for arguments in (["rules", path], ["export", path, "--to", "text"]):
        line = complaint(run_here(capfd, *arguments))
        assert expected in line and str(path) in line


def test_what_the_system_refuses_is_code_1(capfd, monkeypatch, tmp_path):
    def refuse(path):
        raise OSError(errno.ENOSPC, "No space left on device", ".0123456789abcdef.part")

    monkeypatch.setattr(outputs, "writing_whole", refuse)
    output = tmp_path / "rules.txt"
    line = complaint(run_here(capfd, "export", MODEL, "--to", "text", "-o", output), code=1)
    assert line == f"nln: {output} cannot be written: No space left on device."


def test_a_workbook_is_written_to_a_file_only(capfd, tmp_path):
    tools.package("xlsxwriter")
    path = tmp_path / "rules.xlsx"
    assert run_here(capfd, "export", MODEL, "--to", "xlsx", "-o", path).returncode == 0
    assert path.read_bytes().startswith(b"PK")
    assert (
        complaint(run_here(capfd, "export", MODEL, "--to", "xlsx"))
        == "nln: xlsx is a file, not text. Give its name with -o."
    )
