from collections import Counter

import narwhals as nw

from nln.datasets import load_wine


def test_classes_are_numbered_from_one_as_text(backend):
    _, y = load_wine(backend=backend)
    assert Counter(nw.from_native(y, series_only=True).to_list()) == {"1": 59, "2": 71, "3": 48}
    assert y.name == "class"


def test_inputs_are_thirteen_columns_of_floats(backend):
    X, _ = load_wine(backend=backend)
    assert X.shape == (178, 13)
    assert set(nw.from_native(X).schema.values()) == {nw.Float64}
    assert X.columns[0] == "alcohol"
    assert list(X.columns)[-2:] == ["od280/od315_of_diluted_wines", "proline"]
    assert nw.from_native(X).row(0)[:3] == (14.23, 1.71, 2.43)
