"""Rows of the table and their folds: left-out rows weigh what they weighed for the rules without calculations."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nln.learning.derived.table import TableRows, folds_of, sort_rows
from nln.learning.options import LearningSettings
from nln.learning.prior import Prior
from nln.learning.task import prepare_task
from nln.rules import derived_feature
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.schema import Feature, Schema, Target
from nln.tables.encoding import make_encoding, merge_rows


def test_equal_rows_weigh_in_each_fold_what_their_pieces_weigh():
    rng = np.random.default_rng(0)
    schema = Schema((Feature("a", "binary", (0, 1)),), Target("y", "binary", (0, 1)))
    columns = {"a": rng.integers(0, 2, 57).astype(np.int32)}
    targets, weights = rng.integers(0, 2, (57, 1)).astype(float), rng.uniform(0.5, 2.0, 57)
    encoding = make_encoding(schema.features, columns, weights)
    codes = encoding.codes(columns, 57)
    settings = LearningSettings(n_rules=4, seed=np.random.SeedSequence(0))
    task = prepare_task(encoding, merge_rows(codes, targets, weights), settings, Prior(), rng)
    table = TableRows(schema, columns, codes, targets, weights)
    folds = folds_of(table, task)
    for fold in range(5):
        for code in (0, 1):
            for target in (0, 1):
                piece = (task.folds == fold) & (task.pieces.codes[0] == code) & (task.pieces.targets[0] == target)
                own = (folds.numbers == fold) & (codes[:, 0] == code) & (targets[:, 0] == target)
                assert np.isclose(folds.weights[own].sum(), task.pieces.weights[piece].sum())


@given(
    st.integers(1, 40),
    st.integers(0, 4),
    st.sampled_from([(np.uint8, 3), (np.uint8, 256), (np.uint16, 2000)]),
    st.data(),
)
def test_rows_are_sorted_as_by_all_their_keys(n_rows, n_features, kind, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    codes = rng.integers(0, kind[1], (n_rows, n_features)).astype(kind[0])
    keys = [rng.integers(0, 3, n_rows).astype(float), rng.integers(0, 2, n_rows)]
    np.testing.assert_array_equal(sort_rows(codes, keys), np.lexsort([*keys, *codes.T]))


def test_rows_in_order_are_taken_when_they_are_asked_for():
    """A sorted copy of a long table took more memory than the table."""
    rng = np.random.default_rng(0)
    product = derived_feature(Arithmetic.column("a").join("*", Arithmetic.column("b")))
    features = (Feature("a", "continuous"), Feature("b", "continuous"))
    columns = {name: rng.normal(size=30).round(1) for name in "ab"}
    encoding = make_encoding(features, columns, np.ones(30))
    schema, codes = Schema((*features, product), Target("y", "binary", (0, 1))), encoding.codes(columns, 30)
    table = TableRows(schema, columns, codes, rng.integers(0, 2, (30, 1)).astype(float), np.ones(30)).ordered()
    assert table.columns is columns and table.codes is codes
    order, rows = sort_rows(codes, [columns["a"], columns["b"], table.weights]), np.array([3, 1, 20])
    np.testing.assert_array_equal(codes[order], codes[table.order])  # equal rows may change places
    np.testing.assert_array_equal(table.column("a"), columns["a"][table.order])
    np.testing.assert_array_equal(table.column("b", rows), columns["b"][table.order][rows])
    products = (columns["a"] * columns["b"])[table.order]
    np.testing.assert_allclose(table.column(product.name, rows), products[rows], rtol=1e-9)
    np.testing.assert_array_equal(table.codes_of(rows), codes[table.order][rows])
