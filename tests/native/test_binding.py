"""Arrays and tuples of arrays as C takes them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from nln.learning.descent.kernels import records as descent
from nln.learning.descent.kernels.shapes import fill_sides
from nln.learning.paper.kernels.shared_intervals import FEATURE, NETWORK
from nln.native.binding import COUNTS, DOUBLES, INTEGERS, REAL, WHOLE, Record, kernel
from nln.native.loading import load_library
from nln.network.kernels import records as network

bias_sums = kernel("bias_sums", DOUBLES, DOUBLES, DOUBLES, DOUBLES)


class Pair(NamedTuple):
    numbers: Any
    factor: float
    name: str = "left out"


PAIR = Record(numbers=DOUBLES, factor=REAL, name=None)


def test_structures_have_the_size_that_c_gives_them():
    records = [network.LAYOUT, network.WEIGHTS, network.SCRATCH, network.ROWS, network.STEPS]
    records += [descent.LAYOUT, descent.LIMITS, descent.ROWS, descent.DRAFT, descent.STATE, descent.KIND]
    records += [FEATURE, NETWORK]
    size = load_library().structure_size
    assert [record.size for record in records] == [size(i) for i in range(len(records))]
    assert size(len(records)) == -1


def test_a_structure_holds_pointers_shapes_and_numbers():
    matrix = np.zeros((2, 3))
    bound = PAIR.bind(Pair(matrix, 0.5))
    pointer, *shape = np.frombuffer(bound.packed, np.int64)[:4]
    assert (pointer, shape) == (matrix.ctypes.data, [2, 3, 1])
    assert np.frombuffer(bound.packed, np.float64)[4] == 0.5 and PAIR.size == len(bound.packed) == 40
    assert PAIR(bound) is bound.packed and bound.value.numbers is matrix


@pytest.mark.parametrize(
    "given", [np.zeros(3, np.float32), np.zeros((3, 2))[:, 0], np.zeros(6)[::2], np.zeros(3, ">f8")]
)
def test_other_types_and_gaps_are_refused(given):
    with pytest.raises(TypeError, match="contiguous array of float64"):
        DOUBLES(given)
    with pytest.raises(TypeError, match="contiguous array of float64"):
        PAIR.bind(Pair(given, 1.0))


def test_a_tuple_of_other_fields_is_refused():
    with pytest.raises(TypeError, match=r"tuple of \('numbers', 'factor', 'name'\), got Other"):
        PAIR.bind(NamedTuple("Other", [("numbers", Any)])(np.zeros(1)))


def test_the_number_of_arguments_is_checked():
    with pytest.raises(ValueError, match="shorter"):
        bias_sums(np.zeros(2), np.zeros(2))


@pytest.mark.parametrize("type_", [np.uint8, np.uint16, np.uint32])
def test_counts_go_over_with_their_width(type_):
    assert np.frombuffer(COUNTS(np.zeros(5, type_)), np.int64)[1:3].tolist() == [5, np.dtype(type_).itemsize]


def test_empty_arrays_and_truth_values_go_over():
    assert np.frombuffer(INTEGERS(np.empty(0, np.int64)), np.int64)[1] == 0
    assert WHOLE(np.bool_(True)) == 1 and REAL(np.float32(0.5)) == 0.5


def test_the_exponential_function_is_within_two_units_in_the_last_place():
    """A boundary at 0 of half-width log 9 has the membership 1 / (1 + exp(-x)) at x."""
    x = np.concatenate([np.linspace(-600, 40, 20_001), [-1e-300, 0.0, 1e-300, 5000.0, -5000.0]])
    found = np.empty((1, len(x)))
    fill_sides(x, np.zeros(1), np.full(1, np.log(9.0)), found)
    with np.errstate(over="ignore"):
        expected = np.where(x > -700, 1 / (1 + np.exp(-x)), 0.0)
    np.testing.assert_allclose(found[0], expected, rtol=1e-13)
