"""Small made-up files in the form of the data files: random inputs, and a target that follows the last two columns."""

import narwhals as nw
import numpy as np

from nln.datasets._adult import SOURCES
from nln.datasets._chess import SOURCE as CHESS
from nln.datasets._kidney import SOURCE as KIDNEY

FILES = ((SOURCES["train"], "<=50K", ">50K"), (CHESS, "nowin", "won"), (KIDNEY, "notckd", "ckd"))
"""Each with its two classes."""


def write_files(folder, n_rows=120):
    """Write all files of the quality benchmarks."""
    for source, negative, positive in FILES:
        rng = np.random.default_rng(0)
        columns = {
            name: rng.choice(["f", "t"], n_rows) if dtype == nw.String else rng.integers(0, 50, n_rows).astype(str)
            for name, dtype in list(source.dtypes.items())[:-1]
        }
        last, before = list(columns.values())[-2:]
        target = np.where((last == last[0]) | (before == before[0]), positive, negative)
        rows = zip(*columns.values(), target, strict=True)
        text = "\n".join([",".join(source.dtypes), *(",".join(row) for row in rows)])
        (folder / f"{source.stem}.csv").write_text(text + "\n")
