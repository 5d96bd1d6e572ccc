import gzip

import narwhals as nw
import pandas as pd
import pytest

from nln.datasets import fetch_kidney

HEADER = (
    "age,blood_pressure,specific_gravity,albumin,sugar,red_blood_cells,pus_cell,pus_cell_clumps,bacteria,"
    "blood_glucose_random,blood_urea,serum_creatinine,sodium,potassium,hemoglobin,packed_cell_volume,"
    "white_blood_cell_count,red_blood_cell_count,hypertension,diabetes_mellitus,coronary_artery_disease,appetite,"
    "pedal_edema,anemia,class"
)
PATIENT = "33,77,1.020,3,0,,abnormal,present,notpresent,99,41,2.5,,4.1,12.5,37,6600,4.4,no,yes,no,poor,yes,no,ckd"
SHORT = "age bp sg al su rbc pc pcc ba bgr bu sc sod pot hemo pcv wbcc rbcc htn dm cad appet pe ane class"
GRADES = ["specific_gravity", "albumin", "sugar"]


def cells(X):
    """The first row, None where missing."""
    frame = nw.from_native(X)
    return [None if frame[name].is_null()[0] else frame[name][0] for name in frame.columns]


def expected():
    texts = PATIENT.split(",")[:-1]
    continuous = {0, 1, *range(9, 18)}
    return [None if t == "" else float(t) if i in continuous else t for i, t in enumerate(texts)]


def test_a_gzipped_file_is_read_with_grades_as_text(tmp_path, backend):
    with gzip.open(tmp_path / "chronic-kidney-disease.csv.gz", "wt") as stream:
        stream.write(f"{HEADER}\n{PATIENT}\n")
    X, y = fetch_kidney(data_home=tmp_path, backend=backend)
    assert list(X.columns) == HEADER.split(",")[:-1]
    assert [nw.from_native(X).schema[name] for name in GRADES] == [nw.String] * 3
    assert cells(X) == expected()
    assert (y[0], y.name) == ("ckd", "class")


@pytest.mark.parametrize("counts", ["wbcc rbcc", "wc rc"])
@pytest.mark.parametrize("numeric_grades", [False, True])
def test_what_openml_has_comes_out_as_the_file(openml, backend, counts, numeric_grades):
    short = SHORT.replace("wbcc rbcc", counts).split()
    row = [text if text else "?" for text in PATIENT.split(",")]
    row[-1] = "ckd\t"
    patients = pd.DataFrame([row] * 400, columns=short)
    patients["age"] = patients["age"].astype(float)
    patients["sod"] = float("nan")
    patients["dm"] = pd.Categorical([" yes"] * 400)
    if numeric_grades:
        patients = patients.astype({"sg": float, "al": float, "su": int})
    asked = openml(patients)
    X, y = fetch_kidney(backend=backend)
    assert list(X.columns) == HEADER.split(",")[:-1]
    assert (len(X), cells(X)) == (400, expected())
    assert (y[0], y.name) == ("ckd", "class")
    assert asked[0]["name"] == "chronic-kidney-disease"
