from __future__ import annotations

import io

import pytest
from matplotlib.patches import Circle, FancyArrowPatch

from nln.plots import plot_wiring
from nln.plots.wiring import wiring
from nln.rules import Feature, LogicProgram, Schema, Target
from tests.plots.programs import binary, multilabel, new_ax, patches, texts


def test_a_wiring_says_who_acts_on_whom():
    assert wiring(multilabel().program) == {
        ("q", "p"): "activates",
        ("r", "p"): "inhibits",
        ("p", "q"): "inhibits",
        ("r", "r"): "both",
        ("p", "r"): "activates",
    }


def test_a_wiring_has_a_circle_a_gene_and_an_arrow_an_effect():
    ax = new_ax()
    assert plot_wiring(multilabel().program, ax=ax) is ax
    assert len(patches(ax, Circle)) == 3
    assert len(patches(ax, FancyArrowPatch)) == 5
    assert texts(ax) == ["p", "q", "r"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["activates", "inhibits", "both"]
    ax.figure.savefig(io.BytesIO(), dpi=40)


def test_a_gene_and_its_next_value_are_one_node():
    genes = ("a", "b", "c_next")
    features = tuple(Feature(gene, "binary", (0, 1)) for gene in genes)
    schema = Schema(features, Target("next", "multilabel", ("a_next", "b_next", "c_next")))
    program = LogicProgram.parse("IF b = 1 THEN a_next IF a = 0 THEN b_next IF a = 1 THEN c_next", schema=schema)
    assert wiring(program) == {("b", "a"): "activates", ("a", "b"): "inhibits", ("a", "c_next"): "activates"}
    assert texts(plot_wiring(program)) == ["a", "b", "c_next"]


def test_a_wiring_needs_labels_that_are_features():
    with pytest.raises(
        ValueError, match="labels are names of features, with or without '_next' at the end; the target is binary"
    ):
        plot_wiring(binary().program)
