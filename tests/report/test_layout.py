"""What a reader sees where, in a real browser: order, numbers, lines, inputs, and nothing covered or cut off."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from nln import NLNClassifier
from nln.report import SECTIONS
from nln.rules.language.words import percent
from tests.report import programs
from tests.report.browser import opened, written

pytestmark = pytest.mark.slow

PHONE = {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce"}
DESK = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}


def with_path(example, sizes):
    """A model whose dial has a stage for each number of rules."""
    stages = [replace(example.program, rules=example.program.rules[:n]) for n in sizes]
    path = [SimpleNamespace(price=0.1, validation_loss=0.1 + i, program=stage) for i, stage in enumerate(stages)]
    return SimpleNamespace(program_=example.program, path_=path, feature_names_in_=list(example.X))


def test_the_page_begins_with_what_the_rules_are_worth_and_then_the_rules(browser, tmp_path):
    example = programs.binary()
    model = NLNClassifier(random_state=7, starts=1, n_rules=8, price=1.0).fit(pd.DataFrame(example.X), example.y)
    notes = ("patient was left out: it looks like a number of the row.",)
    model.made_ = replace(model.made_, table="patients.csv", date="2026-03-01", notes=notes)
    right = int((model.predict(pd.DataFrame(example.X)) == example.y).sum())
    assert SECTIONS[0].name == "rules"
    with opened(browser, written(example, tmp_path, model=model), **DESK) as tab:
        lead = " ".join(tab.page.locator(".lead").text_content().split())
        assert f"{right} of 120 rows ({percent(right / 120)})" in lead and "always saying" in lead
        facts = " ".join(tab.page.locator(".facts").text_content().split())
        for fact in ("patients.csv", "2026-03-01", "Training rows 120", "Seed 7", "120 rows, 6 columns", "ckd from"):
            assert fact.replace(" ", "") in facts.replace(" ", ""), fact
        assert tab.page.locator(".masthead .notices li").all_text_contents() == list(notes)
        first = tab.page.locator("#rule-1").bounding_box()
        assert first["y"] < 800  # the first rule is on the first screen


@pytest.mark.parametrize("kind", programs.KINDS)
def test_a_card_says_rows_and_precision_before_the_weight(browser, tmp_path, kind):
    example = programs.KINDS[kind]()
    labels = np.column_stack(list(example.y.values())) if isinstance(example.y, dict) else example.y
    counted = example.program.with_coverage(pd.DataFrame(example.X), labels)
    with opened(browser, written(example, tmp_path)) as tab:
        for number, rule in enumerate(counted.rules, 1):
            text = tab.page.locator(f"#rule-{number} .then").inner_text()
            counts = rule.coverage
            headline = tab.page.locator(f"#rule-{number} .headline").text_content()
            assert headline.startswith(f"{counts.rows} rows, {percent(counts.hits / counts.rows)} ")
            assert text.index(headline) < text.index("Precision") < text.index("Recall") < text.index("weight")
        lines = tab.page.locator(".legend li").all_text_contents()
        assert sum("Weight" in line for line in lines) == 1


@pytest.mark.parametrize("kind", [*programs.KINDS, "six classes"])
def test_every_probability_has_its_threshold_as_a_line(browser, tmp_path, kind):
    example = (programs.KINDS | {"six classes": programs.six_classes})[kind]()
    target, thresholds = example.program.schema.target, example.program.thresholds
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        for row in range(8):
            tab.page.locator("#case-pick").select_option(value=str(row))
            decision = json.loads(tab.page.locator("[data-decision]").get_attribute("data-decision"))
            bars = tab.page.locator("#case-result .shares li")
            assert bars.count() == len(target.labels)
            for k in range(bars.count()):
                line = float(bars.nth(k).locator(".track .line").get_attribute("data-threshold"))
                p = float(bars.nth(k).locator("[data-value]").get_attribute("data-value"))
                reached = p >= line - 1e-12
                assert reached == (decision[k] == 1 if target.kind == "multilabel" else decision == k)
                if target.kind == "binary":
                    assert line == pytest.approx(thresholds[0] if k else 1 - thresholds[0])
                box, at = (bars.nth(k).locator(place).bounding_box() for place in (".track", ".line"))
                assert at["x"] + 1 == pytest.approx(box["x"] + min(line, 1) * box["width"], abs=1.5)
        assert "chosen" in tab.page.locator("#case-threshold").text_content() or target.kind == "multilabel"


def test_the_form_asks_for_what_rules_use_and_folds_the_rest(browser, tmp_path):
    example = programs.binary()
    schema = example.program.schema
    model = with_path(example, (1, 4))
    with opened(browser, written(example, tmp_path, model=model)) as tab:

        def asked(where):
            shown = tab.page.locator(f"{where} [data-feature]")
            return {schema.names[int(field.get_attribute("data-feature"))] for field in shown.all()}

        assert asked("#case-fields") == set(example.program.features_used)
        assert (
            asked("#case-others") == set() and tab.page.locator("#case-others summary").inner_text() == "1 other input"
        )
        tab.page.locator("#case-others summary").click()
        tab.page.wait_for_selector("#case-others [data-feature]")  # the fields are made when the fold opens
        assert asked("#case-others") == {"weekday"}
        tab.page.locator("#dial-stop").press("ArrowLeft")
        assert asked("#case-fields") == {"albumin", "hemoglobin"}
        assert asked("#case-others") == set(schema.names) - {"albumin", "hemoglobin"}


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_the_slider_lies_on_the_axis_of_the_chart_and_counts_rules(browser, tmp_path, size):
    example = programs.many_rules(15)
    sizes = (15, 9, 9, 4, 2)
    model = with_path(example, sizes)
    model.path_[2].program = replace(model.path_[2].program, biases=(0.2,))  # another program of nine rules
    with opened(browser, written(example, tmp_path, model=model), **size) as tab:
        slider = tab.page.locator("#dial-stop")
        assert [slider.get_attribute(name) for name in ("min", "max", "step")] == ["2", "15", "1"]
        seen = []
        for _ in range(5):
            rules = tab.page.locator(".card[data-rule]").count()
            seen.append(rules)
            assert slider.input_value() == str(rules)
            box, stop = slider.bounding_box(), tab.page.locator("#dial-chart .here").bounding_box()
            thumb = box["x"] + 9 + (rules - 2) / 13 * (box["width"] - 18)
            assert thumb == pytest.approx(stop["x"] + stop["width"] / 2, abs=1.0)
            slider.press("ArrowLeft")
        assert seen == list(sizes)
        for value, rules in ((14, 9), (8, 4), (3, 2), (15, 15)):  # as model.at(n_rules=value)
            slider.evaluate("(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", value)
            assert tab.page.locator(".card[data-rule]").count() == rules
        marks = [float(text) for text in tab.page.locator("#dial-chart text[text-anchor=middle]").all_text_contents()]
        assert all(mark.is_integer() for mark in marks) and len({b - a for a, b in pairwise(marks)}) == 1


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_an_opened_editor_leaves_no_hole_beside_it(browser, tmp_path, size):
    example = programs.binary()
    with opened(browser, written(example, tmp_path), **size) as tab:
        for number in (1, 4):
            tab.edit(number)
            boxes = [card.bounding_box() for card in tab.page.locator(".card[data-rule]").all()]
            for x in {box["x"] for box in boxes}:
                column = sorted((box for box in boxes if box["x"] == x), key=lambda box: box["y"])
                for above, below in pairwise(column):
                    assert 12 <= below["y"] - above["y"] - above["height"] <= 26
        for card in tab.page.locator(".card[data-rule]").all():  # nor inside a card
            inside = card.evaluate(
                "e => e.getBoundingClientRect().bottom - e.lastElementChild.getBoundingClientRect().bottom"
            )
            assert inside <= 20


@pytest.mark.parametrize("size", [PHONE, DESK])
def test_the_bar_of_changes_covers_nothing_that_is_looked_for(browser, tmp_path, size):
    example = programs.six_classes()
    with opened(browser, written(example, tmp_path, include_rows=True), **size) as tab:
        bar = tab.page.locator("#whatif")
        assert bar.evaluate("e => getComputedStyle(e).position") == "static"
        tab.page.locator("#rule-9 [role=switch]").uncheck(force=True)
        assert bar.evaluate("e => getComputedStyle(e).position") == "sticky"
        for target in ("rule-4", "rule-18", "rule-12", "save"):
            tab.page.evaluate(f"location.hash = '#{target}'")
            tab.page.wait_for_timeout(50)
            top, low = tab.page.locator(f"#{target}").bounding_box()["y"], bar.bounding_box()
            assert top >= low["y"] + low["height"] or low["y"] + low["height"] <= 0
        tab.edit(6).get_by_label("Weight of the rule").focus()
        low = bar.bounding_box()
        assert tab.edit(6).get_by_label("Weight of the rule").bounding_box()["y"] >= low["y"] + low["height"]
        assert low["height"] <= 120


def test_values_with_little_room_keep_their_names(browser, tmp_path):
    example = programs.six_classes()
    with opened(browser, written(example, tmp_path)) as tab:
        drawing = tab.page.locator("#rule-1 .drawing").nth(2)
        names = [text for text in drawing.locator(".strip span, .chips span").all_text_contents() if text]
        assert sorted(names) == sorted(example.program.schema["sort"].values)
        for place in drawing.locator(".chips span").all():
            assert place.is_visible() and place.evaluate("e => e.scrollWidth <= e.clientWidth + 1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_scrolls_sideways_on_a_phone(browser, tmp_path, scheme):
    example = programs.six_classes()
    assert example.program.n_rules == 18
    model = with_path(example, (18, 9, 2))
    with opened(
        browser, written(example, tmp_path, model=model, include_rows=True), color_scheme=scheme, **PHONE
    ) as tab:
        for number in (1, 7):
            tab.edit(number)
        for summary in tab.page.locator("#case-others summary, #table summary, #scores summary").all():
            if summary.is_visible():
                summary.click()
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
        wide = tab.page.evaluate(
            "() => [...document.querySelectorAll('body *')].filter((e) => ['auto', 'scroll'].includes("
            "getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1).map((e) => e.outerHTML.slice(0, 80))"
        )
        assert wide == []


def test_the_calibration_has_intervals(browser, tmp_path):
    example = programs.multiclass()
    with opened(browser, written(example, tmp_path)) as tab:
        found = json.loads(tab.page.locator("#report-data").text_content())["calibration"]
        assert len(found) == tab.page.locator("[data-calibration]").count() == 3
        for k, bands in enumerate(found):
            chart = tab.page.locator(f"[data-calibration='{k}']")
            assert chart.locator(".interval").count() == chart.locator(".dot").count() == len(bands)
            assert sum(band["rows"] for band in bands) == 120
