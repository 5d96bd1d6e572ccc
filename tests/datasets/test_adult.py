import narwhals as nw
import pandas as pd
import pytest

from nln.datasets import DatasetNotFoundError, fetch_adult

HEADER = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
    "capital-gain,capital-loss,hours-per-week,native-country,income\n"
)
TRAIN = (
    HEADER
    + "31,,100001,Bachelors,13,Divorced,Sales,Wife,White,Female,500,0,35,Peru,<=50K\n"
    + "52,Private,100002,HS-grad,9,Widowed,,Husband,Black,Male,0,0,13,,>50K\n"
)
TEST = HEADER + "23,Private,100003,11th,7,Never-married,Sales,Own-child,White,Male,0,0,40,Cuba,<=50K\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "adult.csv").write_text(TRAIN)
    (tmp_path / "adult-test.csv").write_text(TEST)
    return tmp_path


@pytest.fixture
def openml_adult():
    """48842 made-up persons as OpenML has them: nominal columns as categories, target `class`, test rows first."""
    n = 48842
    text = {"workclass": None, "education": "11th", "marital-status": "Divorced", "occupation": "Sales"}
    text |= {"relationship": "Wife", "race": "White", "sex": "Female", "native-country": "Peru"}
    frame = pd.DataFrame({"age": range(n)})
    for name, value in text.items():
        frame[name] = pd.Categorical([value] * n, categories=[value or "Private"])
    for name in ("fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"):
        frame[name] = 1
    frame["class"] = pd.Categorical(["<=50K"] * 16281 + [">50K"] * 32561)
    return frame


@pytest.mark.parametrize(("subset", "ages"), [("train", [31, 52]), ("test", [23]), ("all", [31, 52, 23])])
def test_subsets_are_the_files_of_the_folder(folder, subset, ages, backend):
    X, y = fetch_adult(subset, data_home=folder, backend=backend)
    assert nw.from_native(X)["age"].to_list() == ages
    assert len(y) == len(ages)
    assert y.name == "income"


def test_types_and_missing_values(folder, backend):
    X, y = fetch_adult(data_home=folder, backend=backend)
    frame = nw.from_native(X)
    numbers = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
    assert {name for name, dtype in frame.schema.items() if dtype == nw.Float64} == numbers
    assert {dtype for name, dtype in frame.schema.items() if name not in numbers} == {nw.String}
    assert [*frame.columns, "income"] == HEADER.strip().split(",")
    assert frame["workclass"].is_null().to_list() == [True, False]
    assert frame["native-country"].is_null().to_list() == [False, True]
    assert nw.from_native(y, series_only=True).to_list() == ["<=50K", ">50K"]


def test_rows_of_both_files_together_are_numbered_anew(folder):
    X, y = fetch_adult("all", data_home=folder, backend="pandas")
    assert list(X.index) == list(y.index) == [0, 1, 2]


def test_what_openml_has_comes_out_as_the_file(folder, openml, openml_adult, backend):
    asked = openml(openml_adult)
    X, y = fetch_adult(backend=backend)
    local = nw.from_native(fetch_adult(data_home=folder, backend=backend)[0])
    frame = nw.from_native(X)
    assert frame.schema["age"] == nw.Float64
    assert frame.columns == local.columns
    assert {n: t for n, t in frame.schema.items() if n != "workclass"} == {
        n: t for n, t in local.schema.items() if n != "workclass"
    }
    assert frame["workclass"].is_null().all()
    assert (len(frame), frame["age"][0], y.name) == (32561, 16281.0, "income")
    assert set(nw.from_native(y, series_only=True).to_list()) == {">50K"}
    assert (asked[0]["name"], asked[0]["version"]) == ("adult", 2)


def test_the_test_rows_come_first_at_openml(openml, openml_adult, backend):
    openml(openml_adult)
    X, y = fetch_adult("test", backend=backend)
    assert (len(X), nw.from_native(X)["age"][0]) == (16281, 0.0)
    assert set(nw.from_native(y, series_only=True).to_list()) == {"<=50K"}


def test_another_table_at_openml_is_refused(openml, openml_adult):
    openml(openml_adult.head(10).drop(columns="sex"))
    with pytest.raises(DatasetNotFoundError, match=r"10 rows instead of 48842, and lacks .*'sex'"):
        fetch_adult()


def test_an_unknown_subset_is_refused():
    with pytest.raises(ValueError, match="subset='validation' is not known; allowed: 'train', 'test', 'all'"):
        fetch_adult("validation")
