import numpy as np
import pytest

from nln import Constraints, NLNClassifier
from nln.learning.draft import descent_rows
from nln.learning.options import LearningSettings
from nln.learning.prior import Prior
from nln.learning.selection.telling import DRAWN_COLUMNS, MOST_COLUMNS, telling_columns
from nln.learning.task import prepare_task
from nln.rules import Feature
from nln.tables.encoding import make_encoding, merge_rows
from tests.learning.oracle import random_draft

N_COLUMNS, N_ROWS = 90, 120


def wide(seed=0):
    """A table of more columns than a start looks at; columns 7 and 80 tell the label."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, N_COLUMNS))
    y = (X[:, 7] > 0) & (X[:, 80] > -0.5)
    columns = {f"x{j}": X[:, j] for j in range(N_COLUMNS)}
    encoding = make_encoding(tuple(Feature(name, "continuous") for name in columns), columns, np.ones(N_ROWS))
    rows = merge_rows(encoding.codes(columns, N_ROWS), y[:, None].astype(float), np.ones(N_ROWS))
    return encoding, rows, X, y


def task_of(encoding, rows, **options):
    settings = LearningSettings(16, np.random.SeedSequence(0), starts=3)
    return prepare_task(encoding, rows, settings, Prior(), np.random.default_rng(0), **options)


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_tell_alone_are_chosen_and_some_others_by_chance(seed):
    encoding, rows, _, _ = wide(seed)
    chosen = telling_columns(descent_rows(rows), encoding, np.random.default_rng(seed), always=[3])
    assert len(chosen) == len(set(chosen.tolist())) == MOST_COLUMNS
    assert {3, 7, 80} <= set(chosen.tolist())
    again = telling_columns(descent_rows(rows), encoding, np.random.default_rng(seed + 100), always=[3])
    assert 0 < len(set(chosen.tolist()) - set(again.tolist())) <= DRAWN_COLUMNS


def test_each_start_chooses_without_the_rows_that_it_leaves_out():
    encoding, rows, _, _ = wide()
    task = task_of(encoding, rows)
    flipped = rows.targets.copy()
    whole = task_of(encoding, rows, narrow=False)  # the rows have the same folds, whatever is seen of them
    flipped[whole.folds == 1] = 1.0 - flipped[whole.folds == 1]
    names = [[task.encoding.slots[j].feature.name for j in view.columns] for view in task.views]
    own = descent_rows(type(rows)(rows.codes, flipped, rows.weights, rows.counts)).take(
        np.flatnonzero(whole.folds != 1)
    )
    best = telling_columns(own, encoding, np.random.default_rng(0))
    told = {encoding.slots[j].feature.name for j in best}
    assert len(set(names[1]) & told) >= MOST_COLUMNS - DRAWN_COLUMNS


def test_a_table_of_few_columns_is_seen_whole():
    encoding, rows, _, _ = wide()
    few = np.arange(MOST_COLUMNS)
    task = task_of(encoding.take(few), rows.narrowed(few))
    assert all(view.is_whole and view.layouts is task.layouts for view in task.views)
    draft = random_draft(np.random.default_rng(0), task.layouts[0], 4, 1, "mixed")
    assert task.views[0].narrow(draft) is draft
    assert task.views[0].widen(draft) is draft
    assert task.views[0].rows(task.rows) is task.rows


def test_rules_go_there_and_back():
    encoding, rows, _, _ = wide()
    task = task_of(encoding, rows)
    for view in task.views:
        draft = random_draft(np.random.default_rng(1), view.layouts[0], 4, 1, "mixed")
        again = view.narrow(view.widen(draft))
        for given, found in zip(draft, again, strict=True):
            np.testing.assert_array_equal(given, found)
        seen = view.rows(task.rows)
        for i, table in enumerate(view.widen(draft).tables):
            whole = table[task.encoding.offsets[:-1, None] + task.rows.codes].prod(axis=0)
            narrow = draft.tables[i][view.encoding.offsets[:-1, None] + seen.codes].prod(axis=0)
            np.testing.assert_allclose(whole, narrow)


def test_a_rule_is_found_among_many_columns_and_required_columns_are_seen():
    _, _, X, y = wide()
    model = NLNClassifier(random_state=0, n_rules=32).fit(X, y)
    assert set(model.program_.features_used) == {"x7", "x80"}
    model = NLNClassifier(random_state=0, n_rules=32, constraints=Constraints(required=["x3"])).fit(X, y)
    assert all("x3" in {c.feature for c in rule.conditions} for rule in model.program_.rules)
