"""Chronic Kidney Disease (Rubini, Soundarapandian and Eswaran, 2015)."""

from __future__ import annotations

import narwhals as nw

from nln.datasets._files import DataHome
from nln.datasets._frame import Backend, Data, DTypes, split_target
from nln.datasets._source import OpenMLTable, Source, fetch_table

NUMBERS = (
    "age", "blood_pressure", "blood_glucose_random", "blood_urea", "serum_creatinine", "sodium", "potassium",
    "hemoglobin", "packed_cell_volume", "white_blood_cell_count", "red_blood_cell_count",
)  # fmt: skip
NAMES = (
    "age blood_pressure specific_gravity albumin sugar red_blood_cells pus_cell pus_cell_clumps bacteria "
    "blood_glucose_random blood_urea serum_creatinine sodium potassium hemoglobin packed_cell_volume "
    "white_blood_cell_count red_blood_cell_count hypertension diabetes_mellitus coronary_artery_disease appetite "
    "pedal_edema anemia class"
)
DTYPES: DTypes = {name: nw.Float64 if name in NUMBERS else nw.String for name in NAMES.split()}

# The short names of the source, in the same order; its description and its file differ in the two blood cell counts.
SHORT = "age bp sg al su rbc pc pcc ba bgr bu sc sod pot hemo pcv wbcc rbcc htn dm cad appet pe ane class"
SHORT_NAMES = {
    **dict(zip(SHORT.split(), DTYPES, strict=True)),
    "wc": "white_blood_cell_count",
    "rc": "red_blood_cell_count",
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
        Folder with the files; by default the one that the environment variable `NLN_DATA` names.
    backend : {"pandas", "polars"}, default=None
        Table library; by default pandas if it is installed, else polars.
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
