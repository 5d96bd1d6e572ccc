import numpy as np
import pytest

from benchmarks.generate import mixed_table


@pytest.fixture(scope="module")
def drawn():
    return mixed_table(5000, 0)


def test_table_has_twenty_numbers_fifteen_categories_and_five_bits(drawn):
    X, y = drawn
    assert X.shape == (5000, 40)
    assert [sum(name.startswith(letter) for name in X.columns) for letter in "xcb"] == [20, 15, 5]
    assert set(np.unique(y)) == {0, 1}
    assert 0.2 < y.mean() < 0.8


def test_some_numbers_are_missing_and_categories_have_3_to_50_values(drawn):
    X, _ = drawn
    shares = X.filter(like="x").isna().mean()
    assert (shares > 0).sum() == 5
    assert shares.max() < 0.1
    counts = X.filter(like="c").nunique()
    assert counts.min() == 3
    assert 40 <= counts.max() <= 50


def test_the_same_seed_gives_the_same_table(drawn):
    X, y = mixed_table(5000, 0)
    assert X.equals(drawn[0])
    assert (y == drawn[1]).all()
