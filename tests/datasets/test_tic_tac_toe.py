from collections import Counter

import narwhals as nw

from nln.datasets import load_tic_tac_toe

# Rows, columns and diagonals written out by hand, apart from the module's own table.
LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]


def lines_of(board, player):
    return sum(all(board[int(square)] == player for square in line) for line in LINES)


def rows_and_labels(backend):
    X, y = load_tic_tac_toe(backend=backend)
    return nw.from_native(X).rows(), nw.from_native(y, series_only=True).to_list()


def test_there_are_626_positive_and_332_negative_boards(backend):
    rows, labels = rows_and_labels(backend)
    assert len(rows) == 958
    assert Counter(labels) == {"positive": 626, "negative": 332}


def test_boards_are_distinct_and_x_has_moved_first(backend):
    rows, _ = rows_and_labels(backend)
    assert len(set(rows)) == len(rows)
    assert all(set(board) <= set("xob") for board in rows)
    assert all(board.count("x") - board.count("o") in (0, 1) for board in rows)


def test_a_board_is_positive_exactly_if_x_has_a_line(backend):
    for board, label in zip(*rows_and_labels(backend), strict=True):
        assert (lines_of(board, "x") > 0) == (label == "positive")


def test_every_game_is_over_and_ended_with_the_winning_move(backend):
    for board, _ in zip(*rows_and_labels(backend), strict=True):
        lead = board.count("x") - board.count("o")
        if lines_of(board, "x"):
            assert lead == 1
            assert not lines_of(board, "o")
        elif lines_of(board, "o"):
            assert lead == 0
        else:
            assert "b" not in board


def test_the_boards_are_those_that_play_reaches(backend):
    ends = set()
    seen = set()
    stack = [("b",) * 9]
    while stack:
        board = stack.pop()
        if board in seen:
            continue
        seen.add(board)
        if "b" not in board or lines_of(board, "x") or lines_of(board, "o"):
            ends.add(board)
            continue
        player = "x" if board.count("x") == board.count("o") else "o"
        stack += [(*board[:i], player, *board[i + 1 :]) for i in range(9) if board[i] == "b"]
    assert set(rows_and_labels(backend)[0]) == ends


def test_columns_are_named_after_the_squares(backend):
    X, y = load_tic_tac_toe(backend=backend)
    assert list(X.columns)[:4] == ["top-left-square", "top-middle-square", "top-right-square", "middle-left-square"]
    assert list(X.columns)[-1] == "bottom-right-square"
    assert y.name == "class"
