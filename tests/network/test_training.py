import numpy as np
import pytest

from nln.network.kernels.steps import Steps
from nln.network.layout import Weights, draw_rules, initial_weights, make_input
from nln.network.options import TrainingOptions
from nln.network.theory import network_loss
from nln.network.training import _ALIVE, _reset, train
from nln.rules.schema import Feature
from nln.tables.encoding import make_encoding, merge_rows
from tests.network.networks import random_network

FEATURES = (
    Feature("b", "binary", (0, 1)),
    Feature("c", "categorical", ("x", "y", "z")),
    Feature("n", "continuous"),
    Feature("o", "ordinal", ("low", "mid", "high")),
)


STEPS = Steps(np.float32(0.01), 0.1, 1e-3, np.float32(-1))


class Record:
    def __init__(self):
        self.seen, self.ended = [], []

    def on_epoch_end(self, start, epoch, record):
        self.seen.append((start, epoch, dict(record)))

    def on_start_end(self, start):
        self.ended.append(start)


def make_task(seed=0, n=200):
    """Rows whose target is `b = 1 and c != x, or n < -1`, with some missing numbers."""
    rng = np.random.default_rng(seed)
    b, c, o, x = rng.integers(0, 2, n), rng.integers(0, 3, n), rng.integers(0, 3, n), rng.normal(size=n)
    y = ((b == 1) & (c != 0)) | (x < -1)
    x[::7] = np.nan
    columns = {"b": b, "c": c, "n": x, "o": o}
    encoding = make_encoding(FEATURES, columns, np.ones(n))
    rows = merge_rows(encoding.codes(columns, n), y[:, None].astype(float), np.ones(n))
    given = make_input(encoding, rows, intervals=6, max_bins=24)
    return given, given.rows(rows)


def run(options, seed=0, check=0.25, callbacks=(), start=0):
    given, rows = make_task()
    cut = int(len(rows.weights) * check)
    order = np.arange(len(rows.weights))
    return train(given, rows, order[cut:], order[:cut], 12, options, np.random.default_rng(seed), callbacks, start)


def test_the_same_generator_gives_the_same_network():
    a, b, other = (run(TrainingOptions(epochs=8), seed) for seed in (3, 3, 4))
    for x, y in zip(a.weights, b.weights, strict=True):
        np.testing.assert_array_equal(x, y)
    assert a.history == b.history
    assert (a.weights.or_weights != other.weights.or_weights).any()


def test_the_loss_falls():
    loss = run(TrainingOptions(epochs=60)).history.column("loss")
    assert loss[-1] < 0.3 * loss[0]


def test_the_weights_kept_are_those_of_the_best_validation_loss():
    given, rows = make_task()
    network = run(TrainingOptions(epochs=40, learning_rate=0.05))
    watched = network.history.column("validation_loss")
    assert network.history.best_epoch == int(np.argmin(watched))
    assert network.validation_loss == min(watched)
    cut = int(len(rows.weights) * 0.25)
    exact = Weights(*(w.astype(np.float64) for w in network.weights))
    check = [part[:cut].astype(np.float64) for part in (rows.targets, rows.weights)]
    assert network_loss(given.layout, exact, rows.codes[:cut], *check) == pytest.approx(min(watched), rel=1e-3)


def test_training_stops_once_patience_is_over():
    history = run(TrainingOptions(epochs=300, learning_rate=0.2, patience=4)).history
    assert len(history) == history.best_epoch + 1 + 4 or len(history) == 300
    assert len(history) < 300


def test_without_validation_rows_the_training_loss_is_watched():
    history = run(TrainingOptions(epochs=5), check=0.0).history
    assert history.column("validation_loss") == history.column("loss")


def test_callbacks_are_told_of_every_epoch_once():
    record = Record()
    history = run(TrainingOptions(epochs=6), callbacks=[record], start=2).history
    assert [(start, epoch) for start, epoch, _ in record.seen] == [(2, epoch) for epoch in range(6)]
    assert [entry for *_, entry in record.seen] == history.records
    assert record.ended == [2]


def test_an_epoch_draws_at_most_the_rows_allowed():
    options = TrainingOptions(epochs=1, rows_per_epoch=10, batch_size=10, reset_rules=False, l1=0.0, non_empty=0.0)
    few = run(options).history.column("loss")
    assert few != run(TrainingOptions(epochs=1, reset_rules=False, l1=0.0, non_empty=0.0)).history.column("loss")


