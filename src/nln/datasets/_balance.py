"""Balance Scale (Siegler, 1976), generated from the law of the lever."""

from __future__ import annotations

from itertools import product

import narwhals as nw

from nln.datasets._frame import Backend, Data, DTypes, build_frame, split_target

DTYPES: DTypes = {
    **dict.fromkeys(("left_weight", "left_distance", "right_weight", "right_distance"), nw.Float64),
    "class": nw.String,
}


def load_balance(*, backend: Backend | None = None) -> Data:
    """Load the balance scale: the side to which a lever with two weights tips.

    All 625 ways to put weights 1 to 5 at distances 1 to 5, in lexicographic order. The side with the larger product of
    weight and distance goes down.

    Parameters
    ----------
    backend : {"pandas", "polars"}, default=None
        Table library; by default pandas if it is installed, else polars.

    Returns
    -------
    X : frame
        625 rows, four columns of floats: `left_weight`, `left_distance`, `right_weight`, `right_distance`.
    y : series
        `class`: `L` (left goes down, 288 rows), `B` (balanced, 49) or `R` (288).

    References
    ----------
    R. Siegler (1976), Balance Scale, UCI Machine Learning Repository.

    Examples
    --------
    >>> X, y = load_balance(backend="polars")
    >>> X.row(1), y[1]
    ((1.0, 1.0, 1.0, 2.0), 'R')
    """
    scales = [(*scale, _side(*scale)) for scale in product(range(1, 6), repeat=4)]
    columns = dict(zip(DTYPES, map(list, zip(*scales, strict=True)), strict=True))
    return split_target(build_frame(columns, DTYPES, backend), "class")


def _side(left_weight: int, left_distance: int, right_weight: int, right_distance: int) -> str:
    torque = left_weight * left_distance - right_weight * right_distance
    return "L" if torque > 0 else "R" if torque < 0 else "B"
