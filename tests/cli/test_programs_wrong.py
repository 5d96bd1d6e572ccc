"""What is wrong with arguments and files is said on one line with what to do, with code 2, and nothing is written."""

from __future__ import annotations

import pytest

from nln.cli.plot import KINDS
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.cli.commands import complaint, run_here

# Arguments, with the places of the files given; what the line must say.
WRONG = {
    "diff of one": ("diff here.json", "B.json"),
    "diff of nothing": ("diff here.json nothing.json", "There is no file nothing.json. Give a file that"),
    "diff of a table": ("diff here.json data.csv", "data.csv: This is not JSON"),
    "diff of other targets": ("diff here.json other.json", "rename the target or its labels"),
    "diff on no file": ("diff here.json there.json --data nothing.csv", "There is no file nothing.csv. Give a CSV"),
    "diff on a table without a column": (
        "diff here.json there.json --data people.csv", "people.csv has no column 'x'. Its columns: 'sex'",
    ),
    "merge of nothing": ("merge", "MODEL.json"),
    "merge of other targets": ("merge here.json other.json", "different targets"),
    "merge of other columns": ("merge here.json clash.json", "Column 'x' is continuous in one program and categorical"),
    "merge by a method without rows": ("merge here.json there.json --method error", "Give them with --data DATA."),
    "merge at a price without rows": ("merge here.json there.json --price 0", "--price is about rows"),
    "merge by an unknown method": ("merge here.json there.json --data data.csv --method best", "'coverage', 'error'"),
    "merge at a price below 0": ("merge here.json there.json --data data.csv --price -1", "price must be"),
    "merge on an unknown target": (
        "merge here.json there.json --data data.csv --target clas", "no column 'clas'. Did you mean 'class'?",
    ),
    "merge on another target": (
        "merge here.json there.json --data data.csv --target kind", "known classes: 'no', 'yes'",
    ),
    "select without a table": ("select here.json", "DATA"),
    "select by an unknown metric": ("select here.json data.csv --metric auc", "balanced_accuracy"),
    "select fewer than no rules": ("select here.json data.csv --max-rules -1", "'--max-rules'"),
    "select a number of rules in words": ("select here.json data.csv --max-rules two", "'--max-rules'"),
    "select an impossible score": ("select here.json data.csv --score 2", "No choice of at most 2 rules reaches f1"),
    "select by two sorts of truth": (
        "select here.json data.csv --decisions --target class", "Leave one of them out.",
    ),
    "select on broken rows": ("select here.json ragged.csv", "ragged.csv"),
    "select on a header": ("select here.json header.csv", "has no rows below its header. Give at least one."),
    "select on words for numbers": ("select here.json words.csv", "Column 'x' is continuous, but row 1 holds 'tall'"),
    "transfer without a target": ("transfer here.json data.csv", "--target"),
    "transfer to an unknown target": ("transfer here.json data.csv --target kin", "Did you mean 'kind'?"),
    "transfer to a column that rules ask about": (
        "transfer here.json data.csv --target x", "ask about 'x', so it cannot be the new target",
    ),
    "transfer to labels that are none": (
        "transfer here.json data.csv --target kind --target class", "Give one column of classes, or 0/1 columns.",
    ),
    "transfer to a target twice": ("transfer here.json data.csv --target kind --target kind", "Give each label once."),
    "transfer to an unknown fallback": (
        "transfer here.json data.csv --target kind --fallback nobody", "no class 'nobody' to fall back on; known:",
    ),
    "audit without groups": ("audit hiring.json people.csv", "--group"),
    "audit of an unknown group": ("audit hiring.json people.csv --group sexx", "Did you mean 'sex'?"),
    "audit of a constant group": ("audit hiring.json same.csv --group region", "does not have two different values"),
    "audit with one band": ("audit hiring.json people.csv --group years --bands 1", "bands must be"),
    "audit with no rows": ("audit hiring.json people.csv --group sex --min-rows 0", "min_rows must be"),
    "audit of all as proxies": (
        "audit hiring.json people.csv --group sex --proxy-threshold 0", "proxy_threshold must lie above 0",
    ),
    "plot of an unknown kind": ("plot here.json tree -o out.svg", f"no figure 'tree'; known: {', '.join(KINDS)}."),
    "plot in an unknown format": ("plot here.json network -o out.gif", "End it in one of: .svg, .png, .pdf."),
    "plot without a format": ("plot here.json network -o out", "End it in one of"),
    "plot without rows": ("plot here.json roc -o out.svg", "needs a table file: nln plot MODEL.json roc DATA."),
    "plot with rows for nothing": ("plot here.json network data.csv -o out.svg", "takes no table. Leave data.csv out."),
    "plot of a rule that is not there": ("plot here.json rules --rule 3 -o out.svg", "There is no rule 3"),
    "plot of a rule for nothing": ("plot here.json network --rule 1 -o out.svg", "--rule is for the figure rules"),
    "plot of one for two": ("plot here.json comparison data.csv -o out.svg", "--other B.json"),
    "plot of two for one": ("plot here.json network --other there.json -o out.svg", "--other B.json"),
    "plot with a target for nothing": (
        "plot here.json overlap data.csv --target class -o out.svg", "Leave --target out.",
    ),
    "plot of genes that are none": ("plot here.json wiring -o out.svg", "multi-label"),
}  # fmt: skip
WRITING = ("merge", "select", "transfer")


