from types import SimpleNamespace

import numpy as np
import pytest

from nln.learning import learn as learning
from nln.learning import task
from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import slot_layout
from nln.learning.draft import Draft, descent_rows
from nln.learning.learn import explaining_stage, learn
from nln.learning.options import LearningSettings
from nln.learning.selection import path
from nln.learning.selection.dial import Stage
from nln.learning.selection.path import choose
from nln.learning.selection.to_program import to_program
from nln.network.callbacks import Callback
from nln.network.options import TrainingOptions
from nln.rules import Feature, Schema, Target, memberships
from nln.tables.encoding import make_encoding, merge_rows

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
    options = {"n_rules": 32, "starts": 2, "training": TrainingOptions(epochs=40), **options}
    return learn(encoding, rows, LearningSettings(seed=np.random.SeedSequence(0), n_jobs=n_jobs, **options))


def test_program_computes_what_the_draft_computes_on_every_kind_of_feature():
    columns, _, encoding, rows = example()
    found = learned(encoding, rows)
    stage = found.stages[found.chosen]
    assert stage.draft.n_rules >= 2
    schema = Schema(FEATURES, Target("y", "multilabel", ("a", "b")))
    program = to_program(stage, found, schema)
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
        learned(encoding, rows, 2, callbacks=(Broken(),))


@pytest.mark.parametrize("slope", [False, True])
def test_long_tables_get_floors_only_where_one_start_shows_that_they_help(slope, monkeypatch):
    rng, tried = np.random.default_rng(0), []
    columns = {"x": rng.normal(size=900).round(2)}
    chance = 1 / (1 + np.exp(-2.5 * columns["x"])) if slope else np.where(columns["x"] > 0.3, 0.95, 0.05)
    outputs = (rng.random(900) < chance)[:, None].astype(float)
    encoding = make_encoding(FEATURES[3:], columns, np.ones(900))
    rows = merge_rows(encoding.codes(columns, 900), outputs, np.ones(900))

    def spy(losses, variants, *rest, **options):
        tried.extend(variants)
        return choose(losses, variants, *rest, **options)

    for module in (task, path):
        monkeypatch.setattr(module, "SMALL_TABLE", 100)
    monkeypatch.setattr(learning, "choose", spy)
    learned(encoding, rows)
    assert {v.floor for v in tried} == ({0, 2, 3} if slope else {0})
    assert not any(v.taught for v in tried)


def test_dial_goes_from_many_rules_to_few():
    _, _, encoding, rows = example()
    found = learned(encoding, rows)
    counts = [stage.draft.n_rules for stage in found.stages]
    assert len(counts) == len(found.prices) == len(found.validation_losses) > 1
    assert counts[0] >= counts[found.chosen] >= counts[-1]


def test_left_out_rows_are_all_rows_and_each_is_judged_by_a_start_that_did_not_see_it():
    _, outputs, encoding, rows = example()
    found = learned(encoding, rows, starts=5)
    assert len(found.left_out) == len(found.stages)
    for left_out in found.left_out:
        assert left_out.weights.sum() == pytest.approx(rows.weights.sum())
        np.testing.assert_allclose(left_out.weights @ left_out.truth, outputs.sum(axis=0))
    chosen = found.left_out[found.chosen]
    error = (chosen.weights @ (chosen.probability - chosen.truth) ** 2).sum() / chosen.weights.sum()
    assert error == pytest.approx(found.validation_losses[found.chosen], rel=0.05)  # folds differ by a row


@pytest.mark.parametrize(("left_out", "at"), [(0.02, 0), (0.2, 0), (0.24, 1)])
def test_a_stage_that_keeps_little_of_what_the_starts_found_gives_way_to_a_longer_one(left_out, at):
    y = np.tile([0, 1], 50)
    columns, n = {"on": y.astype(np.int32)}, len(y)
    encoding = make_encoding((FEATURES[1],), columns, np.ones(n))
    rows = descent_rows(merge_rows(encoding.codes(columns, n), y[:, None].astype(float), np.ones(n)))
    true = Draft(np.array([[0.0, 1.0]]), np.ones(1), np.zeros(1, np.int64), np.zeros(1))
    nothing = Draft(np.empty((0, 2)), np.empty(0), np.empty(0, np.int64), np.full(1, 0.5))
    stages = [Stage(true, {}), Stage(nothing, {})]
    choice = SimpleNamespace(price=1, losses=np.array([left_out, left_out]))
    table = SimpleNamespace(plain_loss=0.25, rows=rows)
    assert explaining_stage(stages, choice, table, slot_layout(encoding)) == at
