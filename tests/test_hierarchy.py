"""Columns of codes with a hierarchy: learned from at the right level, read alike everywhere, explained, saved."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln import Constraints, Hierarchy, LogicProgram, NLNClassifier, SavedModel, TrainingOptions, load_model
from nln.rules import Feature, ModelFormatError, PrefixReading, Schema, Target, read_columns
from tests import tools
from tests.cli.commands import run_here
from tests.large.tables import cut, fit_on

ICD = {"icd": Hierarchy(lengths=(1, 3, 5))}
QUICK = {"starts": 2, "training": TrainingOptions(epochs=30), "random_state": 0}


def patients(rows=3000, seed=0, wrong=0.1):
    """A table whose truth is two groups, and a chapter of the old, with some labels wrong."""
    rng = np.random.default_rng(seed)
    codes = [f"{chapter}{group:02}.{rest}" for chapter in "ABEIJK" for group in range(9) for rest in range(6)]
    icd, age = rng.choice(codes, rows), rng.integers(20, 90, rows)
    truth = np.isin([code[:3] for code in icd], ["E08", "I05"]) | (np.char.startswith(icd, "K") & (age >= 60))
    return {"icd": icd.tolist(), "age": age}, truth ^ (rng.random(rows) < wrong)


@pytest.fixture(scope="module")
def table():
    return patients()


@pytest.fixture(scope="module")
def learned(table):
    return NLNClassifier(random_state=0, feature_types=ICD).fit(pd.DataFrame(table[0]), table[1])


def test_the_truth_is_found_at_the_right_levels(learned):
    X, truth = patients(seed=1, wrong=0.0)
    texts = {record["conditions"] for record in learned.program_.to_records()}
    assert texts == {"icd_first_3 in {E08, I05}", "icd_first_1 = K AND age >= 60"}
    assert learned.score(pd.DataFrame(X), truth) == 1.0


def test_libraries_agree_and_codes_never_seen_belong_to_their_groups(learned, table):
    X = {"icd": ["I05.99", "K", "Z", None, "E0"], "age": [30, 70, 70, 70, 30]}
    frames = [
        pd.DataFrame(X),
        pl.DataFrame(X),
        [dict(zip(X, row, strict=True)) for row in zip(*X.values(), strict=True)],
    ]
    for frame in frames:
        assert learned.predict(frame).tolist() == [True, True, False, False, False]
    assert learned.predict(frames[2][0]).tolist() == [True]
    again = NLNClassifier(random_state=0, feature_types=ICD).fit(pl.DataFrame(table[0]), table[1])
    assert again.program_ == learned.program_


def test_text_json_and_model_files_read_back(learned, table, tmp_path):
    program = learned.program_
    assert LogicProgram.parse(str(program), schema=program.schema) == program
    learned.save(tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert isinstance(loaded, SavedModel)
    assert loaded.program_ == program
    np.testing.assert_array_equal(loaded.predict_proba(table[0]), learned.predict_proba(table[0]))
    document = json.loads((tmp_path / "model.json").read_text())
    tools.model_file_validator().validate(document)
    assert loaded.program_.columns_used == ("icd", "age")


@pytest.mark.parametrize(("length", "said"), [(0, "at least 1"), (-1, "at least 0"), ("3", "whole number")])
def test_a_wrong_length_in_a_file_is_refused(learned, length, said):
    document = learned.program_.to_dict()
    level = next(f for f in document["features"] if "reading" in f)
    level["reading"]["length"] = length
    with pytest.raises(ModelFormatError, match=said):
        LogicProgram.from_dict(document)


def test_a_code_changes_with_all_its_levels(learned):
    row = {"icd": "I03.1", "age": 70}
    assert "icd_first_3 in {E08, I05}" in str(learned.explain({"icd": "I05.77", "age": 30}))
    found = learned.program_.counterfactuals(row, limit=9)
    (only,) = found
    (change,) = only.changes
    assert (change.feature, change.old) == ("icd", "I03.1")
    assert change.requirement == "a code that starts with E08 or I05 or K"
    assert learned.program_.predict([only.apply(row)]).tolist() == [only.decision] == [True]
    assert learned.program_.counterfactuals({"icd": None, "age": 70}, frozen="icd") == []
    assert learned.program_.counterfactuals({"icd": "I05.1", "age": 30}, frozen="icd_first_3") == []


LEVELS = (1, 2, 4)
TEXTS = st.text("AB1", max_size=5)


@st.composite
def programs(draw):
    """Programs that ask about levels of one column and another column, with several levels in a rule."""
    values = {length: draw(st.sets(st.text("AB1", min_size=1, max_size=length), min_size=2)) for length in LEVELS}
    levels = [
        Feature(f"c_first_{n}", "categorical", tuple(sorted(values[n])), reading=PrefixReading("c", n)) for n in LEVELS
    ]
    other = Feature("d", "categorical", ("x", "y"))
    rules = []
    for _ in range(draw(st.integers(1, 4))):
        asked = draw(st.lists(st.sampled_from([*levels, other]), min_size=1, unique=True))
        parts = [f'{f.name} {draw(st.sampled_from(["=", "!="]))} "{draw(st.sampled_from(f.values))}"' for f in asked]
        rules.append(f"IF {' AND '.join(parts)} THEN y = 1 (weight {draw(st.sampled_from([0.4, 0.6]))})")
    return LogicProgram.parse("\n".join(rules), schema=Schema((*levels, other), Target("y", "binary", (0, 1))))


@given(programs(), TEXTS | st.none(), st.sampled_from(["x", "y", None]))
def test_every_counterfactual_turns_the_decision_of_the_row_that_it_makes(program, code, other):
    row = {"c": code, "d": other}
    decided = program.predict([row])[0]
    for found in program.counterfactuals(row):
        changed = found.apply(row)
        assert program.predict([changed])[0] == found.decision != decided
        assert program.predict_proba([changed])[0, 1] == pytest.approx(found.probabilities[0])


@given(st.lists(TEXTS | st.none(), min_size=1), st.integers(1, 4))
def test_longer_levels_split_shorter_ones(codes, length):
    whole = sorted({code for code in codes if code is not None})
    short, long = (
        Feature(f"c{n}", "categorical", tuple(sorted({code[:n] for code in whole})), reading=PrefixReading("c", n))
        for n in (length, length + 1)
    )
    columns = read_columns({"c": codes}, Schema((short, long), Target("y", "binary", (0, 1))))
    for place, code in enumerate(codes):
        one, other = columns["c" + str(length)][place], columns["c" + str(length + 1)][place]
        if code is None:
            assert one == other == -1
        else:
            assert short.values[one] == code[:length]
            assert long.values[other][:length] == short.values[one]


def fitted(codes, lengths=(1, 2), **more):
    """A quick fit on codes, with a column that says the class."""
    rows = len(codes)
    X = pd.DataFrame({"code": codes, "x": np.arange(rows) % 7.0})
    types = {"code": Hierarchy(lengths)}
    return NLNClassifier(**QUICK, feature_types=types, **more).fit(X, np.arange(rows) % 2)


def test_whole_numbers_count_as_their_digits():
    model = fitted([10, 11, 20, 25] * 10)
    assert model.schema_["code_first_1"].values == ("1", "2")
    gaps = fitted([10.0, 11.0, np.nan, 25.0] * 10)
    assert gaps.schema_["code_first_2"].values == ("10", "11", "25")
    assert fitted(["a1", "a2", "b1", "c1"] * 10).schema_.columns == ("code", "x")


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        ([1067, 10115, 20095, 80331], r"'code' .* numbers of 4 to 5 digits \(1067 and 10115\): leading zeros .*zfill"),
        ([1.5, 2.5, 3.0, 4.0], "'code' is read as codes, .* but row 0 holds 1.5. Give the codes as text"),
        ([-1, -2, -3, -4], "'code' is read as codes, .* but row 0 holds -1"),
        ([True, False, True, False], "'code' is read as codes, .* but row 0 holds True"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"] * 2), "'code' is read as codes, .* row 0 holds '2020-01-01"),
    ],
)
def test_columns_that_are_no_codes_are_refused_by_name(codes, said):
    with pytest.raises(ValueError, match=said):
        fitted([*codes] * 10)


def test_numbers_in_the_place_of_codes_with_leading_zeros_are_refused():
    model = NLNClassifier(**QUICK, feature_types={"plz": Hierarchy((2,))})
    codes = ["01067", "10115", "20095", "80331"] * 10
    truth = [code == "01067" for code in codes]
    model.fit(pd.DataFrame({"plz": codes}), truth)
    with pytest.raises(ValueError, match=r"'plz' .* begin with '01', but row 1 holds the number 1067.*as text"):
        model.predict(pd.DataFrame({"plz": ["80331", 1067]}))


@pytest.mark.parametrize("lengths", [(3, 1), (1, 1), (0, 2), (), 3, "13", (1.0, 2), (True, 2)])
def test_wrong_lengths_say_what_is_allowed(lengths):
    with pytest.raises((TypeError, ValueError), match=r"The lengths of a hierarchy .*\(1, 3, 5\)"):
        Hierarchy(lengths)


def test_levels_that_say_nothing_new_are_left_out():
    model = fitted(["AB1", "AC1", "AD2", "AD3"] * 10, lengths=(1, 2, 3, 9))
    assert [name for name in model.schema_.names if name != "x"] == ["code_first_2", "code_first_3"]
    X = pd.DataFrame({"code": ["A"] * 40, "x": [0.5, 1.5] * 20})
    with pytest.warns(UserWarning, match="without two different values tell nothing and are ignored: 'code'"):
        model = NLNClassifier(**QUICK, feature_types={"code": Hierarchy((1, 2))}).fit(X, [0, 1] * 20)
    assert model.schema_.names == ("x",)


def test_a_column_with_the_name_of_a_level_is_refused(table):
    X = pd.DataFrame(table[0]).assign(icd_first_3="x")
    with pytest.raises(ValueError, match="called 'icd_first_3', and so is a column of X"):
        NLNClassifier(**QUICK, feature_types=ICD).fit(X, table[1])


def test_codes_that_tell_the_rows_apart_are_no_identifiers():
    rng = np.random.default_rng(0)
    codes = [f"{'AB'[i % 2]}{i:05}" for i in range(300)]
    model = NLNClassifier(**QUICK, feature_types={"id": Hierarchy((1, 6))})
    model.fit(pd.DataFrame({"id": codes, "x": rng.random(300)}), [code[0] for code in codes])
    assert model.program_.features_used == ("id_first_1",)


def test_constraints_and_initial_rules_name_levels(table):
    X, y = pd.DataFrame(table[0]), table[1]
    model = NLNClassifier(**QUICK, feature_types=ICD, constraints=Constraints(forbidden=["icd_first_1"])).fit(X, y)
    assert "icd_first_1" not in model.program_.features_used
    given = "IF icd_first_3 = A01 THEN class = true"
    assert NLNClassifier(**QUICK, feature_types=ICD, initial_program=given).fit(X, y).score(X, y) > 0.85


def test_a_table_in_parts_gives_rules_about_levels(table):
    X, y = patients(6000)
    model = fit_on(cut(pd.DataFrame(X), pd.Series(y, name="sick"), 5), feature_types=ICD)
    texts = {record["conditions"] for record in model.program_.to_records()}
    assert {"icd_first_3 in {E08, I05}", "icd_first_1 = K AND age >= 60"} <= texts


def test_reports_and_figures_are_made(learned, table, tmp_path):
    tools.package("matplotlib")
    from nln import plots
    from nln.report import write_report

    X, y = pd.DataFrame(table[0])[:300], table[1][:300]
    page = write_report(learned.program_, X, y, tmp_path / "page.html", include_rows=True)
    assert "icd_first_3" in page.read_text(encoding="utf-8")
    for draw in (plots.plot_rules, plots.plot_structure):
        assert draw(learned.program_) is not None


def test_the_command_line_keeps_zeros_and_names_the_column(capfd, tmp_path):
    file, model = tmp_path / "table.csv", tmp_path / "model.json"
    rng = np.random.default_rng(0)
    rows = [(f"{rng.integers(0, 30):02}{rng.integers(0, 9)}00", rng.integers(0, 9)) for _ in range(600)]
    with file.open("w", newline="") as stream:
        csv.writer(stream).writerows([("plz", "x", "y"), *((plz, x, int(plz[:2] in ("01", "07"))) for plz, x in rows)])
    done = run_here(capfd, "fit", file, "--target", "y", "--types", "plz=hierarchy:1,2", "-o", model, "--json")
    assert done.returncode == 0, done.stderr
    columns = {column["name"]: column for column in json.loads(done.stdout)["columns"]}
    assert (columns["plz"]["kind"], columns["plz"]["note"]) == ("hierarchy", "read by its first 1, 2 characters")
    assert [record["conditions"] for record in load_model(model).program_.to_records()] == [
        'plz_first_2 in {"01", "07"}'
    ]
    decided = run_here(capfd, "predict", model, file).stdout.splitlines()[1:]
    assert [line.split(",")[1] for line in decided] == [str(int(plz[:2] in ("01", "07"))) for plz, _ in rows]
    for kind in ("hierarchy", "hierarchy:2,1", "hierarchy:a"):
        wrong = run_here(capfd, "fit", file, "--target", "y", "--types", f"plz={kind}", "-o", tmp_path / "other.json")
        assert wrong.returncode == 2
        assert "as in plz=hierarchy:1,3,5" in wrong.stderr
