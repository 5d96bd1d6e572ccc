"""Tic-Tac-Toe Endgame (Aha, 1991), generated from the rules of the game."""

from __future__ import annotations

from itertools import product

import narwhals as nw

from nln.datasets._frame import Backend, Data, build_frame, split_target

SQUARES = tuple(
    f"{row}-{column}-square" for row in ("top", "middle", "bottom") for column in ("left", "middle", "right")
)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
OUTCOMES = ("x", "o", "draw")
"""Order of the outcomes in the file of the UCI repository."""


def load_tic_tac_toe(*, backend: Backend | None = None) -> Data:
    """Load all boards at the end of a game of tic-tac-toe, with whether x has won.

    The 958 boards that a game with x to move first can end in, generated from the rules of the game, in the order of
    the UCI repository's file. Eight rules, one for each line of three, decide it.

    Parameters
    ----------
    backend : {"pandas", "polars"}, default=None
        Table library; by default pandas if it is installed, else polars.

    Returns
    -------
    X : frame
        958 rows, nine columns of text (`top-left-square` to `bottom-right-square`): `x`, `o` or `b` (blank).
    y : series
        `class`: `positive` (x has won, 626 rows) or `negative` (332).

    References
    ----------
    D. Aha (1991), Tic-Tac-Toe Endgame, UCI Machine Learning Repository.

    Examples
    --------
    >>> X, y = load_tic_tac_toe(backend="polars")
    >>> X.row(0), y[0]
    (('x', 'x', 'x', 'x', 'o', 'o', 'x', 'o', 'o'), 'positive')
    """
    ends = [(outcome, board) for board in product("xob", repeat=9) if (outcome := _outcome(board)) is not None]
    ends.sort(key=lambda end: OUTCOMES.index(end[0]))
    columns = {name: [board[square] for _, board in ends] for square, name in enumerate(SQUARES)}
    columns["class"] = ["positive" if outcome == "x" else "negative" for outcome, _ in ends]
    return split_target(build_frame(columns, dict.fromkeys(columns, nw.String), backend), "class")


def _outcome(board: tuple[str, ...]) -> str | None:
    """Return who won (`x`, `o`, `draw`), None for a board no game ends in."""
    lead = board.count("x") - board.count("o")
    x_wins, o_wins = (any(all(board[square] == player for square in line) for line in LINES) for player in "xo")
    # The game stops with the winning move, so the winner has moved last and the other has no line.
    if x_wins and not o_wins and lead == 1:
        return "x"
    if o_wins and not x_wins and lead == 0:
        return "o"
    if not x_wins and not o_wins and lead == 1 and "b" not in board:
        return "draw"
    return None
