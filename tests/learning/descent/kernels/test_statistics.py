import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.descent.kernels import statistics
from tests.learning import oracle
from tests.learning.oracle import Case, cases, random_table

some = settings(max_examples=120, deadline=None)
choices = st.integers(0, 10**6)


def close(value, error):
    return pytest.approx(value, abs=1e-9 * (1 + abs(error)))


class State:
    """The rows' state under every rule and output, by the compiled passes, with counts of one of the three widths."""

    def __init__(self, case: Case):
        self.case, n = case, case.rows.n_rows
        count = (np.uint8, np.uint16, np.uint32)[n % 3]
        self.zeros, self.product, self.rule = np.zeros(n, count), np.ones(n), np.ones(n)
        outputs = len(case.draft.output_bias)
        self.output_zeros, self.output_product = np.zeros((outputs, n), np.int32), np.ones((outputs, n))
        for i in range(case.draft.n_rules):
            self.compute(i)
            statistics.add_factor(self.rule, case.draft.bias[i], *self.output(i))

    def output(self, i):
        k = self.case.draft.output[i]
        return self.output_zeros[k], self.output_product[k]

    def compute(self, i):
        statistics.rule_state(
            self.case.rows.codes, self.case.layout.offsets, self.case.draft.tables[i], self.zeros, self.product
        )
        statistics.activation(self.zeros, self.product, self.rule)

    def lift(self, i):
        """Take rule i out; return the quadratic q1, q2 of what is left."""
        case, n = self.case, self.case.rows.n_rows
        self.compute(i)
        statistics.remove_factor(self.rule, case.draft.bias[i], *self.output(i))
        q1, q2, k = np.zeros(n), np.zeros(n), case.draft.output[i]
        rows = case.rows.targets[k], case.rows.weights
        statistics.quadratic(*rows, *self.output(i), case.draft.output_bias[k], q1, q2)
        return q1, q2

    def sums(self, i, j, q1, q2):
        case = self.case
        part = case.draft.tables[i, case.part(j)]
        s1, s2, room = np.ones(len(part)), np.ones(len(part)), np.zeros(case.rows.n_rows, np.int64)
        _, count = statistics.rows_within_one(self.zeros, room)
        active, bias = room[:count], case.draft.bias[i]
        statistics.slot_sums(case.rows.codes[j], active, self.zeros, self.product, part, bias, q1, q2, s1, s2)
        return s1, s2

    def error(self):
        case = self.case
        parts = zip(case.rows.targets, self.output_zeros, self.output_product, case.draft.output_bias, strict=True)
        return sum(statistics.squared_error(y, case.rows.weights, z, p, o) for y, z, p, o in parts)


@some
@given(cases())
def test_the_state_of_a_rule_is_the_rule_on_every_row(case):
    state = State(case)
    for i, table in enumerate(case.draft.tables):
        state.compute(i)
        np.testing.assert_allclose(state.rule, oracle.rule_values(case, table), atol=1e-12)


@some
@given(cases())
def test_the_squared_error_is_that_of_the_whole_program(case):
    expected = oracle.error(case, case.draft)
    assert State(case).error() == close(expected, expected)


@some
@given(cases(), choices, choices, choices, st.sampled_from(["crisp", "soft", "mixed"]))
def test_the_closed_form_prices_any_new_table_of_a_feature(case, rule, feature, seed, mode):
    i, j = rule % case.draft.n_rules, feature % case.n_features
    state = State(case)
    s1, s2 = state.sums(i, j, *state.lift(i))
    old = case.draft.tables[i, case.part(j)]
    new = random_table(np.random.default_rng(seed), len(old), mode)
    changed = case.draft.copy()
    changed.tables[i, case.part(j)] = new
    before = oracle.error(case, case.draft)
    after = oracle.error(case, changed)
    found = (s2 * new**2 - 2 * s1 * new).sum() - (s2 * old**2 - 2 * s1 * old).sum()
    assert found == close(after - before, before)


@some
@given(cases(), choices, choices, choices, st.sampled_from(["crisp", "soft", "mixed"]))
def test_covered_rows_price_a_condition_on_an_unused_feature_and_bound_what_it_saves(case, rule, feature, seed, mode):
    i, j = rule % case.draft.n_rules, feature % case.n_features
    case.draft.tables[i, case.part(j)] = 1.0
    state = State(case)
    q1, q2 = state.lift(i)
    covered = np.flatnonzero(state.zeros == 0)
    terms = np.empty((2, len(covered)))
    bound = statistics.weigh_covered(covered, state.product, case.draft.bias[i], q1, q2, *terms)
    s1, s2 = state.sums(i, j, q1, q2)
    found = np.ones((2, len(s1)))
    statistics.covered_sums(case.rows.codes[j], covered, *terms, *found)
    np.testing.assert_allclose(found, [s1, s2], rtol=1e-9, atol=1e-12)
    new = random_table(np.random.default_rng(seed), len(s1), mode)
    saved = (s2 - 2 * s1).sum() - (s2 * new**2 - 2 * s1 * new).sum()
    assert saved <= bound + 1e-9


