import numpy as np
import pytest

from nln.learning import learn as pool
from nln.learning.descent.descent import Descent
from nln.learning.draft import descent_rows, slot_layout
from nln.learning.learn import learn
from nln.learning.options import LanguageOptions
from nln.learning.selection import path
from nln.learning.selection.folds import stratified_folds
from nln.learning.selection.path import Variant, choose, is_too_dear, price_ladder
from nln.learning.selection.to_program import to_program
from nln.network.callbacks import Callback
from nln.network.training import TrainingOptions
from nln.rules import Feature, Schema, Target, memberships
from nln.rules.thresholds import best_threshold
from nln.tables import make_encoding, merge_rows

FEATURES = (
    Feature("colour", "categorical", ("blue", "green", "red")),
    Feature("on", "binary", (False, True)),
    Feature("size", "ordinal", ("S", "M", "L", "XL")),
    Feature("x", "continuous"),
)


def example(n=400, seed=0):
    rng = np.random.default_rng(seed)
    columns = {
        "colour": rng.integers(-1, 3, n).astype(np.int32),
        "on": rng.integers(0, 2, n).astype(np.int32),
        "size": rng.integers(0, 4, n).astype(np.int32),
        "x": np.where(rng.random(n) < 0.1, np.nan, rng.integers(0, 60, n) / 4),
    }
    first = (columns["colour"] == 2) & (columns["x"] < 8)
    second = (columns["size"] >= 2) & (columns["on"] == 1)
    outputs = np.stack([first | (columns["x"] > 13), second], axis=1).astype(float)
    encoding = make_encoding(FEATURES, columns, np.ones(n))
    return columns, outputs, encoding, merge_rows(encoding.codes(columns, n), outputs, np.ones(n))


def learned(encoding, rows, n_jobs=1, **options):
    settings = {
        "n_rules": 32,
        "starts": 2,
        "price": None,
        "training": TrainingOptions(epochs=40),
        "language": LanguageOptions(),
        "seed": np.random.SeedSequence(0),
        **options,
    }
    return learn(encoding, rows, n_jobs=n_jobs, **settings)


def test_program_computes_what_the_draft_computes_on_every_kind_of_feature():
    columns, _, encoding, rows = example()
    found = learned(encoding, rows)
    stage = found.stages[found.chosen]
    assert stage.draft.n_rules >= 2
    schema = Schema(FEATURES, Target("y", "multilabel", ("a", "b")))
    program = to_program(stage, found, encoding, schema)
    codes = encoding.codes(columns, len(columns["x"]))
    slots = encoding.offsets[:-1] + codes
    drafted = zip(stage.draft.output.tolist(), stage.draft.tables, strict=True)
    expected = {(k, tuple(np.round(table[slots].prod(axis=1), 2))) for k, table in drafted}
    given = memberships(program, columns)
    labels = schema.target.outputs
    computed = {(labels.index(rule.label), tuple(np.round(given[:, i], 2))) for i, rule in enumerate(program.rules)}
    assert computed == expected


def test_number_of_threads_does_not_matter():
    _, _, encoding, rows = example()
    one, two = learned(encoding, rows, 1), learned(encoding, rows, 2)
    for first, second in zip(one.stages, two.stages, strict=True):
        np.testing.assert_array_equal(first.draft.tables, second.draft.tables)
        np.testing.assert_array_equal(first.draft.bias, second.draft.bias)


def test_given_price_is_paid():
    _, _, encoding, rows = example()
    found = learned(encoding, rows, price=0.7)
    assert found.prices.tolist() == [0.7]
    assert len(found.stages) == 1


def test_pooled_rules_fit_no_worse_than_no_rules():
    _, _, encoding, rows = example()
    found = learned(encoding, rows)
    ready, draft = descent_rows(rows), found.stages[found.chosen].draft
    with_rules = Descent(slot_layout(encoding), ready, draft)
    without = Descent(slot_layout(encoding), ready, draft.take(np.zeros(draft.n_rules, bool)))
    without.fit_output_biases()
    assert with_rules.error() < 0.2 * without.error()


def test_failure_in_one_start_reaches_the_caller_and_stops_the_others():
    class Broken(Callback):
        def on_epoch_end(self, start, epoch, record):
            if start == 1:
                raise RuntimeError("broken")

    _, _, encoding, rows = example()
    with pytest.raises(RuntimeError, match="broken"):
        learned(encoding, rows, 2, callbacks=[Broken()])


def test_folds_hold_equal_shares_of_every_combination_of_targets():
    targets = np.array([[0, 0], [0, 1], [1, 0]] * 20, float)
    folds = stratified_folds(targets, 5, np.random.default_rng(0))
    for fold in range(5):
        kinds, counts = np.unique(targets[folds == fold], axis=0, return_counts=True)
        assert len(kinds) == 3
        assert (counts == 4).all()


