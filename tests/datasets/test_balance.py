from collections import Counter

import narwhals as nw

from nln.datasets import load_balance


def test_counts_of_the_three_classes(backend):
    _, y = load_balance(backend=backend)
    assert Counter(nw.from_native(y, series_only=True).to_list()) == {"L": 288, "R": 288, "B": 49}


def test_rows_are_all_scales_in_lexicographic_order(backend):
    X, _ = load_balance(backend=backend)
    rows = nw.from_native(X).rows()
    assert len(rows) == len(set(rows)) == 625
    assert rows == sorted(rows)
    assert {value for row in rows for value in row} == {1.0, 2.0, 3.0, 4.0, 5.0}


def test_the_heavier_side_goes_down(backend):
    X, y = load_balance(backend=backend)
    for (lw, ld, rw, rd), label in zip(nw.from_native(X).rows(), nw.from_native(y, series_only=True), strict=True):
        assert (label == "L") == (lw * ld > rw * rd)
        assert (label == "R") == (lw * ld < rw * rd)


def test_inputs_are_floats(backend):
    X, y = load_balance(backend=backend)
    assert list(X.columns) == ["left_weight", "left_distance", "right_weight", "right_distance"]
    assert set(nw.from_native(X).schema.values()) == {nw.Float64}
    assert y.name == "class"
