"""Graphs as child tables: the neighbours of each node, and the nodes between the two of a pair."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import narwhals as nw
import numpy as np

from nln.rules.children.child import Child
from nln.tables.frames import Table

NEAR = "neighbour_of"
"""The key of neighbours: the node whose neighbour a row is."""


def neighbours(
    nodes: Any,
    edges: Any,
    *,
    node: str = "node",
    source: str = "source",
    target: str = "target",
    hops: int = 1,
    directed: bool = False,
) -> Child:
    """List the neighbours of each node, with their columns and those of the edges, as rows of a child table.

    Parameters
    ----------
    nodes : data frame
        A row for each node.
    edges : data frame
        A row for each edge: two columns name nodes, and further ones describe the edge.
    node : str, default="node"
        The column of `nodes` with their names.
    source, target : str, default="source", "target"
        The columns of `edges` with the names of nodes.
    hops : {1, 2}, default=1
        Neighbours, or the neighbours of neighbours: a row for each path of two edges to another node. The columns of
        the node in the middle begin with `via_`.
    directed : bool, default=False
        Whether edges lead from source to target only.

    Returns
    -------
    Child
        To be given with X = `nodes`, or with another table that has the column `node`.

    Examples
    --------
    >>> import nln
    >>> import pandas as pd
    >>> nodes = pd.DataFrame({"node": ["a", "b", "c"], "ill": ["no", "yes", "no"]})
    >>> edges = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]})
    >>> nln.neighbours(nodes, edges).table
      neighbour_of  ill
    0            a  yes
    1            b   no
    2            b   no
    3            c  yes
    """
    people: Any = nw.from_native(nodes, eager_only=True)
    links: Any = nw.from_native(edges, eager_only=True)
    for name, table, what in ((node, people, "nodes"), (source, links, "edges"), (target, links, "edges")):
        if name not in table.columns:
            raise ValueError(f"{what} has no column {name!r}; it has {', '.join(map(repr, table.columns))}.")
    if hops not in (1, 2):
        raise ValueError(f"hops must be 1 or 2, not {hops!r}.")
    if not directed:
        swapped = links.rename({source: target, target: source}).select(links.columns)
        links = nw.concat([links, swapped]).unique(maintain_order=True)
    ends = people.rename({node: target})
    found = links.join(ends, on=target, how="inner")
    if hops == 2:
        first = found.rename({name: f"via_{name}" for name in found.columns if name not in (source, target)})
        first = first.rename({target: "via"})
        found = first.join(found.rename({source: "via"}), on="via", how="inner")
        found = found.filter(nw.col(source) != nw.col(target)).drop("via")
    found = found.drop(target).rename({source: NEAR}).sort(NEAR)
    return Child(found.to_native(), NEAR, parent_key=node)


def between(
    pairs: Any,
    edges: Any,
    *,
    first: str = "x",
    second: str = "y",
    source: str = "source",
    target: str = "target",
    relation: str = "edge",
) -> Child:
    """List the nodes z that have an edge with x or y, for each pair of nodes x and y, as rows of a child table.

    Whether x and y themselves are linked is a question about the pair. Rules then say what must hold of some z:
    `some between (x_edge_z = yes AND z_edge_y = yes)`.

    Parameters
    ----------
    pairs : data frame
        A row for each pair; in their order they are the rows of X.
    edges : data frame
        A row for each edge.
    first, second : str, default="x", "y"
        The columns of `pairs` with the names of the two nodes.
    source, target : str, default="source", "target"
        The columns of `edges` with the names of nodes.
    relation : str, default="edge"
        What an edge means, for the names of the columns: `x_parent_z` says that x is a parent of z.

    Returns
    -------
    Child
        With the columns `x_edge_z`, `z_edge_x`, `y_edge_z` and `z_edge_y`, each no or yes.

    Examples
    --------
    >>> import nln
    >>> import pandas as pd
    >>> pairs = pd.DataFrame({"x": ["ann", "bob"], "y": ["cid", "cid"]})
    >>> parent = pd.DataFrame({"source": ["ann", "bob"], "target": ["bob", "cid"]})
    >>> child = nln.between(pairs, parent, relation="parent")
    >>> child.table["x_parent_z"].tolist()
    ['yes', 'no', 'yes', 'no']
    """
    own: Any = nw.from_native(pairs, eager_only=True)
    links: Any = nw.from_native(edges, eager_only=True)
    from_, to = links[source].to_list(), links[target].to_list()
    linked = set(zip(from_, to, strict=True))
    near: dict[Any, dict[Any, None]] = defaultdict(dict)
    for one, other in zip(from_, to, strict=True):
        near[one][other] = None
        near[other][one] = None
    rows: list[int] = []
    cells: list[tuple[bool, bool, bool, bool]] = []
    for row, (x, y) in enumerate(zip(own[first].to_list(), own[second].to_list(), strict=True)):
        for z in {**near.get(x, {}), **near.get(y, {})}:
            rows.append(row)
            cells.append(((x, z) in linked, (z, x) in linked, (y, z) in linked, (z, y) in linked))
    held = np.where(np.array(cells, np.bool_).reshape(-1, 4), "yes", "no")
    names = [name.format(relation) for name in ("x_{}_z", "z_{}_x", "y_{}_z", "z_{}_y")]
    columns = {"row": np.array(rows, np.int64), **{name: held[:, place] for place, name in enumerate(names)}}
    return Child(Table(tuple(columns), tuple(columns.values()), len(rows), named=True), "row", parent_key="")
