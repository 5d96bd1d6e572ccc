import narwhals as nw
import pytest

from nln.datasets import load_monks


def robots_and_labels(problem, backend):
    X, y = load_monks(problem, backend=backend)
    return nw.from_native(X).rows(), nw.from_native(y, series_only=True).to_list()


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_all_432_robots_are_there_in_lexicographic_order(problem, backend):
    rows, labels = robots_and_labels(problem, backend)
    assert len(rows) == len(set(rows)) == 432
    assert rows == sorted(rows)
    assert [len({row[i] for row in rows}) for i in range(6)] == [3, 3, 2, 3, 4, 2]
    assert set(labels) == {"0", "1"}


@pytest.mark.parametrize(("problem", "positives"), [(1, 216), (2, 142), (3, 228)])
def test_number_of_positive_robots(problem, positives, backend):
    assert robots_and_labels(problem, backend)[1].count("1") == positives


@pytest.mark.parametrize(
    ("problem", "definition"),
    [
        (1, lambda r: r[0] == r[1] or r[4] == "1"),
        (2, lambda r: sum(value == "1" for value in r) == 2),
        (3, lambda r: (r[4] == "3" and r[3] == "1") or (r[4] != "4" and r[1] != "3")),
    ],
)
def test_the_class_follows_the_definition(problem, definition, backend):
    for robot, label in zip(*robots_and_labels(problem, backend), strict=True):
        assert (label == "1") == definition(robot)


def test_attributes_are_text(backend):
    X, y = load_monks(backend=backend)
    assert list(X.columns) == ["a1", "a2", "a3", "a4", "a5", "a6"]
    assert set(nw.from_native(X).schema.values()) == {nw.String}
    assert y.name == "class"


def test_an_unknown_problem_is_refused():
    with pytest.raises(ValueError, match=r"problem=4 .* allowed: 1, 2, 3"):
        load_monks(4)
