"""Expressions in normal form, and their results."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.rounding import in_digits, just_after, least_above

NAMES = ("a", "b", "c", "d")
x, y, z = (Arithmetic.column(name) for name in "xyz")


def expressions(depth=2):
    """Expressions over a few columns, with what they are as exact fractions of the columns' values."""
    leaf = st.sampled_from(NAMES).map(lambda name: (Arithmetic.column(name), lambda row, name=name: row[name]))
    return st.recursive(leaf, joined, max_leaves=4)


@st.composite
def joined(draw, parts):
    (a, f), (b, g) = draw(parts), draw(parts)
    operator = draw(st.sampled_from("+-*/"))
    try:
        result = a.join(operator, b)
    except ValueError:
        assume(False)
    exact = {
        "+": lambda row: f(row) + g(row),
        "-": lambda row: f(row) - g(row),
        "*": lambda row: f(row) * g(row),
        "/": lambda row: f(row) / g(row),
    }[operator]
    return result, exact


rows = st.fixed_dictionaries({name: st.integers(-9, 9) for name in NAMES})


@given(expressions(), rows)
def test_an_expression_is_what_its_operations_give(pair, row):
    expression, exact = pair
    found = expression.evaluate({name: np.array([float(value)]) for name, value in row.items()})[0]
    try:
        expected = exact({name: Fraction(value) for name, value in row.items()})
    except ZeroDivisionError:  # also that of a divisor which cancels out
        return
    assert found == float(f"{float(expected):.10e}")


@given(expressions(), st.randoms(use_true_random=False))
def test_the_order_of_terms_and_factors_does_not_matter(pair, random):
    expression, _ = pair
    again = [rebuilt(terms, random) for terms in (expression.numerator, expression.denominator)]
    quotient = again[0] if again[1] is None else again[0].join("/", again[1])
    assert quotient == expression
    assert quotient.text == expression.text


def rebuilt(terms, random):
    """Make a sum by operations in any order; None for 1."""
    if terms == (((), 1),):
        return None
    total = None
    positive = [t for t in terms if t[1] > 0]
    first = random.choice(positive or terms)
    rest = [t for t in terms if t is not first]
    random.shuffle(rest)
    for monomial, sign in [first, *rest]:
        factors = random.sample(monomial, len(monomial))
        product = Arithmetic.column(factors[0])
        for name in factors[1:]:
            product = product.join("*", Arithmetic.column(name))
        if total is None:
            total = product if sign > 0 else product.mirrored()
        else:
            total = total.join("+" if sign > 0 else "-", product)
    return total


@given(expressions())
def test_an_expression_and_its_negative_are_one_column(pair):
    expression, _ = pair
    opposite = expression.mirrored()
    assert opposite.mirrored() == expression
    assert expression.canonical()[0] == opposite.canonical()[0]
    assert {expression.canonical()[1], opposite.canonical()[1]} == {1, -1}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (x.join("/", y), y.join("/", x)),
        (x.join("+", y).join("/", x), y.join("/", x)),
        (x.join("-", y).join("/", x.join("+", y)), x.join("/", y)),
        (x.join("-", y), y.join("-", x)),
    ],
)
def test_a_search_sees_expressions_that_ask_the_same_as_one(one, other):
    assert one.reduced() == other.reduced()


def test_what_cannot_be_written_in_normal_form_says_why():
    with pytest.raises(ValueError, match="always 0"):
        x.join("-", x)
    with pytest.raises(ValueError, match="occurs twice"):
        x.join("+", x)
    with pytest.raises(ValueError, match="Terms of 1 and of 2 factors"):
        x.join("*", y).join("-", z)
    with pytest.raises(ValueError, match="No column is left"):
        x.join("/", x.join("*", y))
    with pytest.raises(ValueError, match="more than 16 times"):
        x.join("+", y).join("*", x.join("-", z)).join("*", y.join("+", z)).join("*", y.join("+", z))
    with pytest.raises(ValueError, match="not in normal form"):
        Arithmetic(((("y", "x"), 1),))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (x.join("/", y).join("/", y), "x / y / y"),
        (y.join("-", x), "y - x"),
        (x.join("-", y).join("/", z), "(x - y) / z"),
        (z.join("/", x.join("-", y)), "z / (x - y)"),
        (x.join("/", y.join("/", z)), "x * z / y"),
        (Arithmetic.column("two words").join("*", Arithmetic.column("a/b")), '"two words" * a/b'),
    ],
)
def test_text(expression, text):
    assert expression.text in (text, " * ".join(reversed(text.split(" * "))))


def test_landmarks():
    assert x.join("-", y).landmark == x.join("*", y).join("-", z.join("*", z)).landmark == 0.0
    assert x.join("/", y).landmark == x.join("+", y).join("/", z).landmark == 1.0
    assert x.join("/", y).join("/", y).landmark is x.join("*", y).landmark is x.join("+", y).landmark is None


def test_missing_operands_zero_divisors_and_overflow_give_missing():
    columns = {"x": np.array([1.0, np.nan, 1e300, 0.0]), "y": np.array([0.0, 2.0, 1e-300, 0.0])}
    assert np.isnan(x.join("/", y).evaluate(columns)).all()
    assert x.join("-", y).evaluate(columns)[[0, 3]].tolist() == [1.0, 0.0]
    large = {"x": np.full(1, 1e200), "y": np.full(1, 1e200), "z": np.ones(1)}
    assert np.isnan(x.join("*", y).evaluate(large)).all()
    assert np.isnan(x.join("*", y).join("/", x.join("+", z)).evaluate(large)).all()


def test_results_have_the_digits_that_people_expect():
    columns = {"x": np.array([0.3, 0.1, 1.1]), "y": np.array([0.1, 0.3, 1.0]), "z": np.array([3.0, 1.0, 1.0])}
    assert x.join("-", y).evaluate(columns).tolist() == [0.2, -0.2, 0.1]
    products = {"x": np.array([0.1]), "y": np.array([3.0]), "z": np.array([0.3]), "w": np.array([1.0])}
    assert 0.1 * 3.0 != 0.3
    balance = x.join("*", y).join("-", z.join("*", Arithmetic.column("w")))
    assert balance.evaluate(products).tolist() == [0.0]


finite = st.floats(-1e280, 1e280).filter(lambda value: value == 0 or abs(value) > 1e-280)


@given(finite)
@example(0.3 - 0.1)
@example(999.9999999999999)
def test_rounding_is_that_of_decimal_numbers(value):
    found = in_digits(np.array([value]))[0]
    shown = float(f"{value:.10e}")
    assert found == shown or math.isclose(found, shown, rel_tol=1.01e-10)  # a tie may fall to either side
    assert in_digits(np.array([found]))[0] == found


@given(finite, finite)
def test_rounding_keeps_the_order(a, b):
    low, high = in_digits(np.array(sorted((a, b))))
    assert low <= high


@given(finite.map(lambda value: float(f"{value:.4e}")) | finite, st.booleans())
def test_the_least_number_that_rounds_to_a_boundary(value, after):
    boundary = just_after(value) if after else value
    assume(boundary == 0 or abs(boundary) > 1e-280)
    least = least_above(boundary)
    assert in_digits(np.array([least]))[0] >= boundary
    assert in_digits(np.array([math.nextafter(least, -math.inf)]))[0] < boundary
