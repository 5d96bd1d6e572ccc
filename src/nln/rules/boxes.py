"""Sets of combinations as products: `this feature one of these AND that feature one of those`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def find_boxes(cells: NDArray[np.int32], cost: NDArray[np.int64], limit: int) -> list[tuple[int, list[list[int]]]]:
    """Cover the wanted cells of a grid by boxes, each grown from its cheapest cell as far as it goes.

    Parameters
    ----------
    cells : array of shape (options of the first axis, of the second, ...)
        A number per cell: equal numbers may share a box, -1 may not be in any.
    cost : array of the same shape
        What each cell costs.
    limit : int
        How many boxes to find at most.

    Returns
    -------
    list of (cost, box)
        The cost of the cell that a box was grown from, and per axis the options in the box, that cell's first.

    Examples
    --------
    >>> find_boxes(np.array([[0, 0, -1], [0, 0, 1]]), np.array([[1, 2, 3], [2, 3, 4]]), 5)
    [(1, [[0, 1], [0, 1]]), (4, [[1], [2]])]
    """
    left = cells >= 0
    boxes: list[tuple[int, list[list[int]]]] = []
    while len(boxes) < limit and left.any():
        flat = int(np.where(left, cost, np.iinfo(np.int64).max).argmin())
        start = np.unravel_index(flat, cells.shape)
        box = [[int(i)] for i in start]
        for axis, chosen in enumerate(box):
            for option in range(cells.shape[axis]):
                slab = [*box[:axis], [option], *box[axis + 1 :]]
                if option not in chosen and (cells[np.ix_(*slab)] == cells[start]).all():
                    chosen.append(option)
        left[np.ix_(*box)] = False
        boxes.append((int(cost[start]), box))
    return boxes
