from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from nln import Constraints, LanguageOptions, NLNClassifier, load_model
from nln.learning.draft import Draft
from nln.learning.selection.committee import form_committee

chances = st.floats(0.0, 0.999)


def draft(biases, absent):
    tables = np.tile([1.0, 0.0], (len(biases), 1))
    return Draft(tables, np.array(biases), np.zeros(len(biases), np.int64), np.array([absent]))


@given(st.lists(st.tuples(st.lists(chances, max_size=3), chances), min_size=1, max_size=4))
def test_a_committee_is_the_geometric_mean_of_its_members(members):
    committee = form_committee([draft(*member) for member in members])
    absent = [(1 - o) * np.prod([1 - a for a in biases]) for biases, o in members]
    together = (1 - committee.output_bias[0]) * np.prod(1 - committee.bias)
    np.testing.assert_allclose(together, np.prod(absent) ** (1 / len(members)), rtol=1e-9)
    assert committee.n_rules == sum(len(biases) for biases, _ in members)


def test_certain_rules_leave_the_others_a_say():
    committee = form_committee([draft([1.0], 0.0), draft([0.2], 0.0)])
    assert (committee.bias < 1).all()


def additive(n=300):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=n).round(2) for name in "abcd"})
    return X, np.where(rng.random(n) < 1 / (1 + np.exp(-X.sum(axis=1))), "yes", "no")


def test_the_size_keeps_the_rules_of_all_starts():
    X, y = additive()
    short, balanced, accurate = (
        NLNClassifier(size=size, starts=3, random_state=0).fit(X, y) for size in ("short", None, "accurate")
    )
    assert short.program_.n_rules <= balanced.program_.n_rules < accurate.program_.n_rules
    unit = [np.unique(model.predict_proba(X)[:, 1]).size for model in (balanced, accurate)]
    assert unit[0] <= unit[1]


def test_a_committee_keeps_to_limits():
    X, y = additive()
    language = LanguageOptions(max_rules=2)
    limited = NLNClassifier(size="accurate", starts=2, language=language, random_state=0).fit(X, y)
    assert limited.program_.n_rules <= 2
    constraints = Constraints(forbidden=["a"])
    free_of = NLNClassifier(size="accurate", starts=2, constraints=constraints, random_state=0).fit(X, y)
    assert "a" not in free_of.program_.features_used


def test_the_dial_goes_from_committees_to_the_best_single_program_and_on_to_few_rules(tmp_path):
    X, y = additive()
    model = NLNClassifier(size="accurate", starts=6, random_state=0).fit(X, y)
    members = [point.members for point in model.path_]
    assert members[:4] == [6, 5, 2, 1]
    assert set(members[4:]) <= {1}
    assert model.program_ == model.path_[0].program
    prices = [point.price for point in model.path_]
    assert len(set(prices[:4])) == 1
    assert prices[3:] == sorted(prices[3:])
    assert all(rule.starts is not None and rule.starts[0] >= 1 for rule in model.program_.rules)
    pair = model.path_[2]
    assert model.at(n_rules=pair.n_rules).n_rules == pair.n_rules
    model.save(tmp_path / "model.json")
    assert [point.members for point in load_model(tmp_path / "model.json").path_] == members
    assert "6 starts" in model.path_._repr_html_()


def test_a_committee_of_one_is_its_only_start():
    X, y = additive()
    model = NLNClassifier(size="accurate", starts=1, random_state=0).fit(X, y)
    assert {point.members for point in model.path_} == {1}
    assert model.program_.n_rules > 0
