"""Flat aggregates of child tables: counts, means and extremes as columns, where these say all that rules need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np

from nln.rules.cells import Array
from nln.rules.children.bags import Bags
from nln.rules.schema import Feature
from nln.tables.children import read_children
from nln.tables.frames import read_table

MOST_VALUES = 10
"""Most values of a column that are counted one by one."""


def aggregates(X: Any, tables: Mapping[str, Any]) -> Any:
    """Add columns to a table that sum up its child tables.

    A condition on such a column asks about all children at once: their number, the largest creatinine, the mean
    pressure. It cannot say that one and the same visit was in the ER and had a high creatinine; for that, give the
    tables to `fit`.

    Parameters
    ----------
    X : data frame
        The rows.
    tables : dict of str to Child
        The child tables, as for `fit`.

    Returns
    -------
    data frame
        X with further columns, named like `visits_count`, `visits_creatinine_max` (also `_min` and `_mean`, for
        numbers) and `visits_dept_ER` (how many children have a value, for columns of at most 10 values). What no child
        tells is missing.

    Examples
    --------
    >>> import nln
    >>> import pandas as pd
    >>> visits = pd.DataFrame({"id": [1, 1, 1], "level": [1.5, 3.0, 6.0]})
    >>> nln.aggregates(pd.DataFrame({"id": [1, 2]}), {"visits": nln.Child(visits, key="id")}).iloc[:, :4]
       id  visits_count  visits_level_min  visits_level_max
    0   1           3.0               1.5               6.0
    1   2           0.0               NaN               NaN
    """
    frame: Any = nw.from_native(X, eager_only=True)
    children = read_children(tables, read_table(X))
    columns: dict[str, Array] = {}
    for table in children.tables:
        bags = children.bags[table.name]
        columns[f"{table.name}_count"] = bags.count((), {})
        for feature in table.features:
            columns |= {f"{table.name}_{name}": column for name, column in _of_feature(feature, bags).items()}
    if taken := [name for name in columns if name in frame.columns]:
        raise ValueError(f"X has a column {taken[0]!r} already. Rename it, or the child table.")
    made = [nw.new_series(name, column, backend=frame.implementation) for name, column in columns.items()]
    return frame.with_columns(*[series.alias(series.name) for series in _aligned(frame, made)]).to_native()


def _aligned(frame: Any, made: list[Any]) -> list[Any]:
    """Give series of pandas the index of the frame."""
    index = getattr(frame.to_native(), "index", None)
    if index is None:
        return made
    return [nw.from_native(series.to_native().set_axis(index), series_only=True) for series in made]


def _of_feature(feature: Feature, bags: Bags) -> dict[str, Array]:
    column, owner = bags.columns[feature.name], bags.of_children
    n_bags = int(max(bags.of_rows.max(initial=-1), owner.max(initial=-1))) + 1
    if feature.is_numeric:
        known = ~np.isnan(column)
        values, owner = column[known], owner[known]
        found: dict[str, Array] = {}
        for name, function, start in (("min", np.minimum, np.inf), ("max", np.maximum, -np.inf)):
            result = np.full(n_bags + 1, start)
            function.at(result, owner, values)
            found[f"{feature.name}_{name}"] = result
        count = np.append(np.bincount(owner, minlength=n_bags), 0)
        total = np.append(np.bincount(owner, values, minlength=n_bags), 0.0)
        found[f"{feature.name}_mean"] = total / np.maximum(count, 1)
        return {name: np.where(count > 0, result, np.nan)[bags.of_rows] for name, result in found.items()}
    if len(feature.values) > MOST_VALUES:
        return {}
    counts = {}
    for place, value in enumerate(feature.values):
        counted = np.append(np.bincount(owner[column == place], minlength=n_bags), 0)
        counts[f"{feature.name}_{value}"] = counted[bags.of_rows].astype(np.float64)
    return counts
