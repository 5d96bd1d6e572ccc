from types import SimpleNamespace

import numpy as np
import pytest

from nln.learning.selection.path import Variant
from nln.learning.selection.starts import Starts

HIGH, LOW = np.array([0.8, 1.6, 3.2]), np.array([0.2, 0.4, 0.8])


class Runner:
    """Says what each variant loses at each price, and notes who asked."""

    def __init__(self, losses):
        self.losses, self.asked, self.prices = losses, [], {}

    def descend(self, numbers, prices, variants, trial=None):
        self.asked += [(variant, float(prices[0]), len(numbers)) for variant in variants]

        def path(variant):
            losses = []
            for price in prices:
                losses.append(self.losses(variant, price))
                if trial is not None and trial.is_over(losses):
                    break
            self.prices[variant, float(prices[0])] = len(losses)
            return SimpleNamespace(losses=np.array(losses))

        return [[path(variant) for variant in variants] for _ in numbers]


def starts_of(runner, floors=(0, 2), left_out=100, outputs=1):
    """Three starts on a long table, each of which leaves out so many rows."""
    rows, folds = SimpleNamespace(targets=np.zeros((outputs, 1))), np.repeat(np.arange(5), left_out)
    task = SimpleNamespace(
        views=[None] * 3, is_small=False, layouts=dict.fromkeys(floors), plain_loss=1.0, rows=rows, folds=folds
    )
    return Starts(task, runner)


def test_crisp_boundaries_alone_show_that_lower_prices_are_needed():
    runner = Runner(lambda variant, price: 0.2 + 0.1 * price - 0.01 * variant.floor)
    prices, paths = starts_of(runner).try_variants([HIGH, LOW], 1.0)
    assert prices is LOW and Variant(2) in paths
    assert [asked for asked in runner.asked if asked[1] == HIGH[0]] == [(Variant(0), HIGH[0], 3)]


def test_floors_of_the_very_first_start_show_at_two_prices_that_lower_ones_are_needed():
    runner = Runner(lambda variant, price: 0.3 + 0.01 * abs(price - 1.6) if not variant.floor else 0.1 * price)
    prices, paths = starts_of(runner, left_out=500).try_variants([HIGH, LOW], 1.0)
    assert prices is LOW and Variant(2) in paths
    asked = [(variant, n) for variant, price, n in runner.asked if price == HIGH[0]]
    assert asked == [(Variant(0), 2), (Variant(2), 1)]
    assert runner.prices[Variant(2), HIGH[0]] == 2 and runner.prices[Variant(2), LOW[0]] == 3


def test_a_floor_that_wants_lower_prices_does_not_leave_the_ladder_to_one_that_does_not():
    """The first floor is better at lower prices, but the second one is better still at higher prices."""
    slope = {0: (0.4, -0.001), 2: (0.3, 0.01), 3: (0.35, -0.08)}
    runner = Runner(lambda variant, price: slope[variant.floor][0] + slope[variant.floor][1] * price)
    prices, paths = starts_of(runner, (0, 2, 3), 500).try_variants([HIGH, LOW], 1.0)
    assert prices is HIGH and Variant(3) in paths and Variant(2) not in paths


def test_all_variants_stay_on_the_first_ladder_where_its_lowest_price_is_not_best():
    runner = Runner(lambda variant, price: 0.2 + 0.1 * abs(price - 1.6))
    prices, _ = starts_of(runner).try_variants([HIGH, LOW], 1.0)
    assert prices is HIGH and {asked[1] for asked in runner.asked} == {HIGH[0]}


def test_one_ladder_is_climbed_once():
    runner = Runner(lambda variant, price: 0.2 + 0.1 * price)
    prices, _ = starts_of(runner, (0,)).try_variants([LOW], 1.0)
    assert prices is LOW and [asked for asked in runner.asked if asked[0] == Variant(0)] == [(Variant(0), LOW[0], 3)]


@pytest.mark.parametrize(("left_out", "outputs", "first"), [(100, 1, 3), (500, 1, 2), (100, 5, 2), (1_000, 10, 1)])
def test_the_fewest_starts_that_leave_out_enough_try_a_variant_first(left_out, outputs, first):
    worse = {0: 0.15, 2: 0.0, 3: 0.1}
    runner = Runner(lambda variant, price: 0.2 + 0.001 * abs(price - 1.6) + worse[variant.floor])
    _, paths = starts_of(runner, (0, 2, 3), left_out, outputs).try_variants([HIGH, LOW], 1.0)
    assert [n for variant, _, n in runner.asked if variant == Variant(3)] == [1, first - 1][: 1 + (first > 1)]
    assert (Variant(3) in paths) == (first == 3)


def test_crisp_boundaries_that_fall_behind_end_where_they_are():
    runner = Runner(lambda variant, price: 0.2 + 0.001 * abs(price - 1.6) + 0.1 * (variant.floor == 0))
    _, paths = starts_of(runner, left_out=500).try_variants([HIGH, LOW], 1.0)
    assert Variant(0) not in paths and Variant(2) in paths
    assert [n for variant, _, n in runner.asked if variant == Variant(0)] == [2]


def test_a_wide_floor_is_tried_where_a_narrow_one_is_worse_than_none():
    worse = {0: 0.1, 2: 0.2, 3: 0.0}
    runner = Runner(lambda variant, price: 0.2 + 0.001 * abs(price - 1.6) + worse[variant.floor])
    _, paths = starts_of(runner, (0, 2, 3)).try_variants([HIGH, LOW], 1.0)
    assert Variant(3) in paths and Variant(2) not in paths
