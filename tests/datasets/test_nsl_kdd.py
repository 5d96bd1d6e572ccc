import narwhals as nw
import pytest

from nln.datasets import DatasetNotFoundError, fetch_nsl_kdd
from nln.datasets._nsl_kdd import ATTACKS, CATEGORY, INPUTS

BINARY = ["land", "logged_in", "root_shell", "is_host_login", "is_guest_login"]
TEXT = ["protocol_type", "service", "flag", "su_attempted"]


def connection(**values):
    """One made-up row of inputs: zeros but for the values given."""
    row = {**dict.fromkeys(INPUTS, "0"), "protocol_type": "tcp", "service": "http", "flag": "SF", **values}
    return ",".join(row.values())


@pytest.fixture
def folder(tmp_path):
    header = ",".join([*INPUTS, "attack,category,class"])
    train = [f"{connection(su_attempted='2')},neptune,DoS,anomaly", f"{connection()},normal,normal,normal"]
    test = [f"{connection(logged_in='1', serror_rate='0.50')},ps,U2R,anomaly"]
    (tmp_path / "nsl-kdd-train.csv").write_text("\n".join([header, *train, ""]))
    (tmp_path / "nsl-kdd-test.csv").write_text("\n".join([header, *test, ""]))
    return tmp_path


@pytest.mark.parametrize(
    ("subset", "target", "labels"),
    [
        ("train", "class", ["anomaly", "normal"]),
        ("train", "category", ["DoS", "normal"]),
        ("test", "category", ["U2R"]),
        ("all", "class", ["anomaly", "normal", "anomaly"]),
    ],
)
def test_subset_and_target_choose_rows_and_labels(folder, subset, target, labels, backend):
    X, y = fetch_nsl_kdd(subset, target, data_home=folder, backend=backend)
    assert nw.from_native(y, series_only=True).to_list() == labels
    assert y.name == target
    assert len(X) == len(labels)


def test_labels_are_never_among_the_inputs(folder, backend):
    for target in ("class", "category"):
        X, _ = fetch_nsl_kdd("all", target, data_home=folder, backend=backend)
        assert list(X.columns) == INPUTS
        assert X.shape[1] == 41


def test_types_of_the_inputs(folder, backend):
    X, _ = fetch_nsl_kdd("all", data_home=folder, backend=backend)
    schema = nw.from_native(X).schema
    assert [name for name in INPUTS if schema[name] == nw.Int64] == BINARY
    assert [name for name in INPUTS if schema[name] == nw.String] == TEXT
    assert sum(schema[name] == nw.Float64 for name in INPUTS) == 32
    assert nw.from_native(X)["su_attempted"].to_list() == ["2", "0", "0"]
    assert nw.from_native(X)["serror_rate"][2] == 0.5


def test_the_original_file_gives_the_same_as_the_csv(folder, tmp_path_factory, backend):
    original = tmp_path_factory.mktemp("original")
    rows = [f"{connection(su_attempted='2')},neptune,21", f"{connection()},normal,20"]
    (original / "KDDTrain+.txt").write_text("\n".join([*rows, ""]))
    for target in ("class", "category"):
        X, y = fetch_nsl_kdd(target=target, data_home=original, backend=backend)
        X_csv, y_csv = fetch_nsl_kdd(target=target, data_home=folder, backend=backend)
        assert X.equals(X_csv)
        assert y.equals(y_csv)


def test_an_attack_of_no_category_is_named(tmp_path, backend):
    (tmp_path / "KDDTest+.txt").write_text(f"{connection()},teleport,21\n")
    with pytest.raises(ValueError, match=r"KDDTest\+\.txt has attacks of no known category: 'teleport'"):
        fetch_nsl_kdd("test", data_home=tmp_path, backend=backend)


def test_every_attack_has_one_category():
    assert len(CATEGORY) == sum(len(attacks.split()) for attacks in ATTACKS.values()) == 40


def test_the_error_says_which_file_to_put_where(tmp_path, backend):
    with pytest.raises(DatasetNotFoundError) as caught:
        fetch_nsl_kdd("test", data_home=tmp_path, backend=backend)
    for part in ("nsl-kdd-test.csv", "KDDTest+.txt", str(tmp_path), "NLN_DATA", "Canadian Institute"):
        assert part in str(caught.value)


@pytest.mark.parametrize(("argument", "value"), [("subset", "dev"), ("target", "attack")])
def test_unknown_choices_are_refused(argument, value):
    with pytest.raises(ValueError, match=f"{argument}='{value}' is not known; allowed: "):
        fetch_nsl_kdd(**{argument: value})
