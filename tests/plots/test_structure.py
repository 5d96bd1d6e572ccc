import pytest

from nln import plots
from nln.rules import Feature, Schema, Target
from tests.plots.programs import CASES, new_ax
from tests.plots.test_all_figures import rendered

SCHEMA = Schema(
    (
        Feature("smoker", "binary", ("no", "yes")),
        Feature("colour", "categorical", ("red", "green", "blue")),
        Feature("age", "continuous"),
    ),
    Target("state", "multiclass", ("ill", "well")),
)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_each_kind_of_feature_enters_through_its_own_nodes():
    found = texts(plots.plot_structure(SCHEMA))
    assert found[:6] == [
        "smoker",
        "colour",
        "one-hot\nred, green, blue",
        "age",
        "dichotomies\nσ(α (age − B))",
        "AND\nintervals",
    ]
    assert [text for text in found if text.startswith("OR\n")] == [
        "OR\nvalues",
        "OR\nintervals",
        "OR\nstate = ill",
        "OR\nstate = well",
    ]


def test_modules_repeat_what_a_rule_has_for_itself_and_share_the_encodings():
    found = texts(plots.plot_structure(SCHEMA, modules=True, rules=3))
    assert found.count("OR\nvalues") == found.count("OR\nintervals") == 3
    assert found.count("AND\nintervals") == 1
    assert [text for text in found if "module" in text] == [f"rule module {i}" for i in (1, 2, 3)]


def test_initial_weights_and_biases_are_those_of_training():
    found = texts(plots.plot_structure(SCHEMA, initial=True, rules=1))
    assert found.count("U(−1, 1)") == 1  # the binary feature
    assert found.count("U(0, 1)") == 2 + 2  # two OR nodes, two outputs
    assert found.count("1") == 2
    assert "AND, a = 1\nrule 1" in found
    assert "OR, o = 0\nstate = ill" in found


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("modules", [False, True])
def test_the_structure_of_any_program_is_drawn(kind, modules):
    rendered(plots.plot_structure(CASES[kind]().program, modules=modules).figure)


def test_the_axes_given_are_drawn_into():
    ax = new_ax()
    assert plots.plot_structure(SCHEMA, ax=ax) is ax
