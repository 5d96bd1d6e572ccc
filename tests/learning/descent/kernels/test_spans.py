import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.descent.boundaries import WIDTHS, feature_boundaries, shape_table
from nln.learning.descent.descent import Descent
from nln.learning.descent.kernels.spans import best_fuzzy_table, best_span, most_saved, span_literals
from nln.learning.descent.layout import LEAST_EVIDENCE, fuzzy_layout, slot_layout, span_shape
from nln.learning.descent.soften import soften
from nln.learning.draft import Draft, descent_rows
from nln.learning.options import LanguageOptions
from tests.learning.tables import table_of

seeds = st.integers(0, 2**32 - 1)
some = settings(max_examples=60, deadline=None)
LEVELS = range(1, len(WIDTHS))


def fuzzy_descent(seed: int, level: int, n_rules: int = 4) -> tuple[Descent, dict]:
    encoding, rows = table_of(seed % 5)
    boundaries = feature_boundaries(encoding, LanguageOptions())
    layout = fuzzy_layout(slot_layout(encoding), boundaries, level)
    rng = np.random.default_rng(seed)
    tables = rng.random((n_rules, encoding.n_slots))
    draft = Draft(tables, np.full(n_rules, 0.5), np.zeros(n_rules, np.int64), np.array([0.1]))
    return Descent(layout, descent_rows(rows), draft), boundaries


def cost_of(table, s1, s2):
    return float((s2 * table * table - 2 * s1 * table).sum())


@some
@given(seeds, st.sampled_from(LEVELS), st.booleans())
def test_no_fuzzy_condition_saves_more_than_the_bound(seed, level, fits):
    descent, _ = fuzzy_descent(0, level)
    layout, rng = descent.layout, np.random.default_rng(seed)
    free = layout._replace(place_penalties=np.zeros_like(layout.place_penalties))
    for j in (0, 2):
        n_slots = layout.offsets[j + 1] - layout.offsets[j]
        s2 = rng.random(n_slots)
        s1 = s2 * (0.2 + 0.9 * rng.random(n_slots)) if fits else rng.normal(size=n_slots)
        cost = best_fuzzy_table(free, j, s1, s2, 0.0, np.empty(2, np.int64), np.ones(n_slots))
        saved = cost_of(np.ones(n_slots), s1, s2) - cost
        assert saved <= most_saved(s1, s2, layout.n_known[j]) + 1e-9


@some
@given(seeds, st.sampled_from([0.0, 0.1, 1.0]))
def test_best_span_is_no_dearer_than_any_single_boundary_and_costs_what_it_says(seed, price):
    rng = np.random.default_rng(seed)
    bins, places = int(rng.integers(2, 9)), int(rng.integers(1, 7))
    upper = np.sort(rng.random((places, bins)), axis=1)
    penalties = rng.random(places) / 10
    s1, s2 = rng.normal(size=bins), rng.random(bins)
    span = np.empty(2, np.int64)
    cost = best_span(upper, penalties, s1, s2, price, span)
    table = np.ones(bins)
    if span[0] >= 0:
        table = table * upper[span[0]]
    if span[1] >= 0:
        table = table * (1 - upper[span[1]])
    used = span[span >= 0]
    assert cost == pytest.approx(cost_of(table, s1, s2) + price * len(used) + penalties[used].sum())
    for c in range(places):
        assert cost <= cost_of(upper[c], s1, s2) + price + penalties[c] + 1e-9
        assert cost <= cost_of(1 - upper[c], s1, s2) + price + penalties[c] + 1e-9


@some
@given(seeds, st.sampled_from(LEVELS), st.sampled_from([0.05, 0.5]))
def test_table_of_a_span_is_that_of_its_shape(seed, level, price):
    descent, boundaries = fuzzy_descent(seed, level)
    rng = np.random.default_rng(seed)
    for j, offered in boundaries.items():
        slots = descent.layout.offsets[j + 1] - descent.layout.offsets[j]
        s1, s2 = rng.normal(size=slots), rng.random(slots)
        span, table = np.empty(2, np.int64), np.ones(slots)
        best_fuzzy_table(descent.layout, j, s1, s2, price, span, table)
        if (span >= 0).any():
            shape = span_shape(descent.layout, j, span, level)
            np.testing.assert_allclose(table[: len(offered.centers)], shape_table(offered, shape), atol=1e-12)
            assert span_literals(table, len(offered.centers), span) >= (span >= 0).sum()


@some
@given(seeds, st.sampled_from(LEVELS), st.sampled_from([0.05, 0.5]))
def test_sweeps_never_raise_the_objective_once_all_tables_are_fuzzy(seed, level, price):
    descent, _ = fuzzy_descent(seed, level)
    rng = np.random.default_rng(seed)
    descent.sweep(price, rng)  # soft tables give way
    last = np.inf
    for _ in range(3):
        descent._compact()
        digits = sum(
            descent.layout.place_penalties[descent.layout.place_offsets[j] + place]
            for rule in descent.spans
            for j, span in enumerate(rule)
            for place in span[span >= 0]
        )
        now = descent.objective(price) + digits
        assert now <= last + 1e-6 + LEAST_EVIDENCE  # rules that ask the same are joined without asking the objective
        last = now
        descent.sweep(price, rng)


@some
@given(seeds, st.sampled_from(LEVELS))
def test_softening_keeps_to_the_floor(seed, level):
    descent, boundaries = fuzzy_descent(seed, level)
    descent.run(0.2, np.random.default_rng(seed))
    for shape in soften(descent, boundaries, level).values():
        assert (shape.levels >= level).all()


def test_rules_that_ask_the_same_are_one_rule():
    descent, _ = fuzzy_descent(3, 2, n_rules=8)
    descent.run(0.05, np.random.default_rng(0))
    questions = descent._questions(np.arange(descent.draft.n_rules))
    asked = {(int(k), questions[i].tobytes(), descent.spans[i].tobytes()) for i, k in enumerate(descent.draft.output)}
    assert len(asked) == descent.draft.n_rules > 0


@some
@given(seeds, st.sampled_from(LEVELS))
def test_of_rules_that_ask_the_same_the_first_stays_with_the_weight_of_all(seed, level):
    descent, _ = fuzzy_descent(seed, level, n_rules=3)
    rng = np.random.default_rng(seed)
    descent.sweep(0.0, rng)
    which = rng.integers(0, 3, 8)
    copies = descent.draft.take(which)
    copies.output[:] = 0
    for i, j in np.argwhere((copies.spans >= 0).any(axis=2)):  # a fuzzy condition counts by its places alone
        copies.tables[i, descent.layout.offsets[j]] = rng.random()
    merged = Descent(descent.layout, descent.rows, copies)
    merged.merge_duplicates()
    questions, first, none = merged._questions(np.arange(merged.draft.n_rules)), {}, {}
    plain = Descent(descent.layout, descent.rows, copies)
    for i, asked in enumerate(plain._questions(np.arange(8))):
        key = asked.tobytes(), copies.spans[i].tobytes()
        first.setdefault(key, i)
        none[key] = none.get(key, 1.0) * (1.0 - copies.bias[i])
    assert [q.tobytes() for q in questions] == [asked for asked, _ in first]
    np.testing.assert_allclose(merged.draft.bias, 1.0 - np.array(list(none.values())))
