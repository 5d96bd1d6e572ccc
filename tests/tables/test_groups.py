import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from nln.tables.groups import read_groups

KINDS = {"text": ["b", "a", "b", "c"], "whole": [12, 3, 12, 40], "truth": [True, False, True, True]}


@pytest.mark.parametrize("entries", KINDS.values(), ids=KINDS)
def test_groups_of_every_library_and_type_are_numbered_in_sorted_order(frame, entries):
    column = frame({"g": entries})["g"]
    expected = np.unique(entries, return_inverse=True)[1].tolist()
    for groups in (column, entries, tuple(entries), np.array(entries), pa.array(entries), pd.Series(entries)):
        assert read_groups(groups, 4).tolist() == expected


def test_text_and_numbers_may_be_mixed_and_categories_may_be_unused():
    assert read_groups(["x", 1, 1.0, "x"], 4).tolist() == [1, 0, 0, 1]
    assert read_groups(pd.Categorical(["x", "y"], ["z", "y", "x"]), 2).tolist() == [0, 1]


def test_no_groups_are_none():
    assert read_groups(None, 4) is None


@pytest.mark.parametrize("groups", [["a", None, "b"], [1.0, np.nan, 2.0], pd.Series([1, None, 2], dtype="Int64")])
def test_a_row_without_a_group_is_named(groups):
    with pytest.raises(ValueError, match=r"1 row has no group \(the first is row 1\)"):
        read_groups(groups, 3)


def test_a_wrong_number_of_groups_is_refused():
    with pytest.raises(ValueError, match="one entry per row, 4, not 3"):
        read_groups([1, 2, 3], 4)


@pytest.mark.parametrize("groups", ["patient", pd.DataFrame({"patient": [1, 2]})])
def test_the_name_of_a_column_and_a_table_are_no_groups(groups):
    with pytest.raises(TypeError, match="one column with the group of each row"):
        read_groups(groups, 2)
