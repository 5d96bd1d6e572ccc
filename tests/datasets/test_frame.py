import subprocess
import sys

import narwhals as nw
import pandas as pd
import polars as pl
import pytest

import nln.datasets
from nln.datasets import _frame, load_balance


def install_only(monkeypatch, *libraries):
    monkeypatch.setattr(_frame, "is_installed", lambda library: library in libraries)


def test_the_backend_asked_for_is_returned():
    assert isinstance(load_balance(backend="pandas")[0], pd.DataFrame)
    assert isinstance(load_balance(backend="pandas")[1], pd.Series)
    assert isinstance(load_balance(backend="polars")[0], pl.DataFrame)
    assert isinstance(load_balance(backend="polars")[1], pl.Series)


def test_pandas_is_preferred_and_polars_is_second(monkeypatch):
    assert isinstance(load_balance()[0], pd.DataFrame)
    install_only(monkeypatch, "polars")
    assert isinstance(load_balance()[0], pl.DataFrame)


def test_without_a_table_library_the_error_says_what_to_install(monkeypatch):
    install_only(monkeypatch)
    with pytest.raises(ImportError, match=r"pandas or polars.*pip install pandas"):
        load_balance()
    with pytest.raises(ImportError, match="pip install polars"):
        load_balance(backend="polars")


def test_an_unknown_backend_is_refused():
    with pytest.raises(ValueError, match="backend='arrow' is not known; allowed: 'pandas', 'polars' or None"):
        load_balance(backend="arrow")


def test_missing_values_stay_missing_in_every_type(backend):
    dtypes = {"text": nw.String, "empty": nw.String, "number": nw.Float64}
    frame = _frame.build_frame({"text": ["a", None], "empty": [None, None], "number": [None, 2]}, dtypes, backend)
    assert frame.columns == ["text", "empty", "number"]
    assert frame.schema["number"] == nw.Float64
    assert [frame[name].is_null().to_list() for name in dtypes] == [[False, True], [True, True], [True, False]]


def test_every_public_name_is_there():
    assert all(hasattr(nln.datasets, name) for name in nln.datasets.__all__)


def test_importing_the_package_imports_no_heavy_library():
    code = "import sys, nln.datasets; sys.exit(len({'pandas', 'polars', 'sklearn'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
