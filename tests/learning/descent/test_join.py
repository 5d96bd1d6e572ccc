from __future__ import annotations

import numpy as np
import pytest

from nln.learning.descent.descent import Descent
from nln.learning.descent.join import join_rules
from nln.learning.descent.layout import slot_layout
from nln.learning.draft import Draft, descent_rows
from nln.learning.options import LanguageOptions
from nln.rules import Feature
from nln.tables.encoding import make_encoding, merge_rows

FEATURES = (Feature("sign", "categorical", ("a", "b", "c")), Feature("age", "continuous"))


def patients(seed, chance=(0.8, 0.8), gaps=0.2, n=2000):
    """Rows with the sign a are ill by chances that may depend on whether they are old."""
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(n) < gaps, np.nan, rng.integers(0, 60, n).astype(float))
    columns = {"sign": rng.integers(0, 3, n).astype(np.int32), "age": age}
    ill = (columns["sign"] == 0) & (rng.random(n) < np.where(age >= 27, *chance))
    encoding = make_encoding(FEATURES, columns, np.ones(n))
    return encoding, descent_rows(merge_rows(encoding.codes(columns, n), ill[:, None].astype(float), np.ones(n)))


def two_halves(encoding):
    """`sign = a AND age >= 27`, and `sign = a AND (age < 27 or missing)`."""
    tables, (begin, end) = np.ones((2, encoding.n_slots)), encoding.offsets[1:3]
    tables[:, 1:3] = 0.0
    old = np.append(encoding.slots[1].centers >= 27, np.zeros(int(encoding.slots[1].has_missing), bool))
    tables[0, begin:end], tables[1, begin:end] = old, ~old
    return Draft(tables, np.full(2, 0.8), np.zeros(2, np.int64), np.zeros(1))


@pytest.mark.parametrize("seed", range(5))
def test_two_halves_that_say_the_same_are_joined(seed):
    encoding, rows = patients(seed)
    descent, rng = Descent(slot_layout(encoding), rows, two_halves(encoding)), np.random.default_rng(0)
    descent.run(1.0, rng)
    assert descent.draft.n_rules == 2  # no step on one rule leads to the rule without the age
    before = descent.objective(1.0)
    joined = join_rules(descent, 1.0, rng)
    assert joined.draft.n_rules == 1
    assert (joined.draft.tables[0, encoding.offsets[1] :] == 1.0).all()
    assert joined.objective(1.0) <= before


def test_halves_that_say_different_things_stay_apart():
    encoding, rows = patients(0, chance=(0.95, 0.4))
    descent = Descent(slot_layout(encoding), rows, two_halves(encoding))
    descent.fit_biases()
    assert join_rules(descent, 1.0, np.random.default_rng(0)).draft.n_rules == 2


@pytest.mark.parametrize(("unions", "rules"), [(True, 1), (False, 2)])
def test_parts_of_a_feature_become_one_condition_if_the_language_has_it(unions, rules):
    encoding, rows = patients(1, gaps=0.0)
    numbers = encoding.slots[1].centers
    parts = [(numbers < 20), (numbers >= 30) & (numbers < 45)]
    hit = (rows.codes[0] == 0) & np.isin(rows.codes[1], np.flatnonzero(parts[0] | parts[1]))
    rows = rows._replace(targets=hit[None].astype(np.float32))
    draft = two_halves(encoding)
    draft.tables[:, encoding.offsets[1] :] = parts
    layout, rng = slot_layout(encoding, LanguageOptions(unions=unions)), np.random.default_rng(0)
    descent = Descent(layout, rows, draft)
    before = descent.objective(1.0)
    joined = join_rules(descent, 1.0, rng)
    assert joined.draft.n_rules == rules
    assert joined.objective(1.0) <= before


def test_rules_of_different_labels_and_fixed_rules_stay():
    encoding, rows = patients(2)
    draft, rng = two_halves(encoding), np.random.default_rng(0)
    both = rows._replace(targets=np.repeat(rows.targets, 2, axis=0))
    apart = draft._replace(output=np.array([0, 1]), output_bias=np.zeros(2))
    assert join_rules(Descent(slot_layout(encoding), both, apart), 1.0, rng).draft.n_rules == 2
    fixed = draft._replace(n_fixed=1)
    assert join_rules(Descent(slot_layout(encoding), rows, fixed), 1.0, rng).draft.n_rules == 2
