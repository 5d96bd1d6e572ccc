import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.best_table import CHANCE
from nln.learning.descent.layout import LEAST_EVIDENCE, SlotLayout
from nln.learning.draft import DescentRows, Draft, descent_rows, pool_drafts
from nln.tables.encoding import merge_rows
from tests.learning import oracle
from tests.learning.oracle import Case, cases, random_case, random_draft, random_layout

some = settings(max_examples=60, deadline=None)
seeds = st.integers(0, 2**32 - 1)
prices = st.sampled_from([0.0, 0.05, 0.5, 2.0])


def start(case: Case) -> Descent:
    return Descent(case.layout, case.rows, case.draft)


def objective(case: Case, descent: Descent, price: float) -> float:
    return oracle.objective(case, descent.draft.take(descent.alive), price, LEAST_EVIDENCE)


def values_layout(*sizes: int) -> SlotLayout:
    """Categorical features without rare or missing values."""
    n, none = np.array(sizes), np.zeros(len(sizes), np.int64)
    offsets = np.concatenate([[0], np.cumsum(n)]).astype(np.int64)
    return SlotLayout(offsets, n, none, none, none, np.zeros(offsets[-1]))


def all_combinations(layout: SlotLayout) -> np.ndarray:
    """Codes of every row there can be, (features, rows)."""
    return np.ascontiguousarray(np.indices(layout.n_known).reshape(len(layout.n_known), -1).astype(np.uint8))


@some
@given(cases())
def test_the_error_and_probabilities_are_those_of_the_whole_program(case):
    descent = start(case)
    expected = oracle.error(case, case.draft)
    assert descent.error() == pytest.approx(expected, abs=1e-9 * (1 + expected))
    np.testing.assert_allclose(descent.probabilities(), oracle.probabilities(case, case.draft), atol=1e-12)


@some
@given(cases(), seeds, prices)
def test_the_error_stays_that_of_the_whole_program_over_many_steps(case, seed, price):
    descent, rng = start(case), np.random.default_rng(seed)
    for _ in range(3):
        descent.sweep(price, rng)
        expected = oracle.error(case, descent.draft.take(descent.alive))
        assert descent.error() == pytest.approx(expected, abs=1e-9 * (1 + expected))


@some
@given(cases(modes=("crisp",)), seeds, prices)
def test_improving_a_crisp_rule_never_raises_the_objective(case, seed, price):
    descent, rng = start(case), np.random.default_rng(seed)
    before = objective(case, descent, price)
    for _ in range(3):
        for i in np.flatnonzero(descent.alive):
            descent.visit(np.array([i]), price, rng)
            after = objective(case, descent, price)
            assert after <= before + 1e-7 * (1 + abs(before))
            before = after


@some
@given(cases(), seeds, prices)
def test_improved_rules_are_crisp_but_for_missing_values_and_probabilities(case, seed, price):
    descent = start(case)
    descent.run(price, np.random.default_rng(seed), sweeps=1)
    for table in descent.draft.tables:
        for j in range(case.n_features):
            known = table[case.part(j)][: case.layout.n_known[j] + case.layout.has_other[j]]
            if case.layout.ordered[j] == CHANCE:
                p = case.layout.axis[case.part(j)][: len(known)]
                assert any(np.array_equal(known, asked) for asked in (p, 1 - p, np.zeros_like(p), np.ones_like(p)))
            else:
                assert np.isin(known, [0.0, 1.0]).all()


@some
@given(cases(), seeds, prices)
def test_sweeps_end(case, seed, price):
    descent, rng = start(case), np.random.default_rng(seed)
    assert any(len(descent.sweep(price, rng)) == 0 for _ in range(60))


@some
@given(cases(), seeds, prices)
def test_every_rule_kept_asks_something(case, seed, price):
    descent = start(case)
    descent.run(price, np.random.default_rng(seed))
    assert (descent.sizes() > 0).all()


@some
@given(cases(), seeds, prices)
def test_a_rule_is_kept_only_if_it_is_worth_its_price(case, seed, price):
    descent, rng = start(case), np.random.default_rng(seed)
    for i in range(case.draft.n_rules):
        descent.visit(np.array([i]), price, rng)
        if descent.alive[i]:
            others = descent.alive & (np.arange(case.draft.n_rules) != i)
            without = oracle.objective(case, descent.draft.take(others), price, LEAST_EVIDENCE)
            assert objective(case, descent, price) <= without + 1e-7 * (1 + without)


