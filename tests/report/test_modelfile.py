"""The page saves a model file that Python reads: the same rules, the same probabilities, and the history of edits."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from nln import NLNClassifier, load_model
from nln.made import Made
from nln.model import SavedModel, model_of
from nln.rules import Feature, LogicProgram, Schema, Target
from nln.rules.language.text import rule_line
from tests.report import programs
from tests.report.browser import opened, written

pytestmark = pytest.mark.slow


def saved(tab, folder):
    """Save the model file by the page's button, and load it."""
    with tab.page.expect_download() as download:
        tab.page.locator("#save-file").click()
    download.value.save_as(folder / "saved.json")
    return load_model(folder / "saved.json")


def shown_probabilities(tab, rows):
    found = []
    for row in rows:
        tab.page.locator("#case-pick").select_option(value=str(row))
        shown = tab.page.locator("#case-result [data-label]").evaluate_all("all => all.map((e) => e.dataset.value)")
        found.append([float(p) for p in shown])
    return found


def assert_as_shown(tab, model, example):
    rows = range(0, 120, 7)
    expected = model.predict_proba(pd.DataFrame(example.X).iloc[list(rows)])
    np.testing.assert_allclose(shown_probabilities(tab, rows), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("kind", programs.KINDS)
def test_an_unchanged_page_saves_the_model_as_it_was(browser, tmp_path, kind):
    example = programs.KINDS[kind]()
    model = replace(model_of(example.program), made_=Made(table="a.csv", seed=3, scores={"all": {"f1": 0.9}}))
    with opened(browser, written(example, tmp_path, model=model)) as tab:
        again = saved(tab, tmp_path)
        assert again.to_dict() == model.to_dict()
        # Of an edited model the scores are not known.
        tab.page.locator("#rule-1 [role=switch]").uncheck(force=True)
        assert saved(tab, tmp_path).made_ == Made(table="a.csv", seed=3)


def test_a_fitted_model_is_saved_with_its_columns_and_the_type_of_its_classes(browser, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.random((90, 3))
    y = (X[:, 1] > 0.5).astype(np.int8)
    model = NLNClassifier(random_state=0, starts=1, n_rules=8).fit(X, y)
    with opened(browser, model.report(X, y, tmp_path / "report.html")) as tab:
        again = saved(tab, tmp_path)
    assert again.to_dict() == model._saved().to_dict()
    assert again.predict(X).dtype == np.int8


def test_numbers_that_a_script_cannot_hold_are_saved_as_they_are(browser, tmp_path):
    values = (2**60 + 1, 2**60 + 3, 5)
    schema = Schema((Feature("code", "categorical", values),), Target("class", "binary", (1.0, 2**55 + 1)))
    program = LogicProgram.parse(f"IF code in {{{values[0]}, 5}} THEN class = {2**55 + 1} (0.9)", schema=schema)
    example = programs.Example(program, {"code": list(values) * 10}, [2**55 + 1, 1.0, 2**55 + 1] * 10)
    with opened(browser, written(example, tmp_path)) as tab:
        tab.edit(1).get_by_label("5", exact=True).uncheck()
        again = saved(tab, tmp_path)
    assert again.program_.schema == schema
    assert again.program_.rules[0].conditions[0].values == (2**60 + 1,)


def test_edited_rules_are_saved_with_the_history_of_edits(browser, tmp_path):
    example = programs.binary()
    program, schema = example.program, example.program.schema
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        tab.page.locator("#rule-2 [role=switch]").uncheck(force=True)
        tab.edit(1).get_by_label("below").fill("13.5")
        tab.edit(1).locator("fieldset").first.get_by_label("2", exact=True).uncheck()
        tab.edit(3).get_by_label("from").nth(1).fill("16")
        tab.edit(3).get_by_label("Weight of the rule").fill("0.25")
        stage = tab.edit(4).locator("fieldset").filter(has_text="stage")
        stage.get_by_label("III", exact=True).uncheck()
        stage.get_by_label("missing holds to").fill("0.5")
        tab.page.locator("#save-author").fill("Ada ")
        tab.page.locator("#save-reason").fill('too "old"')
        assert tab.page.locator("#save-edits > li").count() == 4
        model = saved(tab, tmp_path)
        assert_as_shown(tab, model, example)
        assert tab.page.locator("#save-said").text_content().startswith("Saved")
    edited = model.program_
    assert edited.n_rules == 3
    texts = [rule_line(rule, schema) for rule in edited.rules]
    assert [(edit.action, edit.rule) for edit in edited.history] == [
        ("change", 1), ("change", 3), ("change", 4), ("drop", 2),
    ]  # fmt: skip
    assert [edit.before for edit in edited.history] == [rule_line(program.rules[i], schema) for i in (0, 2, 3, 1)]
    assert [edit.after for edit in edited.history] == [*texts, None]
    assert {(edit.author, edit.reason) for edit in edited.history} == {("Ada", 'too "old"')}
    # The report of the saved model goes on with its history.
    with opened(browser, written(example, tmp_path, model=model, include_rows=True, force=True)) as tab:
        tab.page.locator("#rule-3 [role=switch]").uncheck(force=True)
        again = saved(tab, tmp_path)
    assert again.program_.history[:4] == edited.history and len(again.program_.history) == 5


def test_edited_rules_of_every_kind_of_feature_are_saved(browser, tmp_path):
    example = programs.other_kinds()
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        hours = tab.edit(1).locator("fieldset").filter(has_text="hour")
        hours.get_by_label("below").fill("5.5")
        hours.get_by_label("from").fill("24")
        assert hours.get_by_text("Between 0 and 24.").is_visible()
        hours.get_by_label("from").fill("21")
        assert hours.get_by_label("half-width of the fuzzy boundary").count() == 0
        tab.edit(3).get_by_label("missing holds to").first.fill("0.4")
        tab.edit(2).locator("fieldset").filter(has_text="albumin").get_by_label("3", exact=True).uncheck()
        model = saved(tab, tmp_path)
        assert_as_shown(tab, model, example)
    text = str(model.program_)
    for condition in ("21 <= hour < 5.5", "rain = 0 or missing (0.4)", "albumin not in {0, 3}"):
        assert condition in text
        assert any(condition in edit.after for edit in model.program_.history)


def test_edited_whole_numbers_are_saved(browser, tmp_path):
    example = programs.whole_numbers()
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        tab.edit(1).get_by_label("to").fill("2")
        tab.edit(2).locator("fieldset").first.get_by_label("from").fill("2")
        model = saved(tab, tmp_path)
        assert_as_shown(tab, model, example)
    assert "children <= 2" in str(model.program_) and "children in 2 to 3" in str(model.program_)
    assert model.program_.schema == example.program.schema


@pytest.mark.parametrize("kind", ["multiclass", "multilabel"])
def test_every_kind_of_target_is_saved(browser, tmp_path, kind):
    example = programs.KINDS[kind]()
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        tab.page.locator("#rule-3 [role=switch]").uncheck(force=True)
        tab.edit(1).get_by_label("Weight of the rule").fill("0.31")
        model = saved(tab, tmp_path)
        assert_as_shown(tab, model, example)
    assert isinstance(model, SavedModel) and model.program_.n_rules == 3


def test_names_that_look_like_code_are_saved(browser, tmp_path):
    example = programs.hostile()
    with opened(browser, written(example, tmp_path)) as tab:
        tab.edit(1).locator("fieldset").first.locator("input[type=checkbox]").nth(3).check()
        model = saved(tab, tmp_path)
    assert set(model.program_.rules[0].conditions[0].values) == {*programs.HOSTILE[:2], programs.HOSTILE[3]}
    assert json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))["program"]["history"]
