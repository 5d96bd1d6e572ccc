"""Summaries of tables in parts: they depend on the rows alone."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nln.rules.cells import Categories, Numbers
from nln.rules.decoding import decode
from nln.tables.hashes import cell_hashes, row_hashes_of
from nln.tables.joined import join_cells
from nln.tables.summary import merge_summaries, summarise


def a_table(n, seed):
    rng = np.random.default_rng(seed)
    return {
        "text": rng.choice(np.array(["a", "b", "c", None], dtype=object), n),
        "whole": rng.integers(0, 50, n),
        "gaps": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        "truth": rng.random(n) < 0.5,
        "y": rng.integers(0, 3, n),
    }


def summary_of(table, rows, size):
    cells = [decode(name, column[rows]) for name, column in table.items()]
    return summarise(tuple(table), cells, np.ones(len(rows)), size, n_targets=1)


def content(summary):
    cells = [[column.cell(row) for row in range(len(column))] for column in summary.columns]
    return cells, summary.counts.tolist(), summary.sampled.tolist(), summary.n_rows, summary.labels


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.sampled_from([5, 50, 1000]))
def test_the_cut_and_the_order_do_not_matter(seed, n_parts, size):
    table, rng = a_table(300, seed), np.random.default_rng(seed)
    parts = np.array_split(rng.permutation(300), n_parts)
    summaries = [summary_of(table, rows, size) for rows in parts]
    merged = merge_summaries([merge_summaries(summaries[: n_parts // 2 + 1]), *summaries[n_parts // 2 + 1 :]])
    assert content(merged) == content(summary_of(table, np.arange(300), size))


def test_a_sample_with_room_for_all_rows_is_the_table():
    table = a_table(200, 0)
    summary = summary_of(table, np.arange(200), 1000)
    assert summary.is_whole
    assert summary.counts.sum() == 200
    assert not summary_of(table, np.arange(200), 20).is_whole


def test_witnesses_show_what_the_sample_misses():
    n = 5000
    table = a_table(n, 1)
    table["text"][:] = "usual"
    table["text"][17] = "once"
    table["gaps"] = np.ones(n)
    table["gaps"][[3, 4, 5, 6]] = [np.nan, -7.0, 9.0, 0.5]
    summary = summary_of(table, np.arange(n), 10)
    text, whole, gaps, *_ = summary.columns
    assert "once" in [text.cell(row) for row in range(len(text))]
    assert gaps.missing.any()
    assert {-7.0, 9.0, 0.5} <= set(gaps.values[~gaps.missing])
    assert {0, 49} <= set(whole.values)
    assert summary.sampled.sum() == 10


def test_classes_are_counted_with_rows_of_weight_zero():
    cells = [decode("x", np.arange(4)), decode("y", np.array(["a", "b", "a", "a"], dtype=object))]
    summary = summarise(("x", "y"), cells, np.array([1.0, 2.0, 0.0, 3.0]), 10, n_targets=1)
    assert summary.labels == {"a": 3, "b": 1}
    assert summary.label_weights == {"a": 4.0, "b": 2.0}
    assert (summary.n_rows, summary.weight) == (3, 6.0)


def test_equal_cells_of_every_library_have_equal_hashes():
    text = ["b", "a", None]
    columns = [
        decode("t", np.array(text, dtype=object)),
        decode("t", pd.Series(text, dtype="category")),
        decode("t", pd.Series(text, dtype="string[pyarrow]")),
    ]
    assert len({tuple(cell_hashes(column)) for column in columns}) == 1
    numbers = [np.array([0, 1]), np.array([-0.0, 1.0]), np.array([False, True]), np.array([0, 1], dtype=object)]
    assert len({tuple(cell_hashes(decode("n", column))) for column in numbers}) == 1
    first, second = decode("a", np.array([1, 2])), decode("b", np.array([2, 1]))
    assert row_hashes_of([first, second])[0] != row_hashes_of([first, second])[1]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([np.array([1, 2]), np.array([0.5, np.nan])], [1.0, 2.0, 0.5, None]),
        ([np.array([None, None]), np.array(["a", "b"], dtype=object)], [None, None, "a", "b"]),
        ([np.array([True, False]), np.array([None])], [True, False, None]),
        ([np.array([1, 2]), np.array(["a"], dtype=object)], [1, 2, "a"]),
        ([np.array(["b"], dtype=object), np.array(["a", None, "b"], dtype=object)], ["b", "a", None, "b"]),
    ],
)
def test_columns_are_joined_as_if_read_whole(parts, expected):
    joined = join_cells([decode("x", part) for part in parts])
    assert [joined.cell(row) for row in range(len(joined))] == expected
    whole = decode("x", np.array(expected, dtype=object))
    assert type(joined) is type(whole)
    if isinstance(whole, Numbers):
        assert joined.kind == whole.kind
    else:
        assert isinstance(joined, Categories)
