from types import SimpleNamespace

import numpy as np
import pytest

from nln.learning.draft import DescentRows, descent_rows
from nln.learning.selection.from_network import (
    FEWEST_IMAGINED,
    IMAGINED_WEIGHT,
    MOST_IMAGINED,
    draft_network,
    with_imagined,
)
from nln.network.layout import make_input
from nln.network.options import TrainingOptions
from nln.network.training import train
from tests.learning.tables import table_of


@pytest.fixture(scope="module")
def taught():
    encoding, rows = table_of(0)
    given = make_input(encoding, rows, 8, 32)
    every = np.arange(rows.n_rows)
    nets = [
        train(given, given.rows(rows), every, every[:0], 16, TrainingOptions(epochs=10), np.random.default_rng(s))
        for s in range(2)
    ]
    return rows, nets, with_imagined(descent_rows(rows), nets, np.random.default_rng(0))


def test_real_rows_come_first_and_are_as_they_were(taught):
    rows, _, both = taught
    np.testing.assert_array_equal(both.codes[:, : rows.n_rows], rows.codes.T)
    np.testing.assert_array_equal(both.targets[:, : rows.n_rows], rows.targets.T)


def test_imagined_rows_weigh_as_much_as_real_ones_and_hold_their_values(taught):
    rows, _, both = taught
    count = both.n_rows - rows.n_rows
    assert FEWEST_IMAGINED <= count <= MOST_IMAGINED
    assert both.weights[rows.n_rows :].sum() == pytest.approx(IMAGINED_WEIGHT * rows.weights.sum())
    for j, codes in enumerate(both.codes):
        assert set(codes) <= set(rows.codes[:, j])


def test_targets_of_imagined_rows_are_probabilities_that_the_networks_agree_on(taught):
    rows, nets, both = taught
    imagined = both.targets[:, rows.n_rows :]
    assert imagined.min() >= 0
    assert imagined.max() <= 1
    alone = [
        with_imagined(descent_rows(rows), [net], np.random.default_rng(0)).targets[:, rows.n_rows :] for net in nets
    ]
    np.testing.assert_allclose(imagined, np.mean(alone, axis=0), atol=1e-6)


def test_a_row_may_fail_more_conditions_of_a_network_than_a_byte_counts():
    n, weights = 256, {"rule_bias": [1.0], "output_bias": [0.0], "output_weights": [[1.0]]}
    network = SimpleNamespace(
        tables=lambda: np.tile([0.0, 1.0], n)[None],
        inputs=SimpleNamespace(fine_tables=lambda tables: tables),
        weights=SimpleNamespace(**{name: np.array(value) for name, value in weights.items()}),
    )
    encoding = SimpleNamespace(offsets=np.arange(0, 2 * n + 1, 2))
    rows = DescentRows(np.zeros((n, 4), np.uint8), np.ones((1, 4), np.float32), np.ones(4))
    assert draft_network(network, encoding, rows).n_rules == 0
