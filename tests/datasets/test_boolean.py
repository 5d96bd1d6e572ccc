from itertools import product

import narwhals as nw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nln.datasets import BooleanNetwork, BooleanRule, load_boolean_network, read_boolean_network

NETWORKS = {"mammalian": (10, 23), "fission": (10, 24), "budding": (12, 54), "arabidopsis": (15, 28)}
GENES = ("a", "b_2", "C")


@st.composite
def networks(draw):
    genes = st.sampled_from(GENES)
    bodies = st.dictionaries(genes, st.booleans()).map(lambda body: tuple(body.items()))
    rules = draw(st.lists(st.builds(BooleanRule, genes, bodies), min_size=1, max_size=5))
    return BooleanNetwork(GENES, tuple(rules))


@pytest.mark.parametrize("name", NETWORKS)
def test_every_state_is_there_once_with_its_successor(name, backend):
    X, y = (nw.from_native(frame) for frame in load_boolean_network(name, backend=backend))
    genes, _ = NETWORKS[name]
    assert X.shape == y.shape == (2**genes, genes)
    assert len(set(X.rows())) == 2**genes
    assert X.rows() == sorted(X.rows())
    assert set(X.schema.values()) == set(y.schema.values()) == {nw.Int64}
    assert y.columns == [f"{gene}_next" for gene in X.columns]


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_have_the_published_numbers_of_genes_and_rules(name):
    network = read_boolean_network(name)
    assert (len(network.genes), len(network.rules)) == NETWORKS[name]


@pytest.mark.parametrize(
    ("name", "redundant"),
    [
        ("mammalian", ["Cdh1 :- not CycA, p27."]),
        ("fission", ["Rum1 :- not SK, not Cdc2_Cdc13, Rum1, PP."]),
        (
            "budding",
            [
                "Sic1 :- not Cln1_2, not Clb5_6, not Clb1_2, Swi5.",
                "Sic1 :- not Cln1_2, Sic1, not Clb1_2, Swi5.",
            ],
        ),
        ("arabidopsis", []),
    ],
)
def test_rules_that_the_others_make_redundant(name, redundant):
    network = read_boolean_network(name)
    states = network.states()
    successors = network.successors(states)
    rules = network.rules
    found = [
        str(rule)
        for i, rule in enumerate(rules)
        if (BooleanNetwork(network.genes, rules[:i] + rules[i + 1 :]).successors(states) == successors).all()
    ]
    assert found == redundant


def test_the_resting_mammalian_cell_is_a_steady_state():
    network = read_boolean_network("mammalian")
    resting = [[gene in ("Rb", "p27", "Cdh1") for gene in network.genes]]
    assert network.successors(resting).tolist() == resting


@given(networks())
def test_successors_follow_the_rules_one_by_one(network):
    states = list(product([False, True], repeat=len(GENES)))
    for state, after in zip(states, network.successors(states), strict=True):
        now = dict(zip(GENES, state, strict=True))
        for gene, on in zip(GENES, after, strict=True):
            bodies = [rule.body for rule in network.rules if rule.head == gene]
            assert on == any(all(now[name] == wanted for name, wanted in body) for body in bodies)


@given(networks())
def test_text_reads_back_to_the_same_network(network):
    text = "\n".join([f"% genes: {', '.join(network.genes)}", *map(str, network.rules)])
    assert BooleanNetwork.from_text(text) == network


def test_a_file_of_rules_is_read(tmp_path, backend):
    path = tmp_path / "own.lp"
    path.write_text("% two genes\nb :- a,\n  not b.  % as often\na.\n")
    X, y = load_boolean_network(path, backend=backend)
    assert list(X.columns) == ["b", "a"]
    assert nw.from_native(y).rows() == [(0, 1), (1, 1), (0, 1), (0, 1)]


def test_successors_do_not_change_the_states():
    network = read_boolean_network("fission")
    states = network.states()
    before = states.copy()
    network.successors(states)
    assert np.array_equal(states, before)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a :- b.\n\nb := a.", r"own, line 3: 'b := a' is not a rule"),
        ("a :- b.\nb :- a, .", r"own, line 2: .* is not a rule"),
        ("a :- b.\na :- b, not b.", r"own, line 2: .* asks b to be both on and off"),
        ("a :- b", r"own: the last rule does not end with a full stop: 'a :- b'"),
        ("% nothing\n", r"own has no rules"),
        ("% genes: a\na :- b.", r"own: the line '% genes:' lacks b"),
    ],
)
def test_what_is_no_network_is_refused_with_its_place(text, message):
    with pytest.raises(ValueError, match=message):
        BooleanNetwork.from_text(text, source="own")


def test_an_unknown_name_is_refused_with_the_known_ones():
    with pytest.raises(FileNotFoundError, match=r"'yeast' is neither a network of the package .*budding"):
        read_boolean_network("yeast")


def test_a_table_of_too_many_states_is_refused():
    network = BooleanNetwork.from_text(" ".join(f"a{i} :- a{i}." for i in range(21)))
    with pytest.raises(ValueError, match=r"21 genes have 2\^21 states"):
        network.states()
