from __future__ import annotations

import json

from nln.compose import diff
from tests.cli.commands import run_here
from tests.compose.examples import HERE, THERE, table

TEXT = """\
here.json has 2 rules, there.json has 2: 1 changed, 1 only in here.json, 1 only in there.json.

CHANGED rule 1 of here.json, rule 1 of there.json
  IF x < 3 AND colour in {blue, red} THEN class = yes (weight 0.95)
    weight 0.95  ->  0.8

ONLY IN here.json: rule 2
  IF size >= L THEN class = yes (weight 0.9)

ONLY IN there.json: rule 2
  IF x >= 8 ± 0.5 THEN class = yes (weight 0.7)

OTHERWISE
  P(class = yes) 0.05  ->  0.1
  class = yes from 0.5  ->  0.4
"""


def test_rules_are_told_apart_in_words(capfd, given):
    done = run_here(capfd, "diff", "here.json", "there.json", folder=given)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", TEXT)


def test_rows_decided_differently_are_told_on_a_table(capfd, given):
    done = run_here(capfd, "diff", "here.json", "there.json", "--data", "data.csv", folder=given)
    assert (done.returncode, done.stderr) == (0, "")
    head, rows = done.stdout.split("\n\n")[:-1], done.stdout.split("\n\n")[-1]
    assert "\n\n".join(head) == TEXT.rstrip("\n")
    assert rows == ROWS


ROWS = """\
112 of 300 rows are decided differently (37.3 %); probabilities differ by 0.326 on average.
  no  ->  yes: 60 rows: 4, 9, 10, 12, 16, 26, 27, 37, 38, 45, ...
  yes  ->  no: 52 rows: 2, 3, 13, 14, 19, 24, 29, 36, 39, 40, ...
"""


def test_json_is_what_the_package_finds(given, capfd):
    done = run_here(capfd, "diff", given / "here.json", given / "there.json", "--data", given / "data.csv", "--json")
    names = str(given / "here.json"), str(given / "there.json")
    assert json.loads(done.stdout) == diff(HERE, THERE, table()[0], names=names).to_dict()


def test_a_model_is_the_same_as_itself_in_another_form(given, capfd, tmp_path):
    THERE.save(tmp_path / "program.json")
    done = run_here(capfd, "diff", given / "there.json", tmp_path / "program.json", "--json")
    assert json.loads(done.stdout)["same"] is True
