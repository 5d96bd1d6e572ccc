"""Helpers that make child tables, and flat aggregates of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nln import Child, NLNClassifier, aggregates, between, neighbours, windows

NODES = pd.DataFrame({"node": [1, 2, 3, 4], "ill": ["no", "yes", "no", "yes"]})
EDGES = pd.DataFrame({"source": [1, 2, 2], "target": [2, 3, 4], "kind": ["a", "b", "b"]})


def test_windows_of_series_are_all_places() -> None:
    values = np.arange(12).reshape(2, 6)
    child = windows(values, 4, step=2)
    assert (child.key, child.parent_key) == ("row", "")
    assert list(child.table) == ["row", "start", "t0", "t1", "t2", "t3"]
    expected = [(i, s, *values[i, s : s + 4]) for i in range(2) for s in (0, 2)]
    assert [tuple(int(child.table[name][k]) for name in child.table) for k in range(4)] == expected


def test_windows_of_images_are_all_places() -> None:
    values = np.random.default_rng(0).choice(["x", "o"], (3, 4, 5))
    table = windows(values, 2, 3).table
    assert len(table["row"]) == 3 * 3 * 3
    for k in range(len(table["row"])):
        i, top, left = (int(table[name][k]) for name in ("row", "top", "left"))
        cut = values[i, top : top + 2, left : left + 3]
        assert [table[f"r{r}c{c}"][k] for r in range(2) for c in range(3)] == cut.ravel().tolist()


def test_windows_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="does not fit"):
        windows(np.zeros((2, 3)), 4)
    with pytest.raises(ValueError, match="takes series"):
        windows(np.zeros((2, 3)), 2, 2)


@pytest.mark.parametrize("library", [pd, pl])
def test_neighbours_have_the_columns_of_nodes_and_edges(library: Any) -> None:
    child = neighbours(library.DataFrame(NODES.to_dict("list")), library.DataFrame(EDGES.to_dict("list")))
    assert child.parent_key == "node"
    table = pd.DataFrame({name: list(child.table[name]) for name in child.table.columns})
    found = sorted(table[["neighbour_of", "kind", "ill"]].itertuples(index=False, name=None))
    assert found == [(1, "a", "yes"), (2, "a", "no"), (2, "b", "no"), (2, "b", "yes"), (3, "b", "yes"), (4, "b", "yes")]
    directed = neighbours(NODES, EDGES, directed=True).table
    assert sorted(directed["neighbour_of"]) == [1, 2, 2]


def test_two_hops_name_the_node_in_the_middle() -> None:
    table = neighbours(NODES, EDGES, hops=2, directed=True).table
    assert sorted(table[["neighbour_of", "via_kind", "via_ill", "kind", "ill"]].itertuples(index=False, name=None)) == [
        (1, "a", "yes", "b", "no"),
        (1, "a", "yes", "b", "yes"),
    ]


def test_a_rule_about_neighbours_is_learned() -> None:
    rng = np.random.default_rng(0)
    n = 500
    nodes = pd.DataFrame(
        {"node": np.arange(n), "ill": rng.choice(["no", "yes"], n, p=[0.8, 0.2]), "x": rng.normal(size=n)}
    )
    edges = pd.DataFrame(
        {
            "source": rng.integers(0, n, 2 * n),
            "target": rng.integers(0, n, 2 * n),
            "close": rng.choice(["no", "yes"], 2 * n),
        }
    )
    child = neighbours(nodes, edges)
    truth = ((child.table.ill == "yes") & (child.table.close == "yes")).groupby(child.table.neighbour_of).any()
    y = truth.reindex(nodes.node, fill_value=False).to_numpy()
    model = NLNClassifier(random_state=0).fit(
        nodes, np.where(rng.random(n) < 0.05, ~y, y), tables={"neighbours": child}
    )
    assert "IF   some neighbours (close = yes AND ill = yes)" in str(model.program_)
    assert (model.predict(nodes, tables={"neighbours": child}) == y).all()


def test_nodes_between_a_pair_say_who_is_linked_to_whom() -> None:
    pairs = pd.DataFrame({"x": [1, 1, 9], "y": [3, 2, 9]})
    table = between(pairs, EDGES, relation="knows").table
    found = {}
    for k, row in enumerate(table["row"].tolist()):
        found.setdefault(row, []).append(tuple(str(table[name][k]) for name in list(table)[1:]))
    assert list(table)[1:] == ["x_knows_z", "z_knows_x", "y_knows_z", "z_knows_y"]
    assert found[0] == [("yes", "no", "no", "yes")]
    assert 2 not in found


@pytest.mark.parametrize("library", [pd, pl])
def test_aggregates_sum_up_children(library: Any) -> None:
    X = library.DataFrame({"id": [1, 2, 3], "age": [5, 6, 7]})
    rows = {
        "id": [1, 1, 2, 1],
        "dept": ["ER", "eye", "ER", "ER"],
        "level": [1.5, None, None, 4.0],
        "more": [1, 2, 3, 4],
    }
    found = aggregates(X, {"visits": Child(library.DataFrame(rows), key="id")})
    assert list(found["visits_count"]) == [3, 1, 0]
    assert list(found["visits_dept_ER"]) == [2, 1, 0]
    assert list(found["visits_more_max"])[:2] == [4, 3]
    assert next(iter(found["visits_more_mean"])) == pytest.approx(7 / 3)
    assert list(found["age"]) == [5, 6, 7]
    assert np.isnan(list(found["visits_more_min"])[2])


def test_aggregates_keep_the_index_of_pandas() -> None:
    X = pd.DataFrame({"id": [1, 2]}, index=["a", "b"])
    found = aggregates(X, {"visits": Child(pd.DataFrame({"id": [2, 2], "z": [1, 5]}), key="id")})
    assert found.loc["b", "visits_count"] == 2
    with pytest.raises(ValueError, match="already"):
        aggregates(found, {"visits": Child(pd.DataFrame({"id": [2, 2], "z": [1, 5]}), key="id")})
