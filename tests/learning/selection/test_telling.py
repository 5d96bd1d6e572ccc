from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.learning.draft import DescentRows, descent_rows
from nln.learning.selection.kernels.telling import context_savings
from nln.learning.selection.telling import rank_together, telling_columns
from nln.rules import Feature
from nln.tables.encoding import make_encoding, merge_rows

EVIDENCE = 0.5


def planted(seed, n_rows=300, n_columns=400, kinds=("continuous",)):
    """Rows where the label holds where columns 5 and 6 are high or, elsewhere, 7 and 8 are, and the rows' encoding."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    y = ((X[:, 5] > 0) & (X[:, 6] > 0)) | ((X[:, 7] > 0.3) & (X[:, 8] > 0.3))
    features, columns = [], {}
    for j in range(n_columns):
        name, kind = f"x{j}", kinds[j % len(kinds)]
        features.append(Feature(name, kind, ("a", "b", "c", "d") if kind == "categorical" else ()))
        columns[name] = X[:, j] if kind == "continuous" else np.digitize(X[:, j], [-0.7, 0.0, 0.7]).astype(np.int32)
    encoding = make_encoding(tuple(features), columns, np.ones(n_rows))
    return encoding, merge_rows(encoding.codes(columns, n_rows), y[:, None].astype(float), np.ones(n_rows))


def saves(mass, hits, total):
    return hits**2 / (mass + EVIDENCE) / (1.0 - mass / (total + EVIDENCE)) if hits > 0.0 else 0.0


def saved_by_hand(codes, n_slots, n_bins, mass, hits, chance, total):
    """What the best condition on one column saves, by trying all boundaries or adding up values."""
    of_slot = [(mass[codes == v].sum(), hits[codes == v].sum()) for v in range(n_slots)]
    if n_bins:
        held = [v for v in range(n_bins) if of_slot[v][0] > 0.0]
        sides = [part for cut in range(1, len(held)) for part in (held[:cut], held[cut:])]
        return max((saves(*np.sum([of_slot[v] for v in side], axis=0), total) for side in sides), default=0.0)
    rate, seen = hits.sum() / mass.sum(), [v for v in range(n_slots) if of_slot[v][0] > 0.0]
    if len(seen) < 2:
        return 0.0
    more = [of_slot[v] for v in seen if of_slot[v][1] > rate * of_slot[v][0]]
    return saves(*np.sum(more, axis=0), total) - chance * (len(seen) - 2) if more else -chance * (len(seen) - 2)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.booleans())
def test_the_kernel_finds_what_the_best_condition_saves(seed, is_wide):
    rng = np.random.default_rng(seed)
    n_rows, n_columns = int(rng.integers(8, 60)), 4
    n_slots = rng.integers(2, 31, n_columns)
    n_bins = np.where(rng.random(n_columns) < 0.5, n_slots - rng.integers(0, 2, n_columns), 0)
    codes = np.array([rng.integers(0, n, n_rows) for n in n_slots]).astype(np.uint16 if is_wide else np.uint8)
    mass, hits, chance = rng.random(n_rows) + 0.1, rng.normal(size=n_rows), rng.random(2)
    contexts = [np.arange(n_rows), np.sort(rng.choice(n_rows, n_rows // 2, replace=False))]
    found = context_savings(codes, n_slots, n_bins, mass, hits, contexts, chance, mass.sum(), EVIDENCE)
    for c, rows in enumerate(contexts):
        for j in range(n_columns):
            own = codes[j][rows], n_slots[j], n_bins[j], mass[rows], hits[rows], chance[c], mass.sum()
            assert found[c, j] == pytest.approx(saved_by_hand(*own), rel=1e-9, abs=1e-9)


def test_joined_bins_keep_heavy_ones_and_missing_values_apart():
    codes = np.concatenate([np.zeros(500), np.arange(1, 201), np.full(100, 201)]).astype(np.uint8)[None]
    hits = np.where(codes[0] == 0, -0.5, np.where(codes[0] == 201, 5.0, 0.5))
    sizes = np.array([202]), np.array([201])
    saved = context_savings(codes, *sizes, np.ones(800), hits, [np.arange(800)], np.zeros(1), 800.0, EVIDENCE)
    best = saves(200.0, 100.0, 800.0)
    assert 0.95 * best < saved[0, 0] <= best


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kinds", [("continuous",), ("continuous", "categorical")])
def test_conditions_of_both_rules_come_first_in_some_step(seed, kinds):
    encoding, rows = planted(seed, kinds=kinds)
    orders = rank_together(descent_rows(rows), encoding)
    best = {int(j) for order in orders for j in order[:2]}
    assert {5, 6, 7, 8} <= best
    assert all(sorted(order) == list(range(len(encoding.slots))) for order in orders)
    assert {5, 6, 7, 8} <= set(telling_columns(descent_rows(rows), encoding, np.random.default_rng(0)).tolist())


def test_a_column_that_tells_nothing_alone_is_found_beside_another():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 300))
    low = rng.random(400) < 0.5
    y = np.where(X[:, 3] == 1, X[:, 4] == 1, (X[:, 4] == 0) & low)  # 4 tells little but where 3 holds
    encoding = SimpleNamespace(
        slots=[SimpleNamespace(has_bins=True, n_known=2, n_slots=2)] * 300, offsets=np.arange(0, 602, 2)
    )
    rows = DescentRows(np.ascontiguousarray(X.T.astype(np.uint8)), y[None].astype(np.float32), np.ones(400))
    _, second, *_ = rank_together(rows, encoding)
    assert second[0] == 4


def test_labels_of_a_table_share_the_steps_and_one_that_never_varies_ranks_nothing():
    encoding, rows = planted(0, n_columns=70)
    given = descent_rows(rows)
    both = given._replace(targets=np.ascontiguousarray(np.vstack([given.targets, np.zeros_like(given.targets)])))
    assert len(rank_together(both, encoding)) == len(rank_together(given, encoding))
    same = given._replace(targets=np.ones_like(given.targets))
    (order,) = rank_together(same, encoding)
    assert order.tolist() == list(range(70))
    assert len(telling_columns(same, encoding, np.random.default_rng(0))) == 64
