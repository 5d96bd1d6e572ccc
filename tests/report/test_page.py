"""The page in a real browser: what it shows and computes is what Python says."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from nln.model import load_model
from nln.report import write_report
from nln.rules import (
    Boundary,
    ChildTable,
    DateReading,
    Feature,
    Interval,
    IntervalCondition,
    LogicProgram,
    NumberReading,
    Schema,
    Target,
    probabilities,
)
from nln.rules.dates import MONTHS
from nln.rules.language.text import conclusion_text, condition_text
from nln.scores import compute_scores, find_outcomes
from tests import tools
from tests.report import programs
from tests.report.browser import opened, written

pytestmark = pytest.mark.slow

MAKE = programs.KINDS


def python_scores(program, example, rows=None):
    """Scores of a program on rows of an example, all by default."""
    columns, truth = example.columns(pd.DataFrame), example.truth
    rows = np.arange(len(truth)) if rows is None else np.array(rows)
    part = {name: column[rows] for name, column in columns.items()}
    return compute_scores(find_outcomes(program, probabilities(program, part, rows=len(rows)), truth[rows]))


def assert_live(tab, expected):
    for name, value in expected.items():
        assert tab.live(name) == pytest.approx(value, abs=1e-9), name


def without(program, number):
    return replace(program, rules=program.rules[: number - 1] + program.rules[number:])


@pytest.mark.parametrize("kind", MAKE)
def test_rules_and_scores_are_those_of_the_program(browser, tmp_path, kind):
    example = MAKE[kind]()
    program, schema = example.program, example.program.schema
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        cards = tab.page.locator(".card[data-rule]")
        assert cards.count() == program.n_rules
        for i, rule in enumerate(program.rules):
            card = cards.nth(i)
            texts = card.locator(".conditions .condition").all_text_contents()
            assert texts == [condition_text(c, schema[c.feature]) for c in rule.conditions]
            assert card.locator(".conclusion .long").text_content() == conclusion_text(schema.target, rule.label)
            assert float(card.locator(".weight [data-value]").get_attribute("data-value")) == rule.weight
            assert card.locator("svg.axis, .strip").count() == len(rule.conditions)
        scores = python_scores(program, example)
        assert_live(tab, scores)
        for name, value in scores.items():
            assert float(tab.page.locator(f"[data-score={name}]").get_attribute("data-value")) == value


@pytest.mark.parametrize("kind", MAKE)
def test_a_rule_switched_off_changes_the_scores_to_pythons(browser, tmp_path, kind):
    example = MAKE[kind]()
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        tab.page.locator("#rule-1 [role=switch]").focus()
        tab.page.keyboard.press("Space")
        changed = python_scores(without(example.program, 1), example)
        assert changed != python_scores(example.program, example)
        assert_live(tab, changed)
        tab.page.locator("#whatif-undo").click()
        assert_live(tab, python_scores(example.program, example))
        assert tab.page.locator("#rule-1 [role=switch]").is_checked()


def test_an_edited_boundary_and_probability_change_the_scores_to_pythons(browser, tmp_path):
    example = programs.binary()
    program = example.program
    with opened(browser, written(example, tmp_path, include_rows=60)) as tab:
        sample = json.loads(tab.page.locator("#report-data").text_content())["rows"]["positions"]
        assert_live(tab, python_scores(program, example, sample))
        editor = tab.edit(1)
        editor.get_by_label("Weight of the rule").fill("0.31")
        rule = replace(program.rules[0], weight=0.31)
        assert_live(tab, python_scores(replace(program, rules=(rule, *program.rules[1:])), example, sample))
        editor.get_by_label("below").fill("14.25")
        moved = IntervalCondition("hemoglobin", (Interval(high=Boundary(14.25, 0.3)),))
        rule = replace(rule, conditions=(rule.conditions[0], moved))
        changed = replace(program, rules=(rule, *program.rules[1:]))
        assert_live(tab, python_scores(changed, example, sample))
        assert tab.page.locator("#rule-1 .condition").nth(1).text_content() == "hemoglobin < 14.25 ± 0.3"
        editor.get_by_label("half-width of the fuzzy boundary").fill("1.5")
        assert tab.page.locator("#rule-1 .badge").text_content() == "edited"
        editor.locator("fieldset").first.get_by_label("2", exact=True).uncheck()
        assert tab.page.locator("#rule-1 .condition").first.text_content() == "albumin not in {0, 2}"
        assert "in 60 rows of this page" in tab.page.locator("#rule-1 .covers").text_content()


def test_edited_rules_are_copied_as_text_that_parses_back(browser, tmp_path):
    example = programs.binary()
    schema = example.program.schema
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        tab.page.locator("#rule-2 [role=switch]").uncheck(force=True)
        tab.edit(1).get_by_label("below").fill("13.5")
        tab.edit(3).get_by_label("from").nth(1).fill("16")
        stage = tab.edit(4).locator("fieldset").filter(has_text="stage")
        stage.get_by_label("III", exact=True).uncheck()
        stage.get_by_label("I", exact=True).check()
        # Where the page may not use the clipboard, it shows the text.
        tab.page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        tab.page.locator("#save-copy").click()
        program = LogicProgram.parse(tab.page.locator("#copied").input_value(), schema=schema)
        assert program.n_rules == 3
        assert condition_text(program.rules[0].conditions[1], schema["hemoglobin"]) == "hemoglobin < 13.5 ± 0.3"
        stages = condition_text(program.rules[2].conditions[0], schema["stage"])
        assert stages == "stage < III or stage >= IV or missing"
        assert_live(tab, python_scores(program, example))


def test_a_wrong_number_is_refused_with_words(browser, tmp_path):
    example = programs.binary()
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        before = tab.live("log_loss")
        tab.edit(1).get_by_label("Weight of the rule").fill("1.5")
        assert tab.edit(1).get_by_text("From 0 to 1.").is_visible()
        tab.edit(3).get_by_label("from").first.fill("11")
        assert tab.edit(3).get_by_text("Boundaries must ascend.").is_visible()
        assert tab.live("log_loss") == before


def typed(tab, feature, value):
    """Type or choose a value of the case; None is missing."""
    field = tab.page.locator(f"#case-fields [data-feature='{feature}']")
    if field.evaluate("element => element.tagName") == "SELECT":
        field.select_option(value="" if value is None else str(value))
    else:
        field.fill("" if value is None else repr(value))


@pytest.mark.parametrize("kind", MAKE)
@pytest.mark.parametrize("rows", [True, False])
def test_a_typed_case_gets_pythons_probability(browser, tmp_path, kind, rows):
    example = MAKE[kind]()
    schema = example.program.schema
    cases = [
        {"albumin": 2, "hemoglobin": 12.75, "serum creatinine": 1.7, "appetite": "poor", "stage": "II"},
        {"albumin": None, "hemoglobin": 15.4, "serum creatinine": None, "appetite": "poor", "stage": None},
        {"albumin": 3, "hemoglobin": None, "serum creatinine": 2.4, "appetite": "good", "stage": "I"},
    ]
    kinds = [{"hour": 23.5, "rain": 0.25}, {"hour": -1.0, "rain": None}, {"hour": 31.5, "rain": 0.75}]
    cases = [
        {k: v for k, v in (case | kind).items() if k in schema.names} for case, kind in zip(cases, kinds, strict=True)
    ]
    with opened(browser, written(example, tmp_path, include_rows=rows)) as tab:
        for case in cases:
            for name, value in case.items():
                listed = () if schema[name].is_numeric else schema[name].values
                typed(tab, schema.names.index(name), listed.index(value) if listed and value is not None else value)
            expected = example.program.predict_proba([case])[0]
            shown = tab.page.locator("#case-result [data-label]").evaluate_all("all => all.map((e) => e.dataset.value)")
            assert [float(p) for p in shown] == pytest.approx(expected, abs=1e-9)
            check_explanation(tab, example.program, case)


def test_a_feature_that_is_read_from_dates_takes_its_own_value(browser, tmp_path):
    features = (
        Feature("visit month", "ordinal", MONTHS, reading=DateReading("visit", "month")),
        Feature("days from birth to visit", "continuous", reading=DateReading("visit", "days", since_column="birth")),
        Feature("cost", "continuous", reading=NumberReading("$")),
    )
    program = LogicProgram.parse(
        'IF "visit month" >= October AND "days from birth to visit" >= 100 AND cost < 50 THEN class = yes (0.9)',
        schema=Schema(features, Target("class", "binary", ("no", "yes"))),
    )
    X = {"visit": ["2021-10-05", "2021-03-01"], "birth": ["2021-01-01", "2021-02-01"], "cost": ["$20.00", "$1,020.00"]}
    path = write_report(program, X, ["yes", "no"], tmp_path / "dates.html", include_rows=True)
    with opened(browser, path) as tab:
        for month, days, cost in [("November", 120.0, 20.0), ("May", 120.0, 20.0), ("December", 99.0, 20.0)]:
            for feature, value in enumerate((MONTHS.index(month), days, cost)):
                typed(tab, feature, value)
            case = {"visit month": month, "days from birth to visit": days, "cost": cost}
            shown = tab.page.locator("#case-result [data-label]").evaluate_all("all => all.map((e) => e.dataset.value)")
            assert [float(p) for p in shown] == pytest.approx(program.predict_proba([case])[0], abs=1e-9)


def check_explanation(tab, program, case):
    """The rules that fire and their memberships are those of `explain`."""
    explanation = program.explain(case)
    checks = {check.number: check for output in explanation.outputs for check in (*output.fired, *output.missed)}
    for item in tab.page.locator("[data-check]").all():
        check = checks[int(item.get_attribute("data-check"))]
        assert float(item.get_attribute("data-membership")) == pytest.approx(check.membership, abs=1e-9)
        failed = [condition.text for condition in check.conditions if condition.membership < 0.5]
        assert item.locator(".fails .condition").all_text_contents() == failed


@pytest.mark.parametrize("kind", MAKE)
def test_the_smallest_change_turns_the_decision_and_is_as_small_as_pythons(browser, tmp_path, kind):
    example = MAKE[kind]()
    program = example.program
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        sizes = set()
        for row in range(12):
            tab.page.locator("#case-pick").select_option(value=str(row))
            case = {name: column[row] for name, column in example.X.items()}
            found = program.counterfactuals(case)
            shown = [json.loads(e.get_attribute("data-change")) for e in tab.page.locator("[data-change]").all()]
            assert {len(change) for change in shown} == {len(c.changes) for c in found}
            sizes |= {len(change) for change in shown}
            for change in shown:
                new = {**case, **dict(cell_value(program.schema, *entry) for entry in change)}
                assert np.any(program.predict([new]) != program.predict([case]))
        assert sizes


def cell_value(schema, place, cell):
    feature = schema.features[place]
    return feature.name, cell if feature.is_numeric or cell is None else feature.values[cell]


def test_whole_numbers_stay_whole(browser, tmp_path):
    example = programs.whole_numbers()
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        assert {field.get_attribute("step") for field in tab.page.locator("#case-fields input").all()} == {"1"}
        for row in range(30):  # what the page proposes to change to is whole and was seen in training
            tab.page.locator("#case-pick").select_option(value=str(row))
            for change in tab.page.locator("[data-change]").all():
                for place, cell in json.loads(change.get_attribute("data-change")):
                    low, high = example.program.schema.features[place].range
                    assert cell == int(cell) and low <= cell <= high
        # A drawing has a bar for each number, and names the last number inside.
        children = tab.page.locator("#rule-1 .drawing").nth(1)
        assert children.locator("rect.all").count() == 6
        assert children.locator("text.boundary").all_text_contents() == ["1"]
        mark = children.locator(".mark").bounding_box()["x"]
        inside, outside = (children.locator("rect.all").nth(n).bounding_box() for n in (1, 2))
        assert inside["x"] + inside["width"] - 1 <= mark + 1 <= outside["x"] + 1
        editor = tab.edit(2).locator("fieldset").first
        assert editor.get_by_label("half-width of the fuzzy boundary").count() == 0
        assert [editor.get_by_label(word).input_value() for word in ("from", "to")] == ["1", "3"]
        editor.get_by_label("to").fill("3.5")
        assert editor.get_by_text("A whole number is needed.").is_visible()
        for last, text in (("4", "children in 1 to 4"), ("1", "children = 1")):
            editor.get_by_label("to").fill(last)
            assert tab.page.locator("#rule-2 .condition").first.text_content() == text
        tab.edit(1).get_by_label("to").fill("2")
        texts = tab.page.locator("#rule-1 .condition").all_text_contents()
        assert texts == ["visits >= 10", "children <= 2"]
        assert tab.page.locator("#rule-2 .condition").nth(1).text_content() == "visits != 7"


def test_a_change_can_be_applied(browser, tmp_path):
    example = programs.binary()
    with opened(browser, written(example, tmp_path)) as tab:
        before = tab.page.locator("[data-decision]").text_content()
        tab.page.locator("[data-change] button").first.click()
        assert tab.page.locator("[data-decision]").text_content() != before


@pytest.mark.parametrize("kind", MAKE)
def test_errors_are_listed_with_their_rules(browser, tmp_path, kind):
    example = MAKE[kind]()
    wrong = np.flatnonzero(~find_outcomes_of(example).right).tolist()
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        assert f"{len(wrong)} of the 120 rows" in tab.page.locator("#error-count").text_content()
        shown = [int(item.get_attribute("data-row")) for item in tab.page.locator("[data-row]").all()]
        assert shown == wrong[:25]
        tab.page.locator("[data-row] button").first.click()
        assert tab.page.locator("#case-pick").input_value() == str(wrong[0])
        assert tab.page.locator(".verdict.wrong").is_visible()
        tab.page.locator("#case-errors").check()
        assert tab.page.locator("#case-pick option").count() == len(wrong) + 1


def find_outcomes_of(example):
    P = probabilities(example.program, example.columns(pd.DataFrame), rows=len(example.truth))
    return find_outcomes(example.program, P, example.truth)


def test_cards_are_searched_and_sorted(browser, tmp_path):
    example = programs.multiclass()
    with opened(browser, written(example, tmp_path)) as tab:
        shown = tab.page.locator(".card[data-rule]:visible")
        tab.page.locator("#rule-search").fill("HEMOGLOBIN")
        assert [e.get_attribute("data-rule") for e in shown.all()] == ["1", "3"]
        assert tab.page.locator("#rule-count").text_content() == "2 of 4 rules shown"
        tab.page.locator("#rule-search").fill("")
        tab.page.locator("#rule-sort").select_option("weight")
        order = sorted(range(4), key=lambda i: -example.program.rules[i].weight)
        assert [int(e.get_attribute("data-rule")) - 1 for e in shown.all()] == order
        tab.page.locator("#rule-output").select_option(index=2)
        assert [e.get_attribute("data-rule") for e in shown.all()] == ["2"]


def test_the_dial_shows_the_program_at_each_size(browser, tmp_path):
    example = programs.binary()
    stages = [replace(example.program, rules=example.program.rules[:n]) for n in range(5)]
    path = [SimpleNamespace(price=0.1, validation_loss=0.1, program=stage) for stage in stages]
    model = SimpleNamespace(program_=example.program, path_=path, feature_names_in_=list(example.X))
    with opened(browser, written(example, tmp_path, model=model, include_rows=True)) as tab:
        slider = tab.page.locator("#dial-stop")
        assert slider.input_value() == "4"
        for n in (3, 2, 1, 0):
            slider.press("ArrowLeft")
            assert tab.page.locator(".card[data-rule]").count() == n
            assert_live(tab, python_scores(stages[n], example))
            assert tab.page.locator("#dial-text").text_content().startswith(f"{n} rule")


def test_features_show_the_rules_that_use_them(browser, tmp_path):
    example = programs.binary()
    with opened(browser, written(example, tmp_path)) as tab:
        uses = {
            card.locator("h3").text_content(): card.locator(".uses a").all_text_contents()
            for card in tab.page.locator(".feature").all()
        }
        for name in example.program.features_used:
            asked = [i for i, r in enumerate(example.program.rules, 1) if any(c.feature == name for c in r.conditions)]
            assert uses.pop(name) == [f"Rule {i}" for i in asked]
        assert not uses
        assert tab.page.locator("#feature-unused").text_content() == "No rule asks about weekday."


@pytest.mark.parametrize("rules", [0, 100])
@pytest.mark.parametrize("rows", [True, False])
def test_no_rule_and_a_hundred(browser, tmp_path, rules, rows):
    example = programs.many_rules(rules)
    with opened(browser, written(example, tmp_path, include_rows=rows)) as tab:
        assert tab.page.locator(".card[data-rule]").count() == rules
        case = json.loads(tab.page.locator("[data-decision]").get_attribute("data-decision"))
        assert case in (0, 1)
        if rows:
            assert_live(tab, python_scores(example.program, example))


def test_names_that_look_like_code_are_shown_as_text(browser, tmp_path):
    example = programs.hostile()
    path = written(example, tmp_path, include_rows=True)
    for width in (1280, 390):
        with opened(browser, path, viewport={"width": width, "height": 800}) as tab:
            assert tab.page.locator("h1").text_content() == f"Rules for {programs.HOSTILE[0]}"
            assert tab.page.locator("img").count() == 0
            texts = [condition_text(c, example.program.schema[c.feature]) for c in example.program.rules[0].conditions]
            assert tab.page.locator("#rule-1 .conditions .condition").all_text_contents() == texts
            options = tab.page.locator("#case-fields select").first.locator("option").all_text_contents()
            assert options[: len(programs.HOSTILE)] == list(programs.HOSTILE)
            assert tab.page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("kind", "width"), [("binary", 1280), ("multiclass", 390), ("multilabel", 1280)])
def test_axe_finds_no_serious_violation(browser, tmp_path, kind, width, scheme):
    axe = tools.package("axe_playwright_python.sync_playwright").Axe()
    example = MAKE[kind]()
    path = [SimpleNamespace(price=1.0, validation_loss=0.1, program=replace(example.program, rules=()))]
    model = SimpleNamespace(program_=example.program, path_=path, feature_names_in_=list(example.X))
    file = written(example, tmp_path, model=model, include_rows=True)
    with opened(browser, file, color_scheme=scheme, viewport={"width": width, "height": 900}) as tab:
        for number in range(1, example.program.n_rules + 1):
            tab.edit(number)
        tab.page.locator("#rule-2 [role=switch]").uncheck(force=True)
        tab.page.locator("section > details > summary").first.click()
        violations = axe.run(tab.page).response["violations"]
        assert [(v["id"], v["nodes"][0]["html"]) for v in violations if v["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_nothing_sticks_out_at_any_width(browser, tmp_path, width):
    example = programs.many_rules(30)
    with opened(
        browser, written(example, tmp_path, include_rows=True), viewport={"width": width, "height": 800}
    ) as tab:
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width


def test_everything_can_be_reached_by_keyboard(browser, tmp_path):
    example = programs.binary()
    with opened(browser, written(example, tmp_path, include_rows=True)) as tab:
        tab.page.keyboard.press("Tab")
        assert tab.page.evaluate("document.activeElement.textContent") == "Skip to the report"
        tab.page.keyboard.press("Enter")
        assert tab.page.evaluate("document.activeElement.id") == "content"
        reached = set()
        for _ in range(120):
            tab.page.keyboard.press("Tab")
            reached.add(tab.page.evaluate("document.activeElement.id || document.activeElement.tagName"))
        assert {"rule-search", "rule-sort", "save-file", "case-pick", "SUMMARY", "SELECT"} <= reached


def test_the_printed_page_has_the_rules_and_no_controls(browser, tmp_path):
    example = programs.binary()
    with opened(browser, written(example, tmp_path, include_rows=True), color_scheme="dark") as tab:
        paper = "getComputedStyle(document.body).backgroundColor"
        assert tab.page.evaluate(paper) != "rgb(255, 255, 255)"
        tab.page.emulate_media(media="print", color_scheme="dark")
        assert tab.page.evaluate(paper) == "rgb(255, 255, 255)"
        assert tab.page.locator("#rule-1 .condition").first.is_visible()
        for hidden in ("#rule-search", ".contents", "#save", "#case", ".switch"):
            assert not tab.page.locator(hidden).first.is_visible()


def test_a_typed_case_is_calculated_with(browser, tmp_path):
    features = (*(Feature(name, "continuous") for name in ("x", "y")), Feature("g", "categorical", ("p", "q")))
    text = "IF x - y > 3 THEN class = yes (0.8) IF at least 2 of {x > 1; y > 1; g = p} THEN class = yes (0.9)"
    program = LogicProgram.parse(text, schema=Schema(features, Target("class", "binary", ("no", "yes"))))
    rows = {"x": [0.0, 5.0, 2.0, 0.0], "y": [0.0, 1.0, 2.0, 0.0], "g": ["q", "q", "p", "p"]}
    write_report(program, rows, program.predict(rows), tmp_path / "page.html")
    with opened(browser, tmp_path / "page.html") as tab:
        assert tab.page.locator("#case-fields [data-feature]").count() == 3
        for j, cell in ((0, 5.5), (1, 2.25), (2, 1)):
            typed(tab, j, cell)
        expected = program.predict_proba([{"x": 5.5, "y": 2.25, "g": "q"}])[0]
        shown = tab.page.locator("#case-result [data-label]").evaluate_all("all => all.map((e) => e.dataset.value)")
        assert [float(p) for p in shown] == pytest.approx(expected, abs=1e-9)
        assert "it is 3.25" in tab.page.locator("#case-result").inner_text()
        for j, cell in ((0, 2.0), (1, 0.5)):
            typed(tab, j, cell)
        change = json.loads(tab.page.locator("[data-change]").first.get_attribute("data-change"))
        assert change == [[2, 0]]  # the columns of arithmetic stay as they are


def test_a_typed_case_takes_how_many_rows_count(browser, tmp_path):
    visits = ChildTable("visits", "patient", (Feature("dept", "categorical", ("ER", "eye")),))
    schema = Schema((Feature("age", "continuous"),), Target("class", "binary", ("no", "yes")), (visits,))
    text = "IF age >= 50 AND at least 2 visits (dept = ER) THEN class = yes (weight 0.8)"
    program = LogicProgram.parse(text, schema=schema)
    rows = {"patient": [1, 2, 3], "age": [60, 60, 40]}
    tables = {"visits": {"patient": [1, 1, 2, 3, 3], "dept": ["ER", "ER", "eye", "ER", "ER"]}}
    write_report(program, rows, ["yes", "yes", "no"], tmp_path / "page.html", include_rows=True, tables=tables)
    with opened(browser, tmp_path / "page.html") as tab:
        assert tab.live("accuracy") == pytest.approx(2 / 3)
        fields = tab.page.locator("#case-fields .field")
        assert fields.all_inner_texts()[1].startswith("number of visits (dept = ER)")
        typed(tab, 0, 70)
        typed(tab, 1, 3)
        assert json.loads(tab.page.locator("[data-decision]").get_attribute("data-decision")) == 1
        changes = tab.page.locator("[data-change]").evaluate_all("all => all.map((e) => e.dataset.change)")
        assert [[1, 1]] in [json.loads(change) for change in changes]
        editor = tab.edit(1)
        editor.get_by_label("from").nth(1).fill("1")
        assert tab.page.locator("#rule-1 .condition").all_inner_texts()[1] == "some visits (dept = ER)"
        assert tab.live("accuracy") == pytest.approx(2 / 3)
        with tab.page.expect_download() as download:
            tab.page.locator("#save-file").click()
        download.value.save_as(tmp_path / "model.json")
    assert "AND some visits (dept = ER)" in str(load_model(tmp_path / "model.json").program_)


def test_counts_of_one_table_stay_as_they_are(browser, tmp_path):
    visits = ChildTable("visits", "patient", (Feature("dept", "categorical", ("ER", "eye")),))
    schema = Schema((Feature("age", "continuous"),), Target("class", "binary", ("no", "yes")), (visits,))
    text = "IF age >= 50 AND some visits (dept = ER) AND at most 3 visits THEN class = yes (weight 0.8)"
    program = LogicProgram.parse(text, schema=schema)
    rows = {"patient": [1, 2], "age": [60, 40]}
    tables = {"visits": {"patient": [1, 2], "dept": ["ER", "ER"]}}
    write_report(program, rows, ["yes", "no"], tmp_path / "page.html", include_rows=True, tables=tables)
    with opened(browser, tmp_path / "page.html") as tab:
        tab.page.locator("#case-pick").select_option(value="0")
        changes = tab.page.locator("[data-change]").evaluate_all("all => all.map((e) => e.dataset.change)")
        found = [[place for place, _ in json.loads(change)] for change in changes]
    expected = program.counterfactuals({"patient": 1, "age": 60}, tables=tables)
    assert found == [[program.schema.names.index(c.feature) for c in each.changes] for each in expected] == [[0]]
