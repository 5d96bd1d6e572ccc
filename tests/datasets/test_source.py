from http.client import IncompleteRead
from urllib.error import URLError

import pytest

from nln.datasets import DatasetNotFoundError, _source, fetch_adult, fetch_chess, fetch_kidney
from nln.datasets._files import find_file

FETCHERS = [(fetch_adult, "adult.csv"), (fetch_chess, "chess-krkpa7.csv"), (fetch_kidney, "chronic-kidney-disease.csv")]


@pytest.mark.parametrize(("fetch", "file"), FETCHERS)
def test_offline_the_error_says_what_is_needed_and_where_it_was_sought(fetch, file, tmp_path, backend):
    with pytest.raises(DatasetNotFoundError) as caught:
        fetch(data_home=tmp_path, backend=backend)
    for part in (file, f"{file}.gz", str(tmp_path), "data_home=", "NLN_DATA", "OpenML failed", "no network in tests"):
        assert part in str(caught.value)
    assert isinstance(caught.value, OSError)


def test_the_error_shows_the_header_of_the_file():
    with pytest.raises(DatasetNotFoundError, match=r"first row age,workclass,.*,income; missing values are empty"):
        fetch_adult()


def test_without_a_folder_the_error_says_that_none_was_given():
    with pytest.raises(DatasetNotFoundError, match="no folder was given and NLN_DATA is not set"):
        fetch_chess()


@pytest.mark.parametrize("error", [URLError("down"), TimeoutError("slow"), ValueError("gone"), IncompleteRead(b"")])
def test_every_way_a_download_fails_gives_the_same_error(error, monkeypatch):
    def fetch_openml(**arguments):
        raise error

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    with pytest.raises(DatasetNotFoundError, match=type(error).__name__):
        fetch_chess()


def test_nothing_is_downloaded_if_not_allowed(openml):
    asked = openml(None)
    with pytest.raises(DatasetNotFoundError, match="download_if_missing=False"):
        fetch_kidney(download_if_missing=False)
    assert asked == []


def test_downloading_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_source, "is_installed", lambda library: library != "pandas")
    with pytest.raises(ImportError, match="pip install pandas"):
        fetch_chess(backend="polars")


def test_the_argument_goes_before_the_environment_variable(tmp_path, monkeypatch):
    for name in ("given", "named"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.csv").touch()
    monkeypatch.setenv("NLN_DATA", str(tmp_path / "named"))
    assert find_file(("a.csv",), None) == tmp_path / "named" / "a.csv"
    assert find_file(("a.csv",), str(tmp_path / "given")) == tmp_path / "given" / "a.csv"
    assert find_file(("b.csv", "a.csv"), tmp_path / "given") == tmp_path / "given" / "a.csv"
    assert find_file(("b.csv",), tmp_path / "given") is None


def test_a_home_folder_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "a.csv").touch()
    assert find_file(("a.csv",), "~") == tmp_path / "a.csv"
