import json

from benchmarks.__main__ import main


def test_quick_form_compares_both(tmp_path, capsys):
    assert main(["intervals", "--quick", "--out", str(tmp_path / "intervals.json")]) == 0
    part = json.loads((tmp_path / "intervals.json").read_text())["parts"]["8 intervals"]
    assert [row["AND weights"] for row in part["table"][:3]] == ["fixed", "learned", "learned / fixed"]
    assert part["values"]["all: validation loss"] > 0
    assert "learned / fixed" in capsys.readouterr().out
