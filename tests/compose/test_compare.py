import numpy as np
import pytest

from nln.compose import compare, stability
from nln.rules import LogicProgram, Schema, Target
from tests.compose.examples import HERE, SCHEMA, THERE, parse, table


def test_a_program_agrees_with_itself(frame):
    X, _ = table()
    same = compare(HERE, HERE, frame(X))
    assert (same.agreement, same.difference, same.overlap) == (1.0, 0.0, 1.0)
    assert [match.other for match in same.matches] == [0, 1]
    np.testing.assert_allclose(np.diag(same.inclusion), 1.0)


def test_inclusion_is_the_formula():
    X, _ = table()
    wide, narrow = parse("IF x < 5 ± 1 THEN class = yes"), parse("IF x < 2 THEN class = yes (0.5)")
    found = compare(wide, narrow, X)
    r = 1 / (1 + np.exp(np.log(9) * (np.array(X["x"]) - 5)))
    s = (np.array(X["x"]) < 2).astype(float)
    assert found.inclusion[0, 0] == pytest.approx(np.minimum(np.sqrt(r * s), r).sum() / r.sum())
    assert found.included[0, 0] == pytest.approx(np.minimum(np.sqrt(r * s), s).sum() / s.sum())
    assert found.matches[0].jaccard == pytest.approx(((r >= 0.5) & (s > 0)).sum() / ((r >= 0.5) | (s > 0)).sum())


def test_numbers_of_two_programs(frame):
    X, _ = table()
    found = compare(HERE, THERE, X)
    assert found.agreement == np.mean(HERE.predict(X) == THERE.predict(X))
    assert found.difference == pytest.approx(np.abs(HERE.predict_proba(X) - THERE.predict_proba(X)).mean())
    backend = frame.__module__.split(".")[0]
    shown = found.to_frame(backend)
    assert type(shown).__module__.split(".")[0] == backend
    assert list(shown["jaccard"]) == [match.jaccard for match in found.matches]
    assert "of the decisions agree" in str(found)


def test_a_rule_that_never_fires_has_no_inclusion():
    X, _ = table()
    found = compare(parse("IF x < -1 THEN class = yes"), HERE, X)
    assert np.isnan(found.inclusion).all()


def test_programs_without_rules_are_alike():
    X, _ = table(5)
    empty = LogicProgram(SCHEMA, (), (0.1,), (0.5,))
    assert compare(empty, empty, X).overlap == 1.0
    assert compare(HERE, empty, X).matches[0].other is None


def test_stability_is_the_mean_over_pairs(frame):
    X, _ = table()
    programs = [HERE, THERE, HERE]
    found = stability(programs, frame(X))
    pairs = [compare(programs[i], programs[j], X) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert found.agreement == pytest.approx(np.mean([pair.agreement for pair in pairs]))
    assert found.difference == pytest.approx(np.mean([pair.difference for pair in pairs]))
    assert found.pairs[1][2:] == (1.0, 1.0, 0.0)
    assert len(found.to_frame("pandas")) == 3
    assert "3 pairs" in str(found)


def test_bad_input_is_refused():
    X, _ = table(5)
    with pytest.raises(ValueError, match="at least 2, not 1"):
        stability([HERE], X)
    other = LogicProgram(Schema((), Target("class", "binary", (0, 1))), (), (0.1,), (0.5,))
    with pytest.raises(ValueError, match="different targets"):
        compare(HERE, other, X)
    with pytest.raises(ValueError, match="backend must be"):
        compare(HERE, HERE, X).to_frame("excel")
