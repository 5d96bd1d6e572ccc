"""Columns that look like identifiers are found, whatever the order of the rows; measurements are not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from nln import Constraints, NLNClassifier
from nln.tables.frames import read_table
from nln.tables.identifiers import find_identifiers, is_called_identifier
from nln.tables.infer import infer_features

ROWS = 60
RNG = np.random.default_rng(5)
MEASURED = {
    "weight": RNG.normal(70, 9, ROWS),
    "platelets": RNG.choice(np.arange(150_000, 400_000), ROWS, replace=False),
    "year": np.arange(1960, 1960 + ROWS),
    "visits": np.arange(ROWS) // 2,
    "number of children": np.arange(ROWS) % 5,
    "StoreID": np.arange(ROWS) % 6,
    "town": [f"town {i % 20}" for i in range(ROWS)],
}
IDENTIFIERS = {
    "row": np.arange(ROWS),
    "count": np.arange(1, ROWS + 1),
    "kept": np.arange(0, 1.3 * ROWS, 1.3).astype(int),
    "patient_no": RNG.choice(np.arange(10_000, 99_999), ROWS, replace=False),
    "MRN": RNG.choice(np.arange(10_000, 99_999), ROWS, replace=False).astype(float),
    "Postal code": 1000 + 7 * (np.arange(ROWS) // 3),
    "subject id": [f"S{i // 2}" for i in range(ROWS)],
    "who": [f"person {i}" for i in range(ROWS)],
    "remark": [f"remark {i}" if i % 6 else None for i in range(ROWS)],
}


def found(data, asked_for=()):
    features, columns = infer_features(read_table(data))
    return find_identifiers(features, columns, asked_for)


@pytest.mark.parametrize("name", MEASURED)
def test_a_measurement_is_no_identifier(name, frame):
    assert found(frame({name: MEASURED[name], "other": MEASURED["visits"]})) == {}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_an_identifier_is_found_in_any_order_of_the_rows(name, frame):
    table = {name: IDENTIFIERS[name], "other": MEASURED["visits"]}
    assert list(found(frame(table))) == [name]
    order = np.random.default_rng(0).permutation(ROWS)
    assert list(found(pd.DataFrame(table).iloc[order])) == [name]
    assert list(found(pd.DataFrame(table).iloc[order[:40]])) == [name], "a share of the rows is as good"


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_what_is_asked_for_or_the_only_column_is_kept(name, frame):
    assert found(frame({name: IDENTIFIERS[name], "other": MEASURED["visits"]}), [name]) == {}
    assert found(frame({name: IDENTIFIERS[name]})) == {}


KEYS = "id|ID|Id|PatientID|customerID|uuid|patient_no|Case No.|EmployeeNumber|zip_code|Postal Code|rownames|id_patient"
OTHERS = "age|idle|acid|number of rooms|body mass index|keyboard|nodes|x1||age at visit|number of visits"


@pytest.mark.parametrize("name", KEYS.split("|"))
def test_names_of_keys(name):
    assert is_called_identifier(name)


@pytest.mark.parametrize("name", OTHERS.split("|"))
def test_names_of_other_columns(name):
    assert not is_called_identifier(name)


@pytest.fixture
def patients():
    """A table sorted by the target, as many are: the row number knows everything."""
    age = np.random.default_rng(1).integers(20, 80, 120)
    ill = np.where(age + np.random.default_rng(2).normal(0, 9, 120) > 50, "ill", "well")
    order = np.argsort(ill, kind="stable")
    X = pd.DataFrame({"patient": [f"P{i}" for i in range(120)], "nr": np.arange(120), "age": age[order]})
    return X, ill[order]


def test_learning_does_not_use_identifiers_and_says_so(patients):
    X, y = patients
    with pytest.warns(UserWarning, match="identifiers are not used: 'patient' .*, 'nr' .*feature_types .*--keep"):
        model = NLNClassifier(random_state=0).fit(X, y)
    assert model.schema_.names == ("age",)
    assert len(model.made_.notes) == 1 and "'nr'" in model.made_.notes[0]
    assert model.n_features_in_ == 3
    assert (model.predict(X[["age"]]) == model.predict(X)).all(), "predicting does not need the column"


@pytest.mark.parametrize(
    "parameters",
    [
        {"feature_types": {"nr": "continuous"}},
        {"constraints": Constraints(price_factors={"nr": 2.0})},
        {"initial_program": "IF nr >= 60 THEN class = well"},
    ],
)
def test_a_parameter_that_names_a_column_keeps_it(patients, parameters):
    X, y = patients
    with pytest.warns(UserWarning, match="not used: 'patient' "):
        model = NLNClassifier(random_state=0, starts=2, **parameters).fit(X, y)
    assert model.schema_.names == ("nr", "age")


def test_a_table_without_names_is_used_as_it_is(patients):
    X, y = patients
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".* does it know the answer")
        model = NLNClassifier(random_state=0, starts=2).fit(X[["nr", "age"]].to_numpy(), y)
    assert model.schema_.names == ("x0", "x1")
