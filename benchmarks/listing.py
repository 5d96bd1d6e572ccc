"""What a person sees: rules learned from real tables, and one case explained.

`kidney` is what the README shows. The other parts store what `nln fit` prints for tables as they come: dates in text,
identifiers, and columns that know the answer. The page *Before you trust a rule* quotes them.
"""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.archives import read_archive
from benchmarks.record import Part, Record
from benchmarks.settings import Settings
from benchmarks.tables import TABLES
from nln import NLNClassifier

CASE = 5
"""Row that is explained."""

FILES: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "penguins": ("palmerpenguins-0.1.6-py3-none-any.whl", "palmerpenguins/data/penguins-raw.csv", "Species", ()),
    "lymph nodes": ("lifelines-0.30.3-py3-none-any.whl", "lifelines/datasets/lymph_node.csv", "censrec", ()),
    "lymph nodes, known at diagnosis": (
        "lifelines-0.30.3-py3-none-any.whl",
        "lifelines/datasets/lymph_node.csv",
        "censrec",
        ("recdate", "deathdate", "rectime", "survtime", "censdead"),
    ),
}
"""For each part the archive of a package, the file in it, the target, and the columns that are left out."""


def run(settings: Settings, record: Record) -> None:
    """Fit each table once and write down what is read."""
    record.part("kidney", _kidney)
    for name in FILES:
        record.part(name, partial(_command, name))


def _kidney(settings: Settings) -> Part:
    X, y = TABLES["kidney"](settings)
    y = y.map({True: "ckd", False: "absent"}).rename("disease")  # in sorted order ckd comes second: the positive class
    model = NLNClassifier(random_state=settings.seed).fit(X, y)
    row: dict[str, Any] = X.iloc[CASE].to_dict()
    return _part({"rules": str(model.program_), "why": str(model.explain(row))})


def _command(name: str, settings: Settings) -> Part:
    """Run `nln fit` on a file, as a user would."""
    archive, member, target, ignored = FILES[name]
    content = read_archive(archive, member, settings)
    with TemporaryDirectory() as folder:
        path = Path(folder) / Path(member).name
        path.write_bytes(content)
        options = [part for column in ignored for part in ("--ignore", column)]
        command = ["fit", path.name, "--target", target, "--seed", str(settings.seed), "-o", "model.json", *options]
        done = subprocess.run(
            [sys.executable, "-m", "nln.cli", *command], cwd=folder, capture_output=True, text=True, check=True
        )
    return _part({"command": " ".join(["nln", *command]), "rules": done.stdout.strip(), "said": done.stderr.strip()})


def _part(texts: dict[str, str]) -> Part:
    return {"notes": [f"```\n{text}\n```" for text in texts.values()], "values": texts}