@some
@given(cases(), seeds)
def test_biases_are_the_best_there_are(case, seed):
    descent = start(case)
    i = seed % case.draft.n_rules
    descent.lift(i)
    descent.settle(i)
    best = objective(case, descent, 0.0)
    for a in np.linspace(0, 1, 11):
        other = descent.draft.copy()
        other.bias[i] = a
        assert best <= oracle.objective(case, other, 0.0, LEAST_EVIDENCE) + 1e-9 * (1 + best)


@some
@given(cases())
def test_output_biases_minimize_the_error_with_one_more_row_of_the_labels_own_frequency(case):
    descent = start(case)
    descent.fit_output_biases()
    frequency = case.rows.targets @ case.rows.weights / case.rows.weights.sum()

    def smoothed(draft):
        return oracle.error(case, draft) + float(((draft.output_bias - frequency) ** 2).sum())

    best = smoothed(descent.draft)
    for k in range(len(frequency)):
        for o in np.linspace(0, 1, 11):
            other = descent.draft.copy()
            other.output_bias[k] = o
            assert best <= smoothed(other) + 1e-6 * (1 + best)


@settings(max_examples=20, deadline=None)
@given(seeds, prices)
def test_the_order_of_the_rows_does_not_matter(seed, price):
    case = random_case(seed, n_features=4, n_rules=6, n_outputs=2, n_rows=80, mode="mixed")
    codes, targets, weights = case.rows.codes.T, case.rows.targets.T.astype(float), case.rows.weights
    order = np.random.default_rng(seed).permutation(80)
    found = []
    for rows in (np.arange(80), order):
        merged = descent_rows(merge_rows(codes[rows], targets[rows], weights[rows]))
        descent = Descent(case.layout, merged, case.draft)
        descent.run(price, np.random.default_rng(1))
        found.append(descent.draft)
    assert_same(*found)


def test_the_same_generator_gives_the_same_rules_and_the_given_draft_is_not_changed():
    case = random_case(5, n_features=5, n_rules=8, n_outputs=2, n_rows=100, mode="soft")
    before, found = case.draft.copy(), []
    for _ in range(2):
        descent = start(case)
        descent.run(0.1, np.random.default_rng(3))
        found.append(descent.draft)
    assert_same(*found)
    assert_same(case.draft, before)


