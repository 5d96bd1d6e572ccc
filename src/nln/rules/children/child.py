"""`Child`: a table whose rows belong to rows of another, as users give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Child:
    """A table whose rows belong to rows of another one: the visits of patients, the payments of customers.

    Parameters
    ----------
    table : table
        The rows, in any form that `fit` takes.
    key : str
        The column that says which row of X a row belongs to. It is not a feature, neither here nor in X.
    parent_key : str, default=None
        The column of X that the key repeats; by default the one with the name of the key. Empty text means that keys
        are numbers of rows of X, counted from 0.
    order : str, default=None
        A column of numbers or dates that orders the rows of one key. Conditions may then ask for the last ones:
        `from_last <= 3` holds for the last three.
    before : str, default=None
        A column of dates in X. Rows of the table that are later than it, by the dates in `order`, are left out, so that
        nothing is known in advance. Conditions may then ask for days: `days_before <= 30` holds for rows of the last 30
        days. Rows with different dates may share a key.
    feature_types : dict or str, default=None
        Kinds of columns where they should not be inferred, as for `NLNClassifier`.

    Examples
    --------
    >>> import pandas as pd
    >>> from nln import Child
    >>> visits = pd.DataFrame({"patient_id": [1, 1, 2], "dept": ["ER", "eye", "ER"]})
    >>> Child(visits, key="patient_id").key
    'patient_id'
    """

    table: Any
    key: str
    parent_key: str | None = None
    order: str | None = None
    before: str | None = None
    feature_types: Any = None

    def __repr__(self) -> str:
        rows = f"{len(self.table)} rows" if hasattr(self.table, "__len__") else type(self.table).__name__
        return f"Child({rows}, key={self.key!r})"
