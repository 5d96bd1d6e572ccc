from __future__ import annotations

import io
import json

import pandas as pd
import pytest

from nln.compose import audit
from tests.cli.commands import run_here
from tests.cli.composing import HIRING, people

TEXT = """\
3 rules audited on 400 rows for sex.

Proxies (association of at least 0.5):
  title for sex (Cramér's V 0.94)

Rules that ask about a protected attribute or a proxy:
  rule 2 (title, a proxy): IF title = Mr AND years >= 4 THEN hired = yes
  rule 3 (sex): IF sex = male AND years < 2 THEN hired = yes

sex, hired = yes:
          rows  selection rate  true positive rate  false positive rate
  female   179          64.8 %              91.3 %               28.0 %
  male     221          81.0 %              93.2 %               56.8 %
  gap of the selection rate: 16.2 points, male over female
    without rule 2: -20.1
  gap of the true positive rate: 1.9 points, male over female
    without rule 2: -23.1
  gap of the false positive rate: 28.8 points, male over female
    without rule 2: -14.9
"""


def expected(protected, **options):
    columns = people()
    y = columns.pop("hired")
    return audit(HIRING, pd.DataFrame(columns).astype({"region": int}), y, protected, **options)


def test_groups_gaps_and_rules_are_told_in_words(capfd, given):
    done = run_here(capfd, "audit", "hiring.json", "people.csv", "--group", "sex", folder=given)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", TEXT)


def test_groups_may_be_columns_that_the_model_never_saw_and_bands_of_numbers(given, capfd):
    done = run_here(
        capfd, "audit", given / "hiring.json", given / "people.csv", "--group", "region", "--group", "years",
        "--group", "region", "--bands", 3, "--min-rows", 10, "--proxy-threshold", 0.9, "--json",
    )  # fmt: skip
    found = expected(["region", "years"], bands=3, min_rows=10, proxy_threshold=0.9)
    assert json.loads(done.stdout) == json.loads(json.dumps(found.to_dict()))
    assert {group.protected for group in found.groups} == {"region", "years"}


def test_a_page_is_written_too(capfd, given, tmp_path):
    page = tmp_path / "page.html"
    done = run_here(capfd, "audit", given / "hiring.json", given / "people.csv", "--group", "sex", "--report", page)
    assert (done.returncode, done.stdout) == (0, TEXT)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") or text.startswith("<!doctype html>")
    assert "Groups of sex on 400 rows" in text


@pytest.mark.parametrize("group", ["region", "sex"])
def test_columns_that_no_rule_asks_about_may_be_absent(given, capfd, tmp_path, group):
    frame = pd.read_csv(given / "people.csv")
    frame.drop(columns="region" if group == "sex" else []).to_csv(tmp_path / "people.csv", index=False)
    done = run_here(capfd, "audit", given / "hiring.json", tmp_path / "people.csv", "--group", group, "--json")
    assert json.loads(done.stdout) == json.loads(json.dumps(expected([group]).to_dict()))


def test_a_table_may_come_from_standard_input(capfd, monkeypatch, given):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((given / "people.csv").read_bytes())))
    done = run_here(capfd, "audit", given / "hiring.json", "-", "--group", "sex")
    assert (done.returncode, done.stdout) == (0, TEXT)
