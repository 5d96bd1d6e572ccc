from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra import numpy as hnp

from nln.network.theory import LUKASIEWICZ, PRODUCT, and_node, de_morgan, negative_part, or_node, positive_part
from tests.network.theory.strategies import probabilities, signed

N_INPUTS = 4
inputs = hnp.arrays(float, N_INPUTS, elements=probabilities)
weights = hnp.arrays(float, N_INPUTS, elements=signed)
T_NORMS = {
    "product": (PRODUCT, lambda x, y: x * y),
    "lukasiewicz": (LUKASIEWICZ, lambda x, y: max(0.0, x + y - 1.0)),
}
both_logics = pytest.mark.parametrize("logic, t_norm", T_NORMS.values(), ids=T_NORMS.keys())


@both_logics
@given(inputs, weights, probabilities)
def test_a_node_is_the_t_norm_of_its_conditions(logic, t_norm, c, w, bias):
    def t_conorm(x, y):
        return 1.0 - t_norm(1.0 - x, 1.0 - y)

    asked, absent = positive_part(w), negative_part(w)
    needed = [t_conorm(1 - x, y) for x, y in zip([*asked, *absent], [*c, *(1 - c)], strict=True)]
    enough = [t_norm(x, y) for x, y in zip([*asked, *absent], [*c, *(1 - c)], strict=True)]
    assert logic.and_node(c, w, bias) == pytest.approx(reduce(t_norm, needed, bias), abs=1e-12)
    assert logic.or_node(c, w, bias) == pytest.approx(reduce(t_conorm, enough, bias), abs=1e-12)


@both_logics
@given(inputs, weights, probabilities)
def test_negation_turns_the_nodes_of_a_logic_into_each_other(logic, t_norm, c, w, bias):
    assert 1 - logic.and_node(c, w, bias) == pytest.approx(logic.or_node(c, *de_morgan(w, bias)), abs=1e-14)
    assert 1 - logic.or_node(c, w, bias) == pytest.approx(logic.and_node(c, *de_morgan(w, bias)), abs=1e-14)


crisp_weights = weights.map(np.round)


@given(inputs, crisp_weights, probabilities)
def test_with_crisp_weights_lukasiewicz_is_the_stricter_and_and_the_more_generous_or(c, w, bias):
    assert 0 <= LUKASIEWICZ.and_node(c, w, bias) <= and_node(c, w, bias) + 1e-14
    assert or_node(c, w, bias) - 1e-14 <= LUKASIEWICZ.or_node(c, w, bias) <= 1


@given(inputs.map(np.round), crisp_weights)
def test_both_logics_are_classical_where_everything_is_crisp(c, w):
    assert LUKASIEWICZ.and_node(c, w, 1.0) == and_node(c, w) == float((c[w > 0] == 1).all() and (c[w < 0] == 0).all())
    assert LUKASIEWICZ.or_node(c, w, 0.0) == or_node(c, w) == float((c[w > 0] == 1).any() or (c[w < 0] == 0).any())
