"""Random drafts and tables, and what they mean: the whole program evaluated anew for every question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from nln.learning.descent.kernels.best_table import CHANCE, CIRCLE
from nln.learning.descent.layout import SlotLayout
from nln.learning.draft import DescentRows, Draft

NEGATION = 0.5
"""Literals that a negation costs unless a test says otherwise: the default of `SlotLayout`."""


@dataclass(frozen=True)
class Case:
    layout: SlotLayout
    rows: DescentRows
    draft: Draft

    @property
    def n_features(self) -> int:
        return len(self.layout.n_known)

    def part(self, j: int) -> slice:
        """Slots of a feature."""
        return slice(int(self.layout.offsets[j]), int(self.layout.offsets[j + 1]))


def rule_values(case: Case, table: np.ndarray) -> np.ndarray:
    """A rule without its bias on every row."""
    value = np.ones(case.rows.codes.shape[1])
    for j in range(case.n_features):
        value = value * table[case.part(j)][case.rows.codes[j]]
    return value


def probabilities(case: Case, draft: Draft) -> np.ndarray:
    """Probability of each output on every row."""
    none = np.repeat(1.0 - draft.output_bias[:, None], case.rows.codes.shape[1], axis=1)
    for table, a, k in zip(draft.tables, draft.bias, draft.output, strict=True):
        none[k] = none[k] * (1.0 - a * rule_values(case, table))
    return 1.0 - none


def error(case: Case, draft: Draft) -> float:
    """Weighted squared error of the whole program."""
    return float((case.rows.weights * (probabilities(case, draft) - case.rows.targets) ** 2).sum())


def condition_length(table, n_known: int, has_other: bool, has_missing: bool, ordered: bool) -> float:
    """Literals of the shortest condition that means this table: values, exceptions or boundaries, and `or missing`.

    Listing exceptions costs NEGATION more; a contradiction costs nothing.
    """
    known, missing = table[:n_known] > 0.5, table[-1] if has_missing else None
    ordered = int(ordered)
    rest = table[: n_known + has_other]
    if (rest == 1).all() and missing in (None, 1.0):
        return 0.0  # nothing is asked
    if ordered == CHANCE:
        count = (table[:n_known] > 0).any()
    elif ordered == CIRCLE:
        count = (known != np.roll(known, 1)).sum()
    elif ordered:
        count = (known[1:] != known[:-1]).sum()
    elif has_other:  # rare values belong to the exceptions' side
        count = (~known).sum() + NEGATION if table[n_known] > 0.5 else known.sum()
    else:
        count = min(known.sum(), (~known).sum() + NEGATION)
    if (rest == 1).all():
        count = 1  # `not missing`
    return float(count) + bool(missing)


def table_objective(table, s1, s2, kind: tuple, price: float) -> float:
    return float((s2 * table**2 - 2 * s1 * table).sum()) + price * condition_length(table, *kind)


def objective(case: Case, draft: Draft, price: float, pseudo_evidence: float = 0.5) -> float:
    """What the descent minimizes."""
    layout = case.layout
    length = 0.0
    for table in draft.tables:
        for j in range(case.n_features):
            kind = layout.n_known[j], layout.has_other[j], layout.has_missing[j], layout.ordered[j]
            length += condition_length(table[case.part(j)], *kind)
    return error(case, draft) + price * length + pseudo_evidence * float((draft.bias**2).sum())


def random_layout(rng: np.random.Generator, n_features: int, values_only: bool = False) -> SlotLayout:
    ordered = np.zeros(n_features, np.int64)
    if not values_only:
        ordered = np.where(rng.random(n_features) < 0.5, rng.choice([1, CIRCLE, CHANCE], n_features), 0)
    n_known = rng.integers(2, 6, n_features)
    has_other = np.where((ordered > 0) | values_only, False, rng.random(n_features) < 0.2)
    has_missing = np.zeros(n_features, bool) if values_only else rng.random(n_features) < 0.4
    offsets = np.concatenate([[0], np.cumsum(n_known + has_other + has_missing)]).astype(np.int64)
    axis = np.zeros(offsets[-1])
    for j in np.flatnonzero(ordered):
        places = rng.random(n_known[j]) if ordered[j] == CHANCE else rng.normal(size=n_known[j])
        axis[offsets[j] : offsets[j] + n_known[j]] = np.sort(places)
    return SlotLayout(offsets, n_known, has_other.astype(np.int64), has_missing.astype(np.int64), ordered, axis)


def random_table(rng: np.random.Generator, n: int, mode: str) -> np.ndarray:
    crisp, soft = rng.integers(0, 2, n).astype(float), rng.random(n)
    if mode == "mixed":
        return np.where(rng.random(n) < 0.6, crisp, soft)
    return crisp if mode == "crisp" else soft


def random_draft(rng: np.random.Generator, layout: SlotLayout, n_rules: int, n_outputs: int, mode: str) -> Draft:
    tables = np.ones((n_rules, int(layout.offsets[-1])))
    for i in range(n_rules):
        for j in np.flatnonzero(rng.random(len(layout.n_known)) < 0.7):
            part = slice(layout.offsets[j], layout.offsets[j + 1])
            tables[i, part] = random_table(rng, part.stop - part.start, mode)
    bias = np.where(rng.random(n_rules) < 0.4, 1.0, rng.random(n_rules))
    output_bias = np.where(rng.random(n_outputs) < 0.4, 0.0, rng.random(n_outputs))
    return Draft(tables, bias, rng.integers(0, n_outputs, n_rules), output_bias)


def random_rows(rng: np.random.Generator, layout: SlotLayout, n_rows: int, n_outputs: int) -> DescentRows:
    sizes = np.diff(layout.offsets)
    codes = rng.integers(0, sizes, (n_rows, len(sizes))).astype(np.uint8)
    targets = rng.integers(0, 2, (n_outputs, n_rows)).astype(np.float32)
    return DescentRows(np.ascontiguousarray(codes.T), targets, rng.uniform(0.1, 4.0, n_rows))


def random_case(seed: int, n_features: int, n_rules: int, n_outputs: int, n_rows: int, mode: str) -> Case:
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, n_features)
    rows = random_rows(rng, layout, n_rows, n_outputs)
    return Case(layout, rows, random_draft(rng, layout, n_rules, n_outputs, mode))


def cases(modes: tuple[str, ...] = ("crisp", "soft", "mixed")) -> st.SearchStrategy[Case]:
    return st.builds(
        random_case,
        st.integers(0, 2**32 - 1),
        n_features=st.integers(1, 5),
        n_rules=st.integers(1, 6),
        n_outputs=st.integers(1, 3),
        n_rows=st.integers(1, 60),
        mode=st.sampled_from(modes),
    )
