"""A program on rows, ready for changes whose effect on the squared error is known in closed form.

The closed form is that of the descent (docs/architecture.md, "Closed form"), with weights of 1: up to a constant, the
squared error of an output is sum_x q2 (a r_i)^2 - 2 q1 (a r_i) in the membership r_i of one of its rules.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nln.compose.core.rows import Rows, owners, rule_memberships
from nln.rules import LogicProgram, Rule
from nln.scores import Floats

Places = NDArray[np.intp]

_SMALL = 1e-6
"""Factors below this are not divided out; the product is computed again."""

_ZERO = 1e-12
"""Memberships below this count as 0; otherwise the tails of fuzzy boundaries would reach over all rows."""


class State:
    """Rules, biases and their effect on each row. The only mutable object in this package."""

    def __init__(self, program: LogicProgram, rows: Rows) -> None:
        self.program, self.rows = program, rows
        self.schema = program.schema
        self.rules: list[Rule | None] = list(program.rules)  # None where a rule was dropped
        self.owner = owners(program)
        self.r = rule_memberships(program, rows.columns, rows.n_rows)  # (rules, rows)
        self.r[self.r < _ZERO] = 0.0
        self.fires: list[Places] = [np.flatnonzero(r) for r in self.r]
        self.a = np.array([rule.weight for rule in program.rules])  # 0 where a rule was dropped
        self.o = np.array(program.biases)
        self.truth = np.ascontiguousarray(rows.truth.T)
        self.absent = np.ones(self.truth.shape)  # prod_i (1 - a_i r_i) over the rules of each output, (outputs, rows)
        self.version = np.zeros(len(self.truth), np.intp)  # counts the changes of each output's rules
        self.refresh()

    def refresh(self) -> None:
        """Compute the products again from the memberships and biases."""
        self.absent[:] = 1.0
        self.version += 1
        for i in self.living():
            self.absent[self.owner[i], self.fires[i]] *= 1.0 - self.a[i] * self.r[i, self.fires[i]]

    def living(self) -> list[int]:
        """Indices of the rules that are left."""
        return [i for i, rule in enumerate(self.rules) if rule is not None]

    def others(self, i: int, places: Places) -> Floats:
        """Product of the factors 1 - a r of the other rules of rule i's output, on some rows."""
        factor = 1.0 - self.a[i] * self.r[i, places]
        small = factor < _SMALL
        product: Floats = self.absent[self.owner[i], places] / np.where(small, 1.0, factor)
        if small.any():
            again, rows = np.ones(int(small.sum())), places[small]
            for j in self.living():
                if j != i and self.owner[j] == self.owner[i]:
                    again *= 1.0 - self.a[j] * self.r[j, rows]
            product[small] = again
        return product

    def quadratic(self, i: int, places: Places) -> tuple[Floats, Floats]:
        """Return q1 and q2 of rule i (see the module) on some rows."""
        k = self.owner[i]
        rest = self.others(i, places)
        rest *= 1.0 - self.o[k]
        q2 = rest * rest
        return q2 - rest * ~self.truth[k, places], q2

    def change(self, i: int, *, rule: Rule | None, r: Floats | None = None, a: float | None = None) -> None:
        """Replace rule i, its memberships or its bias; `rule=None` drops it."""
        places = self.fires[i] if r is None else np.flatnonzero((self.r[i] > 0.0) | (r > 0.0))
        product = self.others(i, places)
        self.rules[i] = rule
        if r is not None:
            self.r[i] = r
            self.fires[i] = np.flatnonzero(r)
        self.a[i] = 0.0 if rule is None else self.a[i] if a is None else a
        self.absent[self.owner[i], places] = product * (1.0 - self.a[i] * self.r[i, places])
        self.version[self.owner[i]] += 1

    def probabilities(self) -> Floats:
        """Probability of each output for each row, (rows, outputs)."""
        return (1.0 - (1.0 - self.o[:, None]) * self.absent).T

    def to_program(self) -> LogicProgram:
        """Return the present program: the rules that are left, in their order."""
        rules = [replace(rule, weight=a) for rule, a in zip(self.rules, self.a, strict=True) if rule is not None]
        return replace(self.program, rules=tuple(rules), biases=tuple(self.o))