@pytest.mark.parametrize("n_rows", [1, 100, 10_000, 10_000_000])
def test_batch_and_patience_grow_with_the_table_within_their_limits(n_rows):
    options = TrainingOptions()
    assert 64 <= options.batch_for(n_rows) <= 256
    assert 5 <= options.patience_for(n_rows) <= 60
    assert TrainingOptions(batch_size=7, patience=3).batch_for(n_rows) == 7
    assert TrainingOptions(batch_size=7, patience=3).patience_for(n_rows) == 3


def test_initial_weights_are_drawn_from_their_domains():
    given, _ = make_task()
    w = initial_weights(given, 50, 3, np.random.default_rng(0))
    is_binary = given.layout.kinds == 0
    assert (w.and_weights[~is_binary] == 1).all()
    assert w.and_weights[is_binary].min() < -0.5 < 0.5 < w.and_weights[is_binary].max()
    assert ((w.or_weights >= 0) & (w.or_weights < 1)).all()
    assert ((w.output_weights >= 0) & (w.output_weights < 1)).all()
    assert (w.rule_bias == 1).all()
    assert (w.output_bias == 0).all()
    np.testing.assert_array_equal(w.boundaries, given.boundaries)


def test_a_drawn_rule_asks_about_few_features_of_a_wide_table():
    given, _ = make_task()
    n_features = len(given.layout.kinds)
    for most in (1, 2, n_features, None):
        w = initial_weights(given, 50, 3, np.random.default_rng(0), most_features=most)
        asked = (w.and_weights != 0).sum(axis=0)
        assert (asked == min(most or n_features, n_features)).all()
    assert n_features > 2


def test_drawing_rules_leaves_the_others_alone():
    network = random_network(np.random.default_rng(2), n_rules=6)
    before = network.weights.copy()
    draw_rules(network.layout, network.weights, np.array([1, 4]), np.random.default_rng(0))
    others = [0, 2, 3, 5]
    for name in ("and_weights", "or_weights"):
        np.testing.assert_array_equal(getattr(network.weights, name)[:, others], getattr(before, name)[:, others])
    np.testing.assert_array_equal(network.weights.output_weights, before.output_weights)
    assert (network.weights.rule_bias[[1, 4]] == 1).all()


def test_dead_rules_are_drawn_anew_and_the_others_left_alone():
    network = random_network(np.random.default_rng(4), n_rules=6)
    weights = network.weights
    weights.rule_bias[:] = [0.5, 0.0, 1.0, 0.2, 1.0, 1.0]
    weights.output_weights[:] = 0.5
    weights.output_weights[:, 3] = _ALIVE / 2
    weights.output_weights[:, 4] = 0.0
    weights.output_weights[-1, 5] = 2 * _ALIVE
    before, dead, others = weights.copy(), [1, 3, 4], [0, 2, 5]
    moments = tuple(Weights(*(np.ones_like(w) for w in weights)) for _ in range(2))
    assert _reset(network.inputs, weights, moments, np.random.default_rng(0), STEPS, None) == len(dead)
    assert (weights.output_weights[:, dead] == 0).all()
    assert (weights.rule_bias[dead] == 1).all()
    assert (weights.or_weights[:, dead] != before.or_weights[:, dead]).any(axis=0).all()
    for moment in moments:
        assert not any(m[..., dead].any() for m in moment[:4])
        assert all((m[..., others] == 1).all() for m in moment[:4])
        assert all((m == 1).all() for m in moment[4:])
    for name in ("and_weights", "or_weights", "rule_bias", "output_weights"):
        np.testing.assert_array_equal(getattr(weights, name)[..., others], getattr(before, name)[..., others])
    for name in ("output_bias", "boundaries", "sharpness"):
        np.testing.assert_array_equal(getattr(weights, name), getattr(before, name))


def test_a_network_without_dead_rules_is_not_touched():
    network = random_network(np.random.default_rng(4))
    network.weights.rule_bias[:] = network.weights.output_weights[:] = 0.5
    before = network.weights.copy()
    moments = (before.zeros(), before.zeros())
    assert _reset(network.inputs, network.weights, moments, np.random.default_rng(0), STEPS, None) == 0
    for a, b in zip(network.weights, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_tables_of_the_network_are_spread_over_the_finer_slots():
    given, rows = make_task()
    network = run(TrainingOptions(epochs=2))
    tables, fine = network.tables(), given.fine_tables(network.tables())
    first = 0
    for j, coarse in enumerate(given.coarse):
        for slot, joined in enumerate(coarse):
            np.testing.assert_array_equal(fine[:, first + slot], tables[given.layout.slot_offsets[j] + joined])
        first += len(coarse)
    assert fine.shape == (12, first)
    assert rows.weights.mean() == pytest.approx(1.0)
