"""Groups of rows that belong together, such as the visits of one patient."""

from __future__ import annotations

from typing import Any

import numpy as np

from nln.rules.cells import Categories
from nln.rules.decoding import decode
from nln.rules.schema import sort_values
from nln.tables.encoding import Integers


def read_groups(groups: Any, n_rows: int) -> Integers | None:
    """Read one group per row, of text, numbers or truth values, as the number of the group in sorted order."""
    if groups is None:
        return None
    if isinstance(groups, str) or hasattr(groups, "columns"):
        what = repr(groups) if isinstance(groups, str) else "a table"
        raise TypeError(f"groups must be one column with the group of each row, not {what}: give X['patient'], say.")
    cells = decode("groups", groups)
    if len(cells) != n_rows:
        raise ValueError(f"groups must have one entry per row, {n_rows}, not {len(cells)}.")
    missing = np.flatnonzero(cells.missing)
    if len(missing):
        count = "1 row has" if len(missing) == 1 else f"{len(missing)} rows have"
        raise ValueError(
            f"{count} no group (the first is row {missing[0]}). Give each a group of its own, or drop these rows."
        )
    if not isinstance(cells, Categories):
        return np.unique(cells.values, return_inverse=True)[1].ravel().astype(np.int64)
    number = {value: i for i, value in enumerate(sort_values(cells.values))}
    return np.array([number[value] for value in cells.values], np.int64)[cells.codes]
