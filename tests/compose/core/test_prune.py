import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.compose import adjust, prune
from nln.compose.core.prune import prune_state, reductions, worth
from nln.compose.core.rows import read_rows
from nln.compose.core.state import State
from nln.rules import LogicProgram, ValueCondition
from tests.compose.examples import HERE, THERE, parse, table
from tests.rules.strategies import conditions, features


def squared_error(program, X, y):
    truth = np.array(y) == "yes"
    return float(((program.predict_proba(X)[:, 1] - truth) ** 2).sum())


WORDY = parse(
    """
    IF 0 <= x < 3 AND colour in {blue, red} AND size < L THEN class = yes (0.9)
    IF size >= L AND colour in {blue, green, red} THEN class = yes (0.8)
    IF x < 1 or 8 ± 0.5 <= x THEN class = yes (0.9)
    IF x >= 9.9 THEN class = yes (0.2)
    """
)


def test_pruning_at_no_price_never_raises_the_error_and_ends_at_a_fixed_point(frame):
    X, y = table()
    pruned = prune(WORDY, frame(X), y)
    assert squared_error(pruned, X, y) <= squared_error(WORDY, X, y) + 1e-6
    assert sum(rule.size for rule in pruned.rules) < sum(rule.size for rule in WORDY.rules)
    assert prune(pruned, X, y) == pruned


@pytest.mark.parametrize("price", [0.2, 1.0, 5.0])
def test_pruning_lowers_error_and_price_together(price):
    X, y = table()
    pruned = prune(WORDY, X, y, price=price)

    def objective(program):
        return squared_error(program, X, y) + price * sum(rule.size for rule in program.rules)

    assert objective(pruned) <= objective(WORDY) + 1e-6


def test_the_worth_of_a_rule_is_the_error_without_it_less_the_error_with_it():
    X, y = table()
    state = State(WORDY, read_rows(WORDY, X, y))
    for i in range(WORDY.n_rules):
        rest = LogicProgram(WORDY.schema, WORDY.rules[:i] + WORDY.rules[i + 1 :], WORDY.biases, WORDY.thresholds)
        assert worth(state, i) == pytest.approx(squared_error(rest, X, y) - squared_error(WORDY, X, y), abs=1e-8)


def test_the_state_after_pruning_is_that_of_its_program():
    X, y = table()
    state = State(WORDY, read_rows(WORDY, X, y))
    prune_state(state, 0.5)
    program = state.to_program()
    error = ((state.probabilities() - state.rows.truth) ** 2).sum()
    assert error == pytest.approx(squared_error(program, X, y), abs=1e-8)
    assert len(state.living()) == program.n_rules


@given(st.data())
def test_reductions_are_shorter_or_none(data):
    condition = data.draw(conditions(data.draw(features("f"))))
    found = list(reductions(condition))
    assert found[0] is None
    assert all(shorter.size < condition.size for shorter in found[1:])
    assert all(shorter.missing == condition.missing for shorter in found[1:])


def test_adjusted_biases_are_the_shares_of_what_is_covered():
    X, y = table()
    crisp = parse("IF x < 3 THEN class = yes IF size >= L THEN class = yes")
    adjusted = adjust(crisp, X, y)
    yes, x, size = (np.array(column) for column in (np.array(y) == "yes", X["x"], X["size"]))
    shares = [yes[x < 3].mean(), yes[size == "L"].mean()]
    assert [rule.weight for rule in adjusted.rules] == pytest.approx(shares, abs=6e-4)
    absent = np.where(x < 3, 1 - shares[0], 1) * np.where(size == "L", 1 - shares[1], 1)
    assert adjusted.biases[0] == pytest.approx((absent * yes).sum() / absent.sum(), abs=6e-4)


def test_least_squares_have_the_lower_error():
    X, y = table()
    both = [adjust(WORDY, X, y, method=method) for method in ("error", "coverage")]
    errors = [squared_error(program, X, y) for program in both]
    assert errors[0] < errors[1]
    assert errors[0] < squared_error(WORDY, X, y)


def test_a_rule_that_covers_nothing_keeps_its_bias():
    X, y = table()
    assert adjust(parse("IF x < -1 THEN class = yes (0.7)"), X, y).rules[0].weight == 0.7


@pytest.mark.parametrize("operation", [prune, adjust])
def test_inputs_stay_as_they_are(operation):
    X, y = table(50)
    before = HERE.to_dict(), THERE.to_dict()
    operation(HERE, X, y)
    operation(THERE, X, y)
    assert before == (HERE.to_dict(), THERE.to_dict())


def test_bad_arguments_are_refused():
    X, y = table(10)
    with pytest.raises(ValueError, match="price must be"):
        prune(HERE, X, y, price=float("inf"))
    with pytest.raises(ValueError, match="method must be 'coverage' or 'error'"):
        adjust(HERE, X, y, method="other")
    with pytest.raises(ValueError, match="no rows"):
        prune(HERE, {name: [] for name in X}, [])


def test_a_set_of_values_loses_one_value_or_all():
    found = reductions(ValueCondition("colour", ("red", "blue")))
    assert [None if condition is None else condition.values for condition in found] == [None, ("blue",), ("red",)]
