"""The MONK's problems (Thrun et al., 1991), generated from their definitions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Literal, TypeAlias

import narwhals as nw

from nln.datasets._frame import Backend, Data, build_frame, split_target

Robot: TypeAlias = tuple[int, ...]

VALUES = {"a1": 3, "a2": 3, "a3": 2, "a4": 3, "a5": 4, "a6": 2}
"""Number of values of each attribute; values are 1, 2, ..."""


def _monk_1(robot: Robot) -> bool:
    """Head and body have the same shape, or the jacket is red."""
    a1, a2, _, _, a5, _ = robot
    return a1 == a2 or a5 == 1


def _monk_2(robot: Robot) -> bool:
    """Exactly two attributes have their first value."""
    return robot.count(1) == 2


def _monk_3(robot: Robot) -> bool:
    """Green jacket and sword, or neither a blue jacket nor an octagonal body."""
    _, a2, _, a4, a5, _ = robot
    return (a5 == 3 and a4 == 1) or (a5 != 4 and a2 != 3)


PROBLEMS: dict[int, Callable[[Robot], bool]] = {1: _monk_1, 2: _monk_2, 3: _monk_3}


def load_monks(problem: Literal[1, 2, 3] = 1, *, backend: Backend | None = None) -> Data:
    """Load a MONK's problem: all 432 robots, with the class that its definition gives.

    Attributes are coded as in the UCI repository: `a1` head shape and `a2` body shape (round, square, octagon), `a3`
    smiling (yes, no), `a4` holding (sword, balloon, flag), `a5` jacket colour (red, yellow, green, blue), `a6` tie
    (yes, no).

    Parameters
    ----------
    problem : {1, 2, 3}, default=1
        1: `a1 = a2 or a5 = 1`. 2: exactly two of the six attributes are 1. 3: `(a5 = 3 and a4 = 1) or (a5 != 4 and
        a2 != 3)`, without the noise of the UCI training file.
    backend : {"pandas", "polars"}, default=None
        Table library; by default pandas if it is installed, else polars.

    Returns
    -------
    X : frame
        432 rows in lexicographic order, six columns of text (`a1` to `a6`), so that they are taken as categories.
    y : series
        `class`: `1` (216, 142 and 228 rows for problem 1, 2 and 3) or `0`, as text.

    References
    ----------
    S. Thrun et al. (1991), The MONK's Problems: A Performance Comparison of Different Learning Algorithms.

    Examples
    --------
    >>> X, y = load_monks(2, backend="polars")
    >>> X.row(0), y[0]
    (('1', '1', '1', '1', '1', '1'), '0')
    """
    if problem not in PROBLEMS:
        raise ValueError(f"problem={problem!r} is not a MONK's problem; allowed: 1, 2, 3.")
    robots = list(product(*(range(1, count + 1) for count in VALUES.values())))
    columns = {name: [str(robot[place]) for robot in robots] for place, name in enumerate(VALUES)}
    columns["class"] = ["1" if PROBLEMS[problem](robot) else "0" for robot in robots]
    return split_target(build_frame(columns, dict.fromkeys(columns, nw.String), backend), "class")