def test_prices_begin_above_the_noise_only_on_long_tables():
    assert price_ladder([0.1], 100, ordered=False)[0] == pytest.approx(0.1)
    assert price_ladder([0.1], 100, ordered=True)[0] == pytest.approx(0.05)
    for ordered in (False, True):
        assert price_ladder([0.1], 100_000, ordered)[0] == pytest.approx(0.8)


def test_clear_winner_is_chosen_and_ties_go_to_the_higher_price():
    clear = np.array([[0.5, 0.1, 0.1, 0.5]] * 4)[:, :, None]
    assert choose(clear, [Variant(0)], 1.0)[0] in (1, 2)
    flat = np.random.default_rng(0).normal(0.2, 1e-4, (4, 5, 1))
    flat[:, -1] += 0.2
    assert choose(flat, [Variant(0)], 1.0, searched=False)[0] >= 2


def test_fuzzy_floors_and_teachers_must_clearly_help():
    losses = np.array([[0.5, 0.2, 0.5]] * 4)[:, :, None]
    hardly, clearly = np.concatenate([losses, 0.98 * losses], axis=2), np.concatenate([losses, 0.8 * losses], axis=2)
    for other in (Variant(0, True), Variant(2)):
        assert choose(hardly, [Variant(0), other], 1.0) == (1, 0)
        assert choose(clearly, [Variant(0), other], 1.0) == (1, 1)


def test_on_noisy_tables_small_savings_count():
    losses = np.array([[0.199, 0.196, 0.2]] * 4)[:, :, None]
    both = np.concatenate([losses, losses - 0.004], axis=2)
    for plain, expected in ((0.2, 1), (1.0, 0)):  # without rules: hardly worse, far worse
        assert choose(both, [Variant(0), Variant(0, True)], plain)[1] == expected


def test_prices_go_lower_if_the_lowest_is_best():
    rising, falling = np.array([[0.1, 0.2, 0.3]])[:, :, None], np.array([[0.3, 0.2, 0.3]])[:, :, None]
    assert is_too_dear(rising)
    assert not is_too_dear(falling)
    assert price_ladder([0.1], 100_000, True, 2.0)[0] == pytest.approx(0.2)


@pytest.mark.parametrize("slope", [False, True])
def test_long_tables_get_floors_only_where_one_start_shows_that_they_help(slope, monkeypatch):
    rng, tried = np.random.default_rng(0), []
    columns = {"x": rng.normal(size=900).round(2)}
    chance = 1 / (1 + np.exp(-2.5 * columns["x"])) if slope else np.where(columns["x"] > 0.3, 0.95, 0.05)
    outputs = (rng.random(900) < chance)[:, None].astype(float)
    encoding = make_encoding(FEATURES[3:], columns, np.ones(900))
    rows = merge_rows(encoding.codes(columns, 900), outputs, np.ones(900))

    def spy(losses, variants, *rest):
        tried.extend(variants)
        return choose(losses, variants, *rest)

    for module in (pool, path):
        monkeypatch.setattr(module, "SMALL_TABLE", 100)
    monkeypatch.setattr(pool, "choose", spy)
    learned(encoding, rows)
    assert {v.level for v in tried} == ({0, 2, 3} if slope else {0})
    assert not any(v.taught for v in tried)


def test_local_search_gets_the_middle_of_the_good_prices():
    losses = np.array([[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]] * 3)[:, :, None]
    assert choose(losses, [Variant(0)], 1.0, searched=True) == (3, 0)
    assert choose(losses, [Variant(0)], 1.0, searched=False) == (4, 0)


def test_dial_goes_from_many_rules_to_few():
    _, _, encoding, rows = example()
    found = learned(encoding, rows)
    counts = [stage.draft.n_rules for stage in found.stages]
    assert len(counts) == len(found.prices) == len(found.validation_losses) > 1
    assert counts[0] >= counts[found.chosen] >= counts[-1]


@pytest.mark.parametrize("metric", ["f1", "accuracy"])
def test_best_threshold_is_the_best_of_the_grid(metric):
    rng = np.random.default_rng(1)
    probability, weights = rng.random(200), rng.integers(1, 4, 200).astype(float)
    truth = rng.random(200) < probability

    def score(threshold):
        decided = probability >= threshold
        right, wrong = weights @ (decided == truth), weights @ (decided != truth)
        hits, rejections = weights @ (decided & truth), weights @ (~decided & ~truth)
        if metric == "accuracy":
            return right
        return 2 * hits / (2 * hits + wrong) + 2 * rejections / (2 * rejections + wrong)

    found = best_threshold(truth, probability, weights, metric)
    assert score(found) == pytest.approx(max(score(t) for t in np.arange(1, 100) / 100))
