"""What one command writes the others read."""

from __future__ import annotations

import pytest

from nln import load_model
from tests.cli.commands import run_here

MAKERS = {
    "merge": "merge here.json there.json -o {new}",
    "merge on rows": "merge here.json there.json --data data.csv -o {new}",
    "select": "select here.json data.csv --max-rules 1 -o {new}",
    "transfer": "transfer here.json data.csv --target kind -o {new}",
}
READERS = (
    "rules {new}", "export {new} --to sql", "predict {new} data.csv", "explain {new} data.csv --row 0",
    "evaluate {new} data.csv", "report {new} data.csv -o {page}", "diff {new} {new} --data data.csv",
    "merge {new} {new}", "select {new} data.csv", "transfer {new} data.csv --target kind",
    "audit {new} data.csv --group colour", "plot {new} network -o {figure}",
)  # fmt: skip


@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
def test_a_new_model_is_read_by_every_command(given, capfd, monkeypatch, tmp_path, maker):
    monkeypatch.chdir(given)
    names = {"new": tmp_path / "new.json", "page": tmp_path / "page.html", "figure": tmp_path / "figure.svg"}
    assert run_here(capfd, *maker.format(**names).split()).returncode == 0
    for reader in READERS:
        done = run_here(capfd, *reader.format(**names).split())
        assert done.returncode == 0, done.stderr
        assert done.stdout or reader.split()[0] in ("report", "plot")
    assert load_model(names["new"]).program_.n_rules
