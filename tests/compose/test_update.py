import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.compose import Evidence, adjust, gather, update
from nln.rules import ModelFormatError
from tests.compose.examples import HERE, parse, table

CRISP = parse("IF x < 3 AND colour != green THEN class = yes IF size >= L THEN class = yes IF x >= 8 THEN class = yes")
FUZZY = parse("IF x < 3 ± 0.4 THEN class = yes IF size >= L THEN class = yes IF x >= 8 ± 0.5 THEN class = yes")


def halves():
    X, y = table(400)
    return (
        [({name: column[part] for name, column in X.items()}, y[part]) for part in (slice(250), slice(250, 400))],
        X,
        y,
    )


def test_rules_get_the_biases_and_counts_of_all_rows_without_the_old_ones():
    (old, new), X, y = halves()
    found = update(adjust(CRISP, *old), *new).program
    whole = adjust(CRISP, X, y)
    for rule, expected in zip(found.rules, whole.rules, strict=True):
        assert rule.weight == pytest.approx(expected.weight, abs=2e-3)
        assert rule.coverage == expected.coverage


def test_with_evidence_fuzzy_rules_and_the_sums_of_outputs_are_exact(frame):
    (old, new), X, y = halves()
    first = adjust(FUZZY, *old)
    found = update(first, frame(new[0]), new[1], evidence=gather(first, *old))
    whole = adjust(FUZZY, X, y)
    got, expected = ([rule.weight for rule in p.rules] for p in (found.program, whole))
    assert got == pytest.approx(expected, abs=2e-3)
    together = gather(first, X, y)
    assert found.program.biases[0] == pytest.approx(together.outputs[0].share, abs=2e-3)
    for mine, theirs in zip(
        found.evidence.rules + found.evidence.outputs, together.rules + together.outputs, strict=True
    ):
        assert (mine.total, mine.right) == pytest.approx((theirs.total, theirs.right))


def test_two_updates_are_as_one():
    (old, new), X, y = halves()
    start = adjust(FUZZY, *table(100, seed=1))
    evidence = gather(start, *table(100, seed=1))
    first = update(start, *old, evidence=evidence)
    second = update(first.program, *new, evidence=first.evidence)
    once = update(start, X, y, evidence=evidence)
    for rule, expected in zip(second.program.rules, once.program.rules, strict=True):
        assert rule.weight == pytest.approx(expected.weight, abs=2e-3)
        assert rule.coverage == expected.coverage


def test_drift_is_flagged_where_precision_fell():
    X, y = table(400)
    program = adjust(CRISP, X, y)
    turned = ["no" if x < 3 else label for x, label in zip(X["x"], y, strict=True)]
    found = update(program, X, turned)
    assert [entry.drifted for entry in found.drift] == [True, found.drift[1].drifted, False]
    assert found.drift[0].now == 0.0
    assert found.drift[2].z == 0.0
    assert "drifted" in str(found)
    before, n = found.drift[0].before, found.drift[0].rows_before
    pooled = before / 2
    assert found.drift[0].z == pytest.approx(-before / math.sqrt(pooled * (1 - pooled) * 2 / n))


def test_rows_that_a_rule_does_not_cover_leave_it_alone():
    program = adjust(CRISP, *table(400))
    found = update(program, {"x": [5.0], "colour": ["green"], "size": ["S"]}, ["no"])
    assert [r.weight for r in found.program.rules] == [r.weight for r in program.rules]
    assert found.program.biases[0] < program.biases[0] + 1e-9
    assert not any(entry.drifted for entry in found.drift)
    assert np.isnan(found.drift[0].now)
    assert len(found.to_frame()) == 3


def test_evidence_goes_through_json():
    evidence = gather(FUZZY, *table(50))
    assert Evidence.from_dict(json.loads(json.dumps(evidence.to_dict()))) == evidence


@pytest.mark.parametrize(
    "change", [{"version": 2}, {"format": "other"}, {"rules": [[1.0, 2.0]]}, {"rules": [[1.0]]}, {"rows": -1}]
)
def test_other_documents_are_no_evidence(change):
    document = gather(HERE, *table(5)).to_dict()
    with pytest.raises(ModelFormatError):
        Evidence.from_dict({**document, **change})


def test_bad_input_is_refused():
    X, y = table(5)
    with pytest.raises(ValueError, match=r"Rule 1 has no coverage.*with_coverage"):
        update(CRISP, X, y)
    with pytest.raises(ValueError, match="2 rules"):
        update(CRISP, X, y, evidence=gather(HERE, X, y))
    with pytest.raises(ValueError, match="level"):
        update(HERE, X, y, level=0.0)
    with pytest.raises(ValueError, match="known labels"):
        update(HERE, X, ["maybe"] * 5)


def test_inputs_stay_as_they_are():
    X, y = table(50)
    before = HERE.to_dict()
    update(HERE, X, y)
    assert HERE.to_dict() == before


@given(st.lists(st.floats(0.5, 3), min_size=2, max_size=40))
def test_evidence_of_a_fuzzy_rule_that_covers_only_its_label_is_read_back(numbers):
    """Sums of memberships over the rows of the label and over all rows are the same sums, but for rounding."""
    fuzzy = parse("IF x >= 1 ± 0.7 THEN class = yes")
    X = {"x": [*numbers, -1e9]}
    evidence = gather(fuzzy, X, ["yes"] * len(numbers) + ["no"])
    assert evidence.rules[0].share <= 1
    assert Evidence.from_dict(evidence.to_dict()) == evidence