@some
@given(cases(), choices, st.floats(0, 1))
def test_the_closed_form_prices_any_new_bias_of_a_rule(case, rule, new):
    i = rule % case.draft.n_rules
    state = State(case)
    q1, q2 = state.lift(i)
    first, second = statistics.bias_sums(state.rule, q1, q2)
    changed = case.draft.copy()
    changed.bias[i], old = new, case.draft.bias[i]
    before = oracle.error(case, case.draft)
    found = (second * new**2 - 2 * first * new) - (second * old**2 - 2 * first * old)
    assert found == close(oracle.error(case, changed) - before, before)


@some
@given(cases(), choices, st.floats(0, 1))
def test_the_closed_form_prices_any_new_bias_of_an_output(case, output, new):
    k = output % len(case.draft.output_bias)
    state = State(case)
    rows = case.rows.targets[k], case.rows.weights
    first, second = statistics.output_sums(*rows, state.output_zeros[k], state.output_product[k])
    changed = case.draft.copy()
    changed.output_bias[k], old = new, case.draft.output_bias[k]
    before = oracle.error(case, case.draft)
    found = (second * (1 - new) ** 2 - 2 * first * (1 - new)) - (second * (1 - old) ** 2 - 2 * first * (1 - old))
    assert found == close(oracle.error(case, changed) - before, before)


@some
@given(cases(), choices)
def test_a_rule_taken_out_and_put_back_leaves_no_trace(case, rule):
    i = rule % case.draft.n_rules
    state = State(case)
    zeros, product = state.output_zeros.copy(), state.output_product.copy()
    state.lift(i)
    others = case.draft.take(np.arange(case.draft.n_rules) != i)
    expected = oracle.error(case, others)
    assert state.error() == close(expected, expected)
    statistics.add_factor(state.rule, case.draft.bias[i], *state.output(i))
    np.testing.assert_array_equal(state.output_zeros, zeros)
    np.testing.assert_allclose(state.output_product, product, rtol=1e-12)


@some
@given(cases(), choices, choices, choices, st.sampled_from(["crisp", "soft", "mixed"]))
def test_exchanging_a_table_equals_computing_the_rule_anew(case, rule, feature, seed, mode):
    i, j = rule % case.draft.n_rules, feature % case.n_features
    state = State(case)
    state.compute(i)
    old = case.draft.tables[i, case.part(j)].copy()
    new = random_table(np.random.default_rng(seed), len(old), mode)
    statistics.replace(case.rows.codes[j], old, new, state.zeros, state.product)
    zeros, product = state.zeros.copy(), state.product.copy()
    case.draft.tables[i, case.part(j)] = new
    state.compute(i)
    np.testing.assert_array_equal(zeros, state.zeros)
    np.testing.assert_allclose(product, state.product, rtol=1e-12)


def test_factors_of_zero_are_counted_and_come_out_again():
    """Two certain rules on the same row: taking one out must not forget the other."""
    rule, zeros, product = np.array([1.0, 1.0, 0.0, 0.5]), np.zeros(4, np.int32), np.ones(4)
    other = np.array([1.0, 0.0, 0.0, 1.0])
    statistics.add_factor(rule, 1.0, zeros, product)
    statistics.add_factor(other, 1.0, zeros, product)
    np.testing.assert_array_equal(zeros, [2, 1, 0, 1])
    np.testing.assert_array_equal(product, [1.0, 1.0, 1.0, 0.5])
    statistics.remove_factor(rule, 1.0, zeros, product)
    np.testing.assert_array_equal(zeros, [1, 0, 0, 1])
    np.testing.assert_array_equal(product, [1.0, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("count", [np.uint8, np.uint16, np.uint32])
def test_only_rows_that_fail_at_most_one_condition_are_visited_and_covered_ones_come_first(count):
    room = np.full(5, -1)
    assert statistics.rows_within_one(np.array([0, 2, 1, 3, 0], count), room) == (2, 3)
    np.testing.assert_array_equal(room[:3], [0, 4, 2])


@pytest.mark.parametrize(("table", "used"), [([1.0, 1.0], False), ([1.0, 0.0], True), ([0.999, 1.0], True)])
def test_a_table_is_used_if_some_entry_is_not_one(table, used):
    assert statistics.is_used(np.array(table)) == used