def assert_same(a: Draft, b: Draft) -> None:
    for name in ("tables", "bias", "output", "output_bias"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


def test_rules_without_evidence_are_dropped():
    """One rule is true, one contradicts the targets, one covers no row at all."""
    layout = values_layout(2, 2, 2)
    codes = np.repeat(all_combinations(layout)[:, [0, 1, 4, 5]], 5, axis=1)  # the second feature is always 0
    rows = DescentRows(np.ascontiguousarray(codes), (codes[0] == 1)[None].astype(np.float32), np.ones(codes.shape[1]))
    tables = np.array([[0, 1, 1, 1, 1, 1], [1, 0, 1, 1, 0, 1], [0, 1, 0, 1, 1, 1]], float)
    descent = Descent(layout, rows, Draft(tables, np.ones(3), np.zeros(3, np.int64), np.zeros(1)))
    descent.run(0.1, np.random.default_rng(0))
    np.testing.assert_array_equal(descent.draft.tables, tables[:1])


def test_duplicates_are_dropped_but_not_those_of_other_outputs():
    layout = values_layout(2, 3)
    codes = np.repeat(all_combinations(layout), 5, axis=1)
    target = (codes[0] == 1).astype(np.float32)
    rows = DescentRows(codes, np.stack([target, target]), np.ones(len(target)))
    tables = np.tile(np.array([0, 1, 1, 1, 1], float), (4, 1))
    draft = Draft(tables, np.full(4, 0.5), np.array([0, 1, 0, 0]), np.zeros(2))
    descent = Descent(layout, rows, draft)
    descent.run(0.01, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(descent.draft.output), [0, 1])
    np.testing.assert_array_equal(descent.draft.tables, tables[:2])


def test_a_rule_that_asks_nothing_is_absorbed_by_its_output():
    case = random_case(0, n_features=2, n_rules=1, n_outputs=1, n_rows=50, mode="crisp")
    case.draft.tables[:] = 1.0
    case.draft.bias[:], case.draft.output_bias[:] = 0.4, 0.1
    descent = start(case)
    error = None
    descent.visit(np.array([0]), 1e6, np.random.default_rng(0))
    error = descent.error()
    assert not descent.alive[0]
    settled = case.draft.copy()
    settled = settled._replace(bias=descent.draft.bias)
    assert error == pytest.approx(oracle.error(case, settled))


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_true_rules_are_kept_exactly_on_noise_free_rows(seed):
    """A random DNF in which every rule has features of its own, so that no rule or literal is redundant."""
    rng = np.random.default_rng(seed)
    layout = values_layout(*rng.integers(2, 4, 6))
    n_rules = int(rng.integers(1, 4))
    owner = np.append(np.arange(n_rules), rng.integers(0, n_rules + 1, 6 - n_rules))  # the last owner asks nothing
    tables = np.ones((n_rules, int(layout.offsets[-1])))
    for j, i in enumerate(owner):
        if i < n_rules:
            part = slice(layout.offsets[j], layout.offsets[j + 1])
            tables[i, part] = 0.0
            tables[i, layout.offsets[j] + rng.integers(0, layout.n_known[j])] = 1.0
    codes = all_combinations(layout)
    draft = Draft(tables, np.ones(n_rules), np.zeros(n_rules, np.int64), np.zeros(1))
    case = Case(layout, DescentRows(codes, np.zeros((1, codes.shape[1])), np.ones(codes.shape[1])), draft)
    targets = oracle.probabilities(case, draft).astype(np.float32)
    descent = Descent(layout, DescentRows(codes, targets, np.ones(codes.shape[1])), draft)
    descent.run(0.05, rng)
    np.testing.assert_array_equal(descent.draft.tables, tables)
    assert ((descent.probabilities() > 0.5) == (targets > 0.5)).all()


def test_soft_rules_become_the_true_ones_on_noise_free_rows():
    layout = values_layout(3, 3, 2, 2)
    codes = all_combinations(layout)
    truth = ((codes[0] == 2) & (codes[2] == 1)) | (codes[1] == 0)
    rows = DescentRows(codes, truth[None].astype(np.float32), np.full(codes.shape[1], 5.0))
    soft = np.array(
        [[0.2, 0.1, 0.9, 0.9, 0.8, 0.9, 0.1, 0.8, 0.9, 0.9], [0.9, 0.9, 0.8, 0.9, 0.3, 0.2, 0.8, 0.9, 0.9, 0.7]]
    )
    descent = Descent(layout, rows, Draft(soft, np.full(2, 0.9), np.zeros(2, np.int64), np.full(1, 0.1)))
    descent.run(0.1, np.random.default_rng(0))
    expected = np.array([[0, 0, 1, 1, 1, 1, 0, 1, 1, 1], [1, 1, 1, 1, 0, 0, 1, 1, 1, 1]], float)
    np.testing.assert_array_equal(descent.draft.tables, expected)
    assert ((descent.probabilities()[0] > 0.5) == truth).all()


def test_a_row_may_fail_more_conditions_than_a_byte_counts():
    n = 256
    layout = values_layout(*[2] * n)
    codes = np.zeros((n, 4), np.uint8)
    rows = DescentRows(codes, np.ones((1, 4), np.float32), np.ones(4))
    draft = Draft(np.tile([0.0, 1.0], n)[None], np.ones(1), np.zeros(1, np.int64), np.zeros(1))
    np.testing.assert_array_equal(Descent(layout, rows, draft).probabilities(), 0.0)


def test_pooled_drafts_hold_all_rules_and_the_mean_biases():
    rng = np.random.default_rng(0)
    layout = random_layout(rng, 3)
    drafts = [random_draft(rng, layout, n, 2, "crisp") for n in (2, 3)]
    pooled = pool_drafts(drafts)
    assert pooled.n_rules == 5
    np.testing.assert_array_equal(pooled.tables[2:], drafts[1].tables)
    np.testing.assert_array_equal(pooled.output[:2], drafts[0].output)
    np.testing.assert_allclose(pooled.output_bias, (drafts[0].output_bias + drafts[1].output_bias) / 2)
