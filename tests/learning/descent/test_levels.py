from __future__ import annotations

import numpy as np
import pytest

from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import slot_layout
from nln.learning.descent.levels import change_levels, find_levels
from nln.learning.draft import Draft, descent_rows
from nln.rules import Feature, PrefixReading
from nln.tables.encoding import make_encoding, merge_rows

CODES = tuple(f"{group}{rest}" for group in "ABCD" for rest in range(5))
FEATURES = (
    Feature("c_first_1", "categorical", tuple("ABCD"), reading=PrefixReading("c", 1)),
    Feature("x", "categorical", ("p", "q")),
    Feature("c_first_2", "categorical", CODES, reading=PrefixReading("c", 2)),
)


def table(seed, codes, n=3000, wrong=0.1):
    """Rows of these codes have the label where x is p."""
    rng = np.random.default_rng(seed)
    code = rng.integers(0, len(CODES), n).astype(np.int32)
    columns = {"c_first_1": code // 5, "x": rng.integers(0, 2, n).astype(np.int32), "c_first_2": code}
    truth = np.isin(np.array(CODES)[code], codes) & (columns["x"] == 0) ^ (rng.random(n) < wrong)
    encoding = make_encoding(FEATURES, columns, np.ones(n))
    return encoding, descent_rows(merge_rows(encoding.codes(columns, n), truth[:, None].astype(float), np.ones(n)))


def at_rest(encoding, rows, codes, price):
    """A descent that began at a rule that lists the codes, or their groups."""
    tables = np.ones((1, encoding.n_slots))
    for j, slots in enumerate(encoding.slots):
        if slots.feature.values[0] in ("A0", "A") and len(codes[0]) == len(slots.feature.values[0]):
            tables[0, encoding.offsets[j] : encoding.offsets[j + 1]] = np.isin(slots.feature.values, codes)
    descent = Descent(slot_layout(encoding), rows, Draft(tables, np.array([0.8]), np.zeros(1, np.int64), np.zeros(1)))
    descent.run(price, np.random.default_rng(0))
    return descent


def asked(descent, encoding):
    """The features that the only rule asks about, with how many values hold."""
    (rule,) = descent.draft.tables
    parts = np.split(rule, encoding.offsets[1:-1])
    return {s.feature.name: int(part.sum()) for s, part in zip(encoding.slots, parts, strict=True) if (part < 1).any()}


@pytest.mark.parametrize("seed", range(5))
def test_codes_of_a_group_become_the_group(seed):
    group = [code for code in CODES if code[0] == "B"]
    encoding, rows = table(seed, group)
    descent = at_rest(encoding, rows, group, 2.0)
    assert asked(descent, encoding) == {"x": 1, "c_first_2": 5}  # no step on one condition leads to the group
    before = descent.objective(2.0)
    assert change_levels(descent, 2.0, find_levels(encoding))
    assert asked(descent, encoding) == {"x": 1, "c_first_1": 1}
    assert descent.objective(2.0) < before


@pytest.mark.parametrize("seed", range(5))
def test_a_group_of_which_two_codes_count_becomes_the_codes(seed):
    encoding, rows = table(seed, ["B1", "B3"])
    descent = at_rest(encoding, rows, ["B"], 2.0)
    before = descent.objective(2.0)
    if asked(descent, encoding) == {"x": 1, "c_first_1": 1}:
        assert change_levels(descent, 2.0, find_levels(encoding))
        assert descent.objective(2.0) < before
    assert "c_first_2" in asked(descent, encoding)


def test_what_is_at_the_right_level_stays():
    encoding, rows = table(0, ["B1", "D3"])
    descent = at_rest(encoding, rows, ["B1", "D3"], 2.0)
    tables = descent.draft.tables.copy()
    assert not change_levels(descent, 2.0, find_levels(encoding))
    np.testing.assert_array_equal(descent.draft.tables, tables)


def test_levels_are_found_by_their_column():
    encoding, _ = table(0, ["B1"])
    assert find_levels(encoding) == [[0, 2]]
    assert find_levels(encoding.take(np.array([0, 1]))) == []
