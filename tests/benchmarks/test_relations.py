"""Sudoku by rules that were learned from boards of 4 x 4."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks import made_sudoku
from benchmarks.relations import sudoku_program
from nln.rules.language.text import conditions_text

KINDS = made_sudoku.KINDS


def test_rules_of_small_boards_solve_boards_of_any_size() -> None:
    program = sudoku_program(0)
    assert {conditions_text(rule, program.schema) for rule in program.rules_for("placed")} == {
        f"no {kind}_rivals (status != removed)" for kind in KINDS
    }
    assert {conditions_text(rule, program.schema) for rule in program.rules_for("removed")} == {
        f"some {kind}_rivals (status = placed)" for kind in KINDS
    }
    rng = np.random.default_rng(3)
    for n, count in ((4, 10), (9, 1)):
        for _ in range(count):
            status, true = made_sudoku.puzzle(n, rng)
            X = {"candidate": np.arange(n**3), "status": status}
            tables = partial(made_sudoku.tables, n=n)
            values, steps = program.fixpoint(X, "status", undecided=made_sudoku.OPEN, tables=tables)
            assert ((values == made_sudoku.PLACED) == true).all()
            assert steps > 1
