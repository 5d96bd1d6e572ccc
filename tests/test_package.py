from __future__ import annotations

import subprocess
import sys

import nln


def imported_by(code):
    """Names of the modules that a fresh interpreter has loaded after running the code."""
    tail = "\nimport sys; sys.stdout.write(' '.join(m.split('.')[0] for m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code + tail], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_import_and_running_a_program_load_neither_numba_nor_scikit_learn():
    run = """
from nln import LogicProgram
from nln.rules import Feature, Schema, Target
schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
program = LogicProgram.parse("IF x < 3 THEN class = yes (0.9) OTHERWISE class = no", schema=schema)
assert program.predict({"x": [1.0, 5.0]}).tolist() == ["yes", "no"]
"""
    assert imported_by(run).isdisjoint({"numba", "sklearn", "pandas", "polars", "narwhals", "scipy"})


def test_every_public_name_is_there():
    for name in nln.__all__:
        assert getattr(nln, name) is not None
        assert name in dir(nln)


def test_unknown_name_is_an_attribute_error():
    try:
        nln.nothing  # noqa: B018 - the access is what is tested
    except AttributeError as error:
        assert "nothing" in str(error)
    else:
        raise AssertionError