@pytest.fixture
def folder(given, tmp_path, monkeypatch):
    """A folder with the files given and broken ones."""
    for path in given.iterdir():
        (tmp_path / path.name).symlink_to(path)
    clash = Schema((Feature("x", "categorical", ("a", "b")),), Target("class", "binary", ("no", "yes")))
    LogicProgram(clash, (), (0.1,), (0.5,)).save(tmp_path / "clash.json")
    header = "x,colour,size,class\n"
    (tmp_path / "header.csv").write_text(header)
    (tmp_path / "ragged.csv").write_text(f"{header}1,red,S,yes\n2,red\n")
    (tmp_path / "words.csv").write_text(f"{header}1,red,S,yes\ntall,red,S,no\n")
    people = (given / "people.csv").read_text().replace(",02,", ",01,")
    (tmp_path / "same.csv").write_text(people)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def with_output(arguments, folder):
    """Ask for a file too, where the command writes one."""
    words = arguments.split()
    if words[0] in WRITING:
        return [*words, "-o", "out.json"]
    return [*words, "--report", "out.html"] if words[0] == "audit" else words


@pytest.mark.parametrize(("arguments", "expected"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_one_line_and_nothing_is_written(folder, capfd, arguments, expected):
    before = sorted(folder.iterdir())
    assert expected in complaint(run_here(capfd, *with_output(arguments, folder)))
    assert sorted(folder.iterdir()) == before


BROKEN = {
    "empty": b"",
    "truncated": b'{"format": "nln-model", "vers',
    "newer": b'{"format": "nln-program", "version": 5}',
    "another file": b'{"format": "png"}',
}
COMMANDS = (
    "diff here.json broken.json", "diff broken.json here.json", "merge here.json broken.json",
    "select broken.json data.csv", "transfer broken.json data.csv --target kind",
    "audit broken.json people.csv --group sex", "plot broken.json network -o out.svg",
    "plot here.json comparison data.csv --other broken.json -o out.svg",
)  # fmt: skip


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_every_command_names_a_broken_model_file(folder, capfd, content):
    (folder / "broken.json").write_bytes(content)
    before = sorted(folder.iterdir())
    for arguments in COMMANDS:
        assert "broken.json" in complaint(run_here(capfd, *with_output(arguments, folder)))
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    "arguments",
    [
        "merge here.json there.json -o", "select here.json data.csv -o", "transfer here.json data.csv --target kind -o",
        "audit hiring.json people.csv --group sex --report", "plot here.json network -o",
    ],
)  # fmt: skip
def test_a_file_that_is_there_is_replaced_only_by_force(folder, capfd, arguments):
    output = folder / "out.svg"
    output.write_text("mine")
    assert "--force" in complaint(run_here(capfd, *arguments.split(), output))
    assert output.read_text() == "mine"
    assert run_here(capfd, *arguments.split(), output, "--force").returncode == 0
    assert output.read_text(encoding="utf-8") != "mine"
