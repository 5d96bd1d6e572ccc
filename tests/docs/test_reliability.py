"""The tables of the page on reliability are those that the package and the stored runs give."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_made_from_the_package_and_the_stored_runs():
    done = subprocess.run([sys.executable, ROOT / "scripts" / "reliability", "--check"], check=False)
    assert done.returncode == 0, "run scripts/reliability"
