"""Windows of images and series as child tables: a rule about some window is a kernel that slides over the image."""

from __future__ import annotations

from typing import Any

import numpy as np

from nln.rules.cells import Array
from nln.rules.children.child import Child
from nln.tables.frames import Table

KEY = "row"
"""The key of windows: the number of the image or series, counted from 0."""


def windows(values: Any, *size: int, step: int = 1) -> Child:
    """Cut images or series into windows, as rows of a child table.

    Parameters
    ----------
    values : array-like of shape (rows, length) or (rows, height, width)
        Series or images of numbers or text, as many as there are rows of X and in their order.
    *size : int
        Length of a window of a series; height and width of a window of an image.
    step : int, default=1
        Distance from one window to the next.

    Returns
    -------
    Child
        A row for each window. Its columns are `start`, where the window begins, and `t0`, `t1`, ... for series; `top`,
        `left`, and `r0c0`, `r0c1`, ... (row and column within the window) for images.

    Examples
    --------
    >>> import nln
    >>> child = nln.windows([[1, 2, 3, 4], [5, 6, 7, 8]], 3)
    >>> list(child.table)
    ['row', 'start', 't0', 't1', 't2']
    >>> child.table["t2"]
    array([3, 4, 7, 8])
    """
    array = np.asarray(values)
    if array.ndim != 1 + len(size) or len(size) not in (1, 2):
        raise ValueError(
            f"windows takes series, (rows, length), with one size, or images, (rows, height, width), with two; here "
            f"the shape is {array.shape} and the size is {size}."
        )
    if any(not 1 <= part <= whole for part, whole in zip(size, array.shape[1:], strict=True)) or step < 1:
        raise ValueError(f"A window of size {size} with step {step} does not fit into {array.shape[1:]}.")
    cut = np.lib.stride_tricks.sliding_window_view(array, size, tuple(range(1, array.ndim)))
    cut = cut[:, ::step] if len(size) == 1 else cut[:, ::step, ::step]
    places = np.indices(cut.shape[: 1 + len(size)]).reshape(1 + len(size), -1)
    names = ["start"] if len(size) == 1 else ["top", "left"]
    columns: dict[str, Array] = {KEY: places[0]}
    columns |= {name: place * step for name, place in zip(names, places[1:], strict=True) if place.any()}
    cells = cut.reshape(-1, *size)
    for place in np.ndindex(*size):
        name = f"t{place[0]}" if len(size) == 1 else f"r{place[0]}c{place[1]}"
        columns[name] = np.ascontiguousarray(cells[(slice(None), *place)])
    return Child(Table(tuple(columns), tuple(columns.values()), len(cells), named=True), KEY, parent_key="")
