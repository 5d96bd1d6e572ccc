"""Rule modules that begin with given rules compute what the rules say."""

from __future__ import annotations

import numpy as np
import pytest

from nln.network.initial import InitialRules, write_rules
from nln.network.kernels.passes import BAND, all_bands, all_memberships
from nln.network.layout import initial_weights, make_input, make_scratch
from nln.rules import Feature
from nln.tables.encoding import make_encoding, merge_rows

FEATURES = (
    Feature("colour", "categorical", ("blue", "green", "red")),
    Feature("on", "binary", (False, True)),
    Feature("x", "continuous"),
)


@pytest.fixture
def network():
    rng, n = np.random.default_rng(0), 200
    columns = {
        "colour": rng.integers(-1, 3, n).astype(np.int32),
        "on": rng.integers(0, 2, n).astype(np.int32),
        "x": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 8, n).astype(float)),
    }
    encoding = make_encoding(FEATURES, columns, np.ones(n))
    rows = merge_rows(encoding.codes(columns, n), np.ones((n, 2)), np.ones(n))
    given = make_input(encoding, rows, intervals=8, max_bins=32)
    return encoding, given, initial_weights(given, 5, 2, np.random.default_rng(1))


def test_tables_of_the_modules_are_those_of_the_rules(network):
    encoding, given, weights = network
    before = weights.copy()
    tables = np.ones((2, encoding.n_slots))
    tables[0] = [1, 0, 0, 0.3, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0.6]
    tables[1, 4:6] = [1, 0]
    write_rules(given, weights, InitialRules(tables, np.array([0.9, 0.4]), np.array([1, 0])))
    work = make_scratch(given.layout, 5)
    all_bands(given.layout, weights, work, BAND)
    all_memberships(given.layout, weights, work)
    # Fuzzy intervals leave a little at a bin next to a boundary: sigma(12 / 2).
    np.testing.assert_allclose(given.fine_tables(work.tables)[:2], tables, atol=0.006)
    assert weights.rule_bias[:2].tolist() == pytest.approx([0.9, 0.4])
    assert weights.output_weights[:, :2].tolist() == [[0, 1], [1, 0]]
    for now, was in zip(weights[:4], before[:4], strict=True):
        np.testing.assert_array_equal(now[..., 2:], was[..., 2:])
