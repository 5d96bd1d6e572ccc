import numpy as np
import pytest

from nln.learning.selection.path import Variant, choose, is_lowest_price_best, price_ladders


def test_prices_begin_above_the_noise_only_on_long_tables():
    for ordered, lowest in ((False, 0.1), (True, 0.05)):
        (ladder,) = price_ladders([0.1], 100, ordered)
        assert ladder[0] == pytest.approx(lowest)
        assert [prices[0] for prices in price_ladders([0.1], 100_000, ordered)] == pytest.approx([0.8, 0.2])


def test_long_tables_without_noise_have_one_ladder():
    assert len(price_ladders([0.001], 100_000, ordered=True)) == 1


def test_clear_winner_is_chosen_and_ties_go_to_the_higher_price():
    clear = np.array([[0.5, 0.1, 0.5, 0.5]] * 4)[:, :, None]
    for searched in (False, True):
        assert choose(clear, [Variant(0)], 1.0, searched=searched) == (1, 0)
    tied = np.array([[0.5, 0.1, 0.1, 0.5]] * 4)[:, :, None]
    assert choose(tied, [Variant(0)], 1.0, searched=False) == (2, 0)
    flat = np.random.default_rng(0).normal(0.2, 1e-4, (4, 5, 1))
    flat[:, -1] += 0.2
    assert choose(flat, [Variant(0)], 1.0, searched=False) == (2, 0)


def test_variant_and_price_are_chosen_together():
    one_start = [[0.30, 0.31, 0.32], [0.20, 0.15, 0.25], [0.21, 0.20, 0.20], [0.40, 0.40, 0.40]]
    assert choose(np.array([one_start]), [Variant(0), Variant(2), Variant(3)], plain=0.5) == (1, 1)


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


def test_lowest_price_is_best_if_no_other_has_a_lower_loss():
    rising, falling = np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.2, 0.3])
    assert is_lowest_price_best([rising]) and is_lowest_price_best([rising[:2], falling])
    assert not is_lowest_price_best([falling])


def test_local_search_gets_the_middle_of_the_good_prices():
    losses = np.array([[0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5]] * 3)[:, :, None]
    assert choose(losses, [Variant(0)], 1.0, searched=True) == (3, 0)
    assert choose(losses, [Variant(0)], 1.0, searched=False) == (4, 0)


def test_a_short_program_may_be_worse_than_a_balanced_one_and_a_committee_takes_the_best_price():
    losses = np.array([[[0.2], [0.2], [0.2], [0.208], [0.22], [0.4]]] * 3)
    short, balanced, best = (
        choose(losses, [Variant(0)], 1.0, searched=False, size=size)[0] for size in ("short", "balanced", "accurate")
    )
    assert short > balanced >= best


def test_a_balanced_program_of_many_rules_gets_shorter_as_far_as_a_short_one_may():
    losses = np.array([[[0.2], [0.2], [0.204], [0.208], [0.21], [0.4]]] * 3)
    for counts, chosen in (([40, 30, 9, 8, 7, 1], 2), ([40, 30, 20, 12, 9, 1], 3), ([9, 8, 7, 6, 5, 1], 2)):
        rules = np.array(counts, float)[:, None]
        balanced = choose(losses, [Variant(0)], 1.0, rules, searched=False)[0]
        short = choose(losses, [Variant(0)], 1.0, rules, searched=False, size="short")[0]
        assert chosen == balanced <= short == 3
        assert choose(losses, [Variant(0)], 1.0, rules, searched=True) == choose(losses, [Variant(0)], 1.0)


def test_rules_of_networks_must_be_better_than_single_conditions_by_a_standard_error():
    losses = np.full((4, 3, 2), 0.2)
    losses[:, :, 1] = 0.21  # on the scale of 0.2 a twentieth is 0.01
    single = [Variant(0), Variant(0, single=True)]
    assert choose(losses, single, 1.0, searched=False)[1] == 1
    losses[:, :, 1] = 0.22
    assert choose(losses, single, 1.0, searched=False)[1] == 0
    losses[:, :, 1] += np.array([0.08, -0.08, 0.08, -0.08])[:, None]
    assert choose(losses, single, 1.0, searched=False)[1] == 1
    assert choose(losses, [Variant(0), Variant(2)], 1.0, searched=False)[1] == 0
