from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nln import NLNClassifier, audit, load_model
from nln.report import write_report
from tests.report import programs


def target_of(example, frame):
    return frame(example.y) if isinstance(example.y, dict) else example.y


@pytest.mark.parametrize("make", [programs.binary, programs.multiclass, programs.multilabel])
def test_a_classifier_and_its_saved_model_write_the_same_page(make, frame, tmp_path):
    example = make()
    X, y = frame(example.X), target_of(example, frame)
    model = NLNClassifier(random_state=0, starts=1, n_rules=8, price=1.0).fit(X, y)
    model.path_ = ()
    path = model.report(X, y, tmp_path / "a.html", include_rows=20, title="A page")
    model.save(tmp_path / "model.json")
    other = write_report(
        load_model(tmp_path / "model.json"), X, y, tmp_path / "b.html", include_rows=20, title="A page"
    )
    assert path.read_bytes() == other.read_bytes()
    assert "<h1>A page</h1>" in path.read_text(encoding="utf-8")


def test_pandas_and_polars_give_the_same_page(tmp_path):
    example = programs.binary()
    for frame, name in ((pd.DataFrame, "a"), (pl.DataFrame, "b")):
        write_report(example.program, frame(example.X), example.y, tmp_path / name, include_rows=True)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_columns_match_by_name(frame, tmp_path):
    example = programs.binary()
    turned = frame(dict(reversed(example.X.items())))
    write_report(example.program, turned, example.y, tmp_path / "a.html")
    write_report(example.program, frame(example.X), example.y, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_tables_without_names_match_by_position(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((60, 2))
    y = (X[:, 0] > 0.5).astype(int)
    model = NLNClassifier(random_state=0, starts=1, n_rules=8, price=1.0).fit(X, y)
    assert "x0" in model.report(X, y, tmp_path / "a.html").read_text(encoding="utf-8")


def test_a_file_is_replaced_only_by_force(frame, tmp_path):
    example = programs.binary()
    path = tmp_path / "report.html"
    path.write_text("mine")
    with pytest.raises(FileExistsError, match="force=True"):
        write_report(example.program, frame(example.X), example.y, path)
    assert path.read_text() == "mine"
    write_report(example.program, frame(example.X), example.y, path, force=True)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "all", None])
def test_include_rows_is_a_truth_value_or_a_number_of_rows(wrong, frame, tmp_path):
    example = programs.binary()
    with pytest.raises(ValueError, match=r"include_rows must be True, False or a number of rows"):
        write_report(example.program, frame(example.X), example.y, tmp_path / "a.html", include_rows=wrong)
    assert not list(tmp_path.iterdir())


def test_a_target_of_another_length_or_class_is_named(frame, tmp_path):
    example = programs.binary()
    with pytest.raises(ValueError, match="119 entries, but the table has 120 rows"):
        write_report(example.program, frame(example.X), example.y[1:], tmp_path / "a.html")
    with pytest.raises(ValueError, match="'perhaps' at row 0"):
        write_report(example.program, frame(example.X), ["perhaps", *example.y[1:]], tmp_path / "a.html")


def test_a_table_is_not_changed(frame, tmp_path):
    example = programs.binary()
    X = frame(example.X)
    before = X.to_dict() if hasattr(X, "to_dict") else None
    shown = str(X)
    write_report(example.program, X, example.y, tmp_path / "a.html", include_rows=True)
    assert str(X) == shown and (before is None or str(X.to_dict()) == str(before))


def test_without_jinja_the_extra_is_named():
    code = """
import sys; sys.modules["jinja2"] = None
from nln.report import render
try:
    render({})
except ImportError as error:
    sys.exit(0 if 'pip install "nln[report]"' in str(error) else str(error))
sys.exit("no error")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_long_table_makes_a_small_page(tmp_path):
    example = programs.binary(rows=32_561)
    path = write_report(example.program, pd.DataFrame(example.X), example.y, tmp_path / "a.html", include_rows=2000)
    assert path.stat().st_size < 2_000_000


def test_an_audit_gets_a_section_of_its_own(tmp_path, frame):
    rng = np.random.default_rng(0)
    group, x = rng.choice(["<b>north</b>", "south"], 300), rng.random(300)
    X = frame({"home & town": group.tolist(), "x": x.tolist()})
    y = ((x > 0.5) & (group == "south")).astype(int)
    model = NLNClassifier(random_state=0, starts=2).fit(X, y)
    found = audit(model, X, y, ["home & town"], refit=NLNClassifier(random_state=0, starts=2))
    page = model.report(X, y, tmp_path / "audit.html", audit=found).read_text(encoding="utf-8")
    section = page[page.index('id="audit"') :]
    assert "&lt;b&gt;north&lt;/b&gt;" in section and "<b>north" not in page
    assert f"{100 * found.gaps[0].size:.1f}" in section
    assert "Learned again without home &amp; town" in section
    asking = [rule.rule for rule in found.rules if rule.protected]
    assert asking and all(f"Rule {number} (home &amp; town)" in section for number in asking)
    plain = model.report(X, y, tmp_path / "plain.html").read_text(encoding="utf-8")
    assert 'id="audit"' not in plain
