"""Conditions as PMML expressions."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from nln.export.pmml.expressions import apply, constant, field, own_value, values_type
from nln.rules import Feature


def test_functions_take_constants_and_fields() -> None:
    written = ET.tostring(apply("-", constant(1.0), field("x")), encoding="unicode")
    assert written == '<Apply function="-"><Constant dataType="double">1.0</Constant><FieldRef field="x" /></Apply>'
    assert ET.tostring(constant(True, "double"), encoding="unicode") == '<Constant dataType="double">1.0</Constant>'


def test_values_have_the_narrowest_type_that_holds_them_all() -> None:
    kinds = [values_type(values, "Feature 'x'") for values in ((1, 2.5), (False, True), (1, 2), ("a", "b"), (2**40,))]
    assert kinds == ["double", "boolean", "integer", "string", "double"]


def test_only_periodic_features_and_probabilities_are_brought_into_range() -> None:
    assert own_value(Feature("hour", "periodic", period=24)) is not None
    assert own_value(Feature("rain", "probability")) is not None
    assert own_value(Feature("x", "continuous")) is None
