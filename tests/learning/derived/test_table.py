"""Rows of the table and their folds: left-out rows weigh what they weighed for the rules without calculations."""

from __future__ import annotations

import numpy as np

from nln.learning.derived.table import TableRows, folds_of
from nln.learning.options import LearningSettings
from nln.learning.prior import Prior
from nln.learning.task import prepare_task
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
