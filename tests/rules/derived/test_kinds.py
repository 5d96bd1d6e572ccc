"""Calculated columns beside those of a table."""

import gc
import weakref

import numpy as np

from nln.rules import Feature, Schema, Target, derived_feature
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.kinds import with_derived


def test_columns_are_freed_when_nobody_holds_them():
    """A function that calls itself kept all columns until the next collection: hundreds of megabytes."""
    product = derived_feature(Arithmetic.column("a").join("*", Arithmetic.column("b")))
    schema = Schema((Feature("a", "continuous"), Feature("b", "continuous"), product), Target("y", "binary", (0, 1)))
    columns = {name: np.arange(3.0) for name in "ab"}
    gc.disable()
    try:
        made = with_derived(columns, schema, [product.name])
        np.testing.assert_array_equal(made[product.name], [0.0, 1.0, 4.0])
        alive = [weakref.ref(columns["a"]), weakref.ref(made[product.name])]
        del columns, made
        assert [ref() for ref in alive] == [None, None]
    finally:
        gc.enable()
