"""Files for the commands, written once."""

from __future__ import annotations

import pytest

from tests.cli.composing import write_files


@pytest.fixture(scope="session")
def given(tmp_path_factory):
    """A folder of model files and tables that no test may change."""
    return write_files(tmp_path_factory.mktemp("given"))
