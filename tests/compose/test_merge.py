import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.compose import merge
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.compose.examples import HERE, SCHEMA, THERE, parse, table
from tests.rules.strategies import programs, programs_and_rows


@given(programs(), st.integers(1, 3))
def test_merging_a_program_with_itself_gives_its_canonical_form(program, times):
    merged = merge([program] * times)
    assert merged.program == program.simplify()
    assert len(merged.origins) == merged.program.n_rules


@given(programs_and_rows(), st.floats(0.01, 0.99))
def test_without_data_the_chance_of_absence_is_the_geometric_mean_of_the_programs(drawn, chance):
    program, rows = drawn
    other = LogicProgram(
        program.schema, (), tuple(chance for _ in program.biases), tuple(chance for _ in program.thresholds)
    )
    if other == program.simplify() or not all(rule.is_crisp for rule in program.rules):
        return
    merged = merge([program, other]).program
    absent = [1 - p._probabilities(rows) for p in (program, other, merged)]
    np.testing.assert_allclose(absent[2], np.sqrt(absent[0] * absent[1]), atol=2e-3 * (program.n_rules + 1))


def test_rules_of_both_programs_are_there_with_their_origins():
    merged = merge([HERE, THERE], names=["here", "there"])
    assert [rule.conditions[0].feature for rule in merged.program.rules] == ["x", "size", "x"]
    assert merged.origins == (("here", "there"), ("here",), ("there",))
    assert "from here, there" in str(merged)


def test_weights_are_the_rows_that_the_programs_have_seen():
    common = merge([HERE, THERE]).program.rules[0]
    expected = 1 - math.exp(0.75 * math.log(0.05) + 0.25 * math.log(0.2))
    assert common.weight == pytest.approx(expected, abs=5e-4)
    assert (common.coverage.rows, common.coverage.of_rows, common.coverage.hits) == (31, 120, 25)


def test_an_included_rule_of_another_program_goes_and_hands_over_its_share():
    wide, narrow = parse("IF x < 3 THEN class = yes (0.9)"), parse("IF x < 2 THEN class = yes (0.8)")
    merged = merge([narrow, wide])
    assert merged.program.n_rules == 1
    assert merged.program.rules[0].weight == pytest.approx(1 - math.sqrt(0.1 * 0.2), abs=5e-4)
    assert merged.origins == (("program 1", "program 2"),)


def test_an_included_rule_of_the_same_program_stays():
    both = parse("IF x < 3 THEN class = yes (0.9) IF x < 2 THEN class = yes (0.8)")
    assert merge([both, parse("IF size >= L THEN class = yes (0.5)")]).program.n_rules == 3


def test_columns_and_values_are_joined_by_name():
    target = SCHEMA.target
    one = parse("IF size >= L THEN class = yes", Schema((Feature("size", "ordinal", ("S", "L")),), target))
    two = parse(
        "IF size >= M AND z < 1 THEN class = yes (0.5)",
        Schema((Feature("z", "continuous"), Feature("size", "ordinal", ("S", "M", "L"))), target),
    )
    merged = merge([one, two]).program
    assert merged.schema.names == ("size", "z")
    assert merged.schema["size"].values == ("S", "M", "L")
    # A boundary is a rank: it moves with its value.
    rows = {"size": ["S", "M", "L"], "z": [5.0, 5.0, 5.0]}
    assert merged.predict(rows).tolist() == ["no", "no", "yes"]


@pytest.mark.parametrize(
    ("kinds", "joined"), [(("binary", "binary"), "categorical"), (("binary", "categorical"), None)]
)
def test_two_lists_of_values_become_one(kinds, joined):
    lists = (("a", "b"), ("b", "c"))
    schemas = [Schema((Feature("f", kind, values),), SCHEMA.target) for kind, values in zip(kinds, lists, strict=True)]
    merged = merge([parse("IF f = b THEN class = yes", schema) for schema in schemas]).program
    assert merged.schema["f"] == Feature("f", joined or "categorical", ("a", "b", "c"))


def test_with_data_the_result_is_shorter_and_not_worse(frame):
    X, y = table()
    messy = parse("IF 0 <= x < 3 AND colour != green THEN class = yes (0.9) IF x < 1 THEN class = yes (0.3)")
    merged = merge([HERE, THERE, messy], X=frame(X), y=y, price=0.5)
    accuracy = np.mean(merged.program.predict(X) == np.array(y))
    assert merged.program.n_rules <= 4
    assert accuracy >= max(np.mean(p.predict(X) == np.array(y)) for p in (HERE, THERE, messy))
    assert all(rule.coverage.of_rows == 300 for rule in merged.program.rules)
    assert len(merged.origins) == merged.program.n_rules


@pytest.mark.parametrize("method", ["coverage", "error"])
def test_with_data_the_result_is_the_same_again(method):
    X, y = table()
    first, again = (merge([HERE, THERE], X=X, y=y, method=method) for _ in range(2))
    assert first == again


def test_inputs_stay_as_they_are():
    X, y = table()
    before = HERE.to_dict(), THERE.to_dict(), {name: list(column) for name, column in X.items()}, list(y)
    merge([HERE, THERE], X=X, y=y)
    merge([HERE, THERE])
    assert before == (HERE.to_dict(), THERE.to_dict(), X, y)


def test_clashing_kinds_are_named():
    other = parse("IF x = 1 THEN class = yes", Schema((Feature("x", "categorical", (1, 2)),), SCHEMA.target))
    with pytest.raises(ValueError, match=r"'x' is continuous in one program and categorical in another"):
        merge([HERE, other])


def test_clashing_orders_are_named():
    other = parse(
        "IF size >= M THEN class = yes", Schema((Feature("size", "ordinal", ("L", "M", "S")),), SCHEMA.target)
    )
    with pytest.raises(ValueError, match=r"'size' is ordinal .*'S', 'M', 'L'.*'L', 'M', 'S'"):
        merge([HERE, other])


def test_clashing_targets_are_named():
    other = LogicProgram(Schema((), Target("kind", "binary", ("no", "yes"))), (), (0.1,), (0.5,))
    with pytest.raises(ValueError, match=r"different targets: 'class' .* and 'kind'"):
        merge([HERE, other])


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ([], {}, "at least one"),
        ([HERE], {"X": {"x": [1.0]}}, "go together"),
        ([HERE], {"names": ["a", "b"]}, "each of the 1 programs"),
        ([HERE], {"price": -1.0}, "price"),
        ([HERE], {"method": "best"}, "method"),
    ],
)
def test_bad_arguments_are_refused(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        merge(arguments, **options)


def test_something_else_than_programs_is_refused():
    with pytest.raises(TypeError, match="sequence of LogicProgram"):
        merge(HERE)


def test_unknown_labels_are_named():
    X, y = table(3)
    with pytest.raises(ValueError, match=r"'perhaps' at row 0; known labels: 'no', 'yes'"):
        merge([HERE], X=X, y=["perhaps", *y[1:]])


def test_a_merged_program_without_rules_says_so():
    empty = replace(HERE, rules=())
    merged = merge([empty, replace(empty, biases=(0.2,))])
    assert (str(merged), merged.to_records()) == ("no rules", [])


def test_records_have_the_origins_of_each_rule():
    merged = merge([HERE, THERE], names=["here", "there"])
    assert [record["origins"] for record in merged.to_records()] == [list(origins) for origins in merged.origins]
    assert [record["rule"] for record in merged.to_records()] == [1, 2, 3]
