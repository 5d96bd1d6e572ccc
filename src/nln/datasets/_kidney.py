"""Chronic Kidney Disease (Rubini, Soundarapandian and Eswaran, 2015)."""

from __future__ import annotations

import narwhals as nw

from nln.datasets._files import DataHome
from nln.datasets._frame import Backend, Data, DTypes, split_target
from nln.datasets._source import OpenMLTable, Source, fetch_table

DTYPES: DTypes = {
    "age": nw.Float64,
    "blood_pressure": nw.Float64,
    "specific_gravity": nw.String,
    "albumin": nw.String,
    "sugar": nw.String,
    "red_blood_cells": nw.String,
    "pus_cell": nw.String,
    "pus_cell_clumps": nw.String,
    "bacteria": nw.String,
    "blood_glucose_random": nw.Float64,
    "blood_urea": nw.Float64,
    "serum_creatinine": nw.Float64,
    "sodium": nw.Float64,
    "potassium": nw.Float64,
    "hemoglobin": nw.Float64,
    "packed_cell_volume": nw.Float64,
    "white_blood_cell_count": nw.Float64,
    "red_blood_cell_count": nw.Float64,
    "hypertension": nw.String,
    "diabetes_mellitus": nw.String,
    "coronary_artery_disease": nw.String,
    "appetite": nw.String,
    "pedal_edema": nw.String,
    "anemia": nw.String,
    "class": nw.String,
}

# The short names of the source; its description and its file differ in the two blood cell counts.
SHORT_NAMES = {
    "bp": "blood_pressure",
    "sg": "specific_gravity",
    "al": "albumin",
    "su": "sugar",
    "rbc": "red_blood_cells",
    "pc": "pus_cell",
    "pcc": "pus_cell_clumps",
    "ba": "bacteria",
    "bgr": "blood_glucose_random",
    "bu": "blood_urea",
    "sc": "serum_creatinine",
    "sod": "sodium",
    "pot": "potassium",
    "hemo": "hemoglobin",
    "pcv": "packed_cell_volume",
    "wbcc": "white_blood_cell_count",
    "wc": "white_blood_cell_count",
    "rbcc": "red_blood_cell_count",
    "rc": "red_blood_cell_count",
    "htn": "hypertension",
    "dm": "diabetes_mellitus",
    "cad": "coronary_artery_disease",
    "appet": "appetite",
    "pe": "pedal_edema",
    "ane": "anemia",
}
DECIMALS = {"specific_gravity": 3, "albumin": 0, "sugar": 0}
OPENML = OpenMLTable("chronic-kidney-disease", 1, n_rows=400, rows=(0, 400), rename=SHORT_NAMES, decimals=DECIMALS)
SOURCE = Source("Chronic Kidney Disease", "chronic-kidney-disease", DTYPES, OPENML)


def fetch_kidney(
    *, data_home: DataHome = None, backend: Backend | None = None, download_if_missing: bool = True
) -> Data:
    """Fetch blood and urine tests of patients with and without chronic kidney disease.

    Read from `chronic-kidney-disease.csv` (or `.csv.gz`) in a folder if it is there, otherwise downloaded from OpenML.

    Parameters
    ----------
    data_home : path-like, default=None
        Folder with the file. None means the folder that the environment variable `NLN_DATA` names.
    backend : {"pandas", "polars"}, default=None
        Table library. None means pandas if it is installed, else polars.
    download_if_missing : bool, default=True
        If False, raise an error instead of downloading.

    Returns
    -------
    X : frame
        400 rows, 24 columns: eleven of floats, thirteen of text (also `specific_gravity`, `albumin` and `sugar`, which
        are grades written with digits). 1012 cells are missing.
    y : series
        `class`: `ckd` (250 rows) or `notckd` (150).

    Raises
    ------
    DatasetNotFoundError
        If the file is not in the folder and cannot be downloaded.

    References
    ----------
    L. Rubini, P. Soundarapandian and P. Eswaran (2015), Chronic Kidney Disease, UCI Machine Learning Repository.

    Examples
    --------
    >>> X, y = fetch_kidney()  # doctest: +SKIP
    >>> fetch_kidney(data_home="no-such-folder", backend="polars", download_if_missing=False)
    Traceback (most recent call last):
    nln.datasets._files.DatasetNotFoundError: Chronic Kidney Disease was not found: chronic-kidney-disease.csv or ...
    """
    return split_target(fetch_table(SOURCE, data_home, backend, download_if_missing=download_if_missing), "class")
