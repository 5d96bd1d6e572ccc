import numpy as np
import pytest

from nln import NLNClassifier
from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import slot_layout
from nln.learning.draft import descent_rows
from nln.learning.selection.sow import LEAST_SOWN, MOST_SOWN, sow
from nln.rules import Feature
from nln.tables.encoding import make_encoding, merge_rows
from tests.learning.tables import table_of


def made(features, columns, outputs):
    encoding = make_encoding(features, columns, np.ones(len(outputs)))
    return encoding, merge_rows(encoding.codes(columns, len(outputs)), outputs.astype(float), np.ones(len(outputs)))


def asked(encoding, draft, i):
    """Numbers of the features that a rule asks about."""
    used = [
        (draft.tables[i, a:b] != 1.0).any() for a, b in zip(encoding.offsets[:-1], encoding.offsets[1:], strict=True)
    ]
    return np.flatnonzero(used).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_each_rule_asks_about_one_feature_and_covers_more_of_its_label_than_the_rest(seed):
    encoding, rows = table_of(seed)
    given = descent_rows(rows)
    draft = sow(slot_layout(encoding), given, encoding)
    features = [asked(encoding, draft, i) for i in range(draft.n_rules)]
    assert sorted(features) == [[0], [1], [2]]
    for i in range(draft.n_rules):
        inside = draft.tables[i][encoding.offsets[:-1] + rows.codes].prod(axis=1) > 0.5
        y, w = rows.targets[:, 0], rows.weights
        assert np.average(y[inside], weights=w[inside]) > np.average(y[~inside], weights=w[~inside])


def test_a_number_is_cut_where_the_label_begins_and_values_are_those_that_have_it():
    x, c = np.arange(40.0) % 20, (np.arange(40) % 3).astype(np.int32)
    features = (Feature("x", "continuous"), Feature("c", "categorical", ("a", "b", "c")))
    encoding, rows = made(features, {"x": x, "c": c}, np.column_stack([x < 5, c == 2]))
    draft = sow(slot_layout(encoding), descent_rows(rows), encoding)
    first, second = (int(np.flatnonzero(draft.output == k)[0]) for k in (0, 1))  # the feature that tells most
    assert draft.tables[first, :20].tolist() == [1.0] * 5 + [0.0] * 15
    assert draft.tables[second, encoding.offsets[1] :].tolist()[:3] == [0.0, 0.0, 1.0]


def test_there_are_only_so_many_rules_and_none_of_a_constant_column():
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=60) for j in range(MOST_SOWN + 5)} | {"same": np.zeros(60)}
    features = tuple(Feature(name, "continuous") for name in columns)
    encoding, rows = made(features, columns, rng.integers(0, 2, (60, 1)))
    draft = sow(slot_layout(encoding), descent_rows(rows), encoding)
    assert draft.n_rules == MOST_SOWN
    assert len(features) - 1 not in [asked(encoding, draft, i)[0] for i in range(draft.n_rules)]


def test_each_of_many_classes_has_a_few_rules_to_begin_with():
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=400) for j in range(6)}
    features = tuple(Feature(name, "continuous") for name in columns)
    encoding, rows = made(features, columns, np.eye(100)[np.arange(400) % 100])
    draft = sow(slot_layout(encoding), descent_rows(rows), encoding)
    assert np.bincount(draft.output, minlength=100).tolist() == [LEAST_SOWN] * 100


def test_more_evidence_against_rules_makes_what_they_say_weaker():
    encoding, rows = table_of(1)
    given = descent_rows(rows)
    weights = []
    for evidence in (0.5, 16.0):
        layout = slot_layout(encoding)._replace(evidence=evidence)
        descent = Descent(layout, given, sow(slot_layout(encoding), given, encoding))
        descent.fit_biases()
        weights.append(descent.draft.bias)
        assert descent.objective(0.0) == pytest.approx(descent.error() + evidence * (descent.draft.bias**2).sum())
    assert (weights[1] < weights[0]).sum() >= 2
    assert weights[1].sum() < weights[0].sum()


def test_weak_effects_that_add_up_are_found_as_rules_of_one_condition():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (600, 8))
    y = rng.random(600) < 1 - 0.9 * 0.7 ** X[:, :4].sum(axis=1)
    model = NLNClassifier(random_state=0, n_jobs=1).fit(X, y)
    single = {rule.conditions[0].feature for rule in model.program_.rules if len(rule.conditions) == 1}
    assert {"x0", "x1", "x2", "x3"} <= single


def test_of_a_probability_the_value_is_asked_that_goes_with_the_label():
    p = np.linspace(0, 1, 200)
    features = (Feature("rain", "probability"),)
    encoding, rows = made(features, {"rain": p}, np.column_stack([p > 0.5, p < 0.5]))
    draft = sow(slot_layout(encoding), descent_rows(rows), encoding)
    (slots,) = encoding.slots
    for i, k in enumerate(draft.output):
        expected = 1.0 - slots.centers if k else slots.centers
        np.testing.assert_allclose(draft.tables[i, : slots.n_known], expected)
