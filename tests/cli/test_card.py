"""`nln card` as people run it."""

from __future__ import annotations

import numpy as np
import pytest

from nln import edit
from nln.made import Made
from nln.model import SavedModel, load_model
from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition
from tests import tools
from tests.cli.commands import complaint, run_here
from tests.cli.patients import PROGRAM, ROWS

MADE = Made(
    date="2026-03-01",
    table="patients.csv",
    rows=96,
    seed=7,
    versions={"python": "3.12.1", "nln": "0.1.0"},
    notes=("Column 'ID' is not used: it looks like an identifier.",),
    scores={"5-fold cross-validation": {"accuracy": 0.875, "f1": 0.8}},
)


@pytest.fixture
def model(tmp_path):
    program = edit(PROGRAM, author="Ada", time="2026-03-02T08:00:00Z").drop(2, reason="leaks").program
    columns = ("ID", *program.schema.columns)
    SavedModel(program, np.array(["healthy", "ill"]), columns, True, MADE).save(tmp_path / "model.json")
    return tmp_path / "model.json"


def test_a_card_says_what_the_file_knows_and_asks_for_the_rest(capfd, model):
    done = run_here(capfd, "card", model)
    assert (done.returncode, done.stderr) == (0, "")
    for line in (
        "# Model card: Outcome",
        "1 rule about 1 feature for Outcome = ill. The rules are the model: there is nothing else.",
        "- Table: patients.csv",
        "- Rows learned from: 96",
        "- Columns: 4, of which rules may ask about 3",
        "- Note: Column 'ID' is not used: it looks like an identifier.",
        "| Blood pressure | continuous | numbers | 1 rule |",
        "| Smoker | categorical | not kept: no rule asks about them |  |",
        "- Date: 2026-03-01",
        "- Seed: 7",
        "- Versions: python 3.12.1, nln 0.1.0",
        "| rows | accuracy | F1 |",
        "| 5-fold cross-validation | 0.875 | 0.800 |",
        "- 2026-03-02T08:00:00Z: drop rule 2 (Ada, leaks)",
        "## Intended use",
        "## Limits",
    ):
        assert line in done.stdout.splitlines(), line
    assert '| 1 | "Blood pressure" >= 15.5 | Outcome = ill |' in done.stdout
    assert done.stdout.count("(to fill in)") == 6


def test_a_table_adds_scores_to_the_card(capfd, model, tmp_path):
    (tmp_path / "new.csv").write_text(ROWS)
    card = tmp_path / "card.md"
    done = run_here(capfd, "card", model, tmp_path / "new.csv", "-o", card)
    assert done.returncode == 0 and done.stdout == "" and f"Wrote {card}." in done.stderr
    text = card.read_text(encoding="utf-8")
    assert "| rows | accuracy | F1 | macro F1 | balanced accuracy | AUC | log loss | Brier score |" in text
    assert "| new.csv (5 rows) | 0.600 |" in text
    assert "--force" in complaint(run_here(capfd, "card", model, "-o", card))
    assert load_model(model).made_ == MADE


def test_a_program_file_has_a_card_too_and_no_name_acts_as_markdown(capfd, tmp_path):
    feature = Feature("<b>|*x*", "categorical", tuple(f"[{i}](u)" for i in range(20)))
    schema = Schema((feature,), Target("`y`\n# z", "multiclass", ("a|b", "<i>", "c")))
    rules = (Rule((ValueCondition(feature.name, feature.values[:1]),), "<i>", 0.5),)
    LogicProgram(schema, rules, (0.1, 0.2, 0.3), ()).save(tmp_path / "program.json")
    text = run_here(capfd, "card", tmp_path / "program.json").stdout
    assert "- Table: not recorded" in text and "- Seed: not recorded" in text
    assert "and 8 more" in text
    parsed = tools.package("markdown_it").MarkdownIt("commonmark").enable("table").parse(text)
    headings = [parsed[i + 1].content for i, token in enumerate(parsed) if token.type == "heading_open"]
    assert headings[0].startswith("Model card") and headings[1:] == [
        "Data",
        "Learning",
        "Scores",
        "Rules",
        "Intended use",
        "Limits",
        "Contact",
    ]
    inline = [child.type for token in parsed if token.children for child in token.children]
    assert not {"link_open", "html_inline"} & set(inline)
    assert (inline.count("em_open"), inline.count("code_inline")) == (6, 1)  # the questions, and a command


def test_fit_writes_what_the_card_needs(capfd, tmp_path):
    lines = ["x,y", *(f"{i % 10},{'yes' if i % 10 > 4 else 'no'}" for i in range(60))]
    (tmp_path / "tens.csv").write_text("\n".join(lines))
    done = run_here(capfd, "fit", "tens.csv", "--target", "y", "--seed", "5", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    text = run_here(capfd, "card", tmp_path / "model.json").stdout
    for line in ("- Table: tens.csv", "- Rows learned from: 60", "- Seed: 5", "| rows learned from | 1.000 | 1.000 |"):
        assert line in text.splitlines()
