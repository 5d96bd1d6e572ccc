"""`DaskNLNClassifier` on a cluster in this process."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

dd = pytest.importorskip("dask.dataframe")

import dask.array as da  # noqa: E402
from dask.distributed import Client  # noqa: E402

from nln import Hierarchy, NLNClassifier  # noqa: E402
from nln.dask import DaskNLNClassifier  # noqa: E402
from tests.large.tables import SAMPLE, cut, fit_on, made_table  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore:Sending large graph")


@pytest.fixture(scope="module")
def table():
    return made_table()


@pytest.fixture(scope="module")
def client():
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2, "dashboard_address": ":0"}
    with Client(**options) as client:
        yield client


@pytest.fixture(scope="module")
def frames(table):
    return tuple(dd.from_pandas(frame, npartitions=4) for frame in table)


@pytest.fixture(scope="module")
def model(client, frames):
    return DaskNLNClassifier(random_state=0, sample_rows=SAMPLE).fit(*frames)


def test_the_program_is_that_of_the_same_parts_in_this_process(table, model):
    assert model.program_ == fit_on(cut(*table, 3)).program_
    assert model.feature_names_in_.tolist() == list(table[0].columns)


def test_decisions_are_lazy_and_keep_the_index(table, model, frames):
    X = table[0]
    decided, probabilities = model.predict(frames[0]), model.predict_proba(frames[0])
    assert isinstance(decided, dd.Series)
    assert isinstance(probabilities, dd.DataFrame)
    local = model.to_local()
    assert type(local) is NLNClassifier
    pd.testing.assert_index_equal(decided.compute().index, X.index)
    assert decided.compute().tolist() == local.predict(X).tolist()
    assert probabilities.columns.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(probabilities.compute().to_numpy(), local.predict_proba(X))
    assert model.predict(X).tolist() == local.predict(X).tolist()


def test_arrays(client):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 4))
    X[rng.random(5000) < 0.05, 1] = np.nan
    y = ((X[:, 0] > 0.5) & (X[:, 2] < 1)).astype(int)
    dX, dy = da.from_array(X, chunks=(1300, 2)), da.from_array(y, chunks=1300)
    model = DaskNLNClassifier(random_state=0, sample_rows=SAMPLE).fit(dX, dy)
    assert not hasattr(model, "feature_names_in_")
    decided, probabilities = model.predict(dX), model.predict_proba(dX)
    assert isinstance(decided, da.Array)
    assert (decided.compute() == y).mean() > 0.99
    assert probabilities.shape == (5000, 2)
    np.testing.assert_array_equal(probabilities.compute(), model.to_local().predict_proba(X))


def test_weights_labels_and_arrow_columns(client, table):
    X, y = table
    labels = pd.DataFrame({"bought": (y == "yes").astype(int), "old": (X.age > 70).astype(int)})
    weights = pd.Series(np.where(X.member, 2.0, 1.0))
    arrow = X.convert_dtypes(dtype_backend="pyarrow")
    parts = [dd.from_pandas(frame, npartitions=3) for frame in (arrow, labels, weights)]
    model = DaskNLNClassifier(random_state=0, sample_rows=SAMPLE).fit(*parts)
    assert model.program_ == fit_on(cut(X, labels, 2, weights.to_numpy())).program_
    decided = model.predict(parts[0]).compute()
    assert (decided == labels).to_numpy().mean() > 0.95


def test_partitions_without_rows(client, table, frames, model):
    dX, dy = frames
    nothing = dX.age > 1000
    padded = dd.concat([dX[nothing], dX, dX[nothing]]), dd.concat([dy[nothing], dy, dy[nothing]])
    again = DaskNLNClassifier(random_state=0, sample_rows=SAMPLE).fit(*padded)
    assert again.program_ == model.program_
    assert len(again.predict(padded[0]).compute()) == len(table[0])


def test_refusals(client, table, frames):
    X, y = table
    with pytest.raises(ValueError, match="cut alike, but their partitions are: X 4, y 2"):
        DaskNLNClassifier().fit(frames[0], dd.from_pandas(y, npartitions=2))
    with pytest.raises(TypeError, match="X must be a DataFrame, a Series or an Array of Dask, not DataFrame"):
        DaskNLNClassifier().fit(X, y)
    with pytest.raises(ValueError, match="groups are for NLNClassifier"):
        DaskNLNClassifier().fit(*frames, groups=frames[1])
    with pytest.raises(ValueError, match="tables= is for tables in memory"):
        DaskNLNClassifier().fit(*frames, tables={"visits": X})


def test_child_tables_are_refused_for_collections(frames, model, table):
    for decide in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match="tables= is for tables in memory"):
            decide(frames[0], tables={"visits": table[0]})


def test_parameters_are_those_of_scikit_learn():
    model = DaskNLNClassifier(starts=2, sample_rows=5000)
    own = {"sample_rows", "client", "worker_timeout"}
    assert set(model.get_params()) - set(NLNClassifier().get_params()) == own
    assert clone(model).get_params() == model.get_params()


def test_without_a_cluster_there_is_advice(frames, monkeypatch):
    def no_client():
        raise ValueError("No global client found and no address provided")

    monkeypatch.setattr("nln.dask.classifier.get_client", no_client)
    with pytest.raises(ValueError, match="There is no cluster to learn on"):
        DaskNLNClassifier().fit(*frames)


def test_levels_of_codes_are_learned_and_decided(client, table, frames):
    types = {"colour": Hierarchy((1, 3))}
    model = DaskNLNClassifier(random_state=0, sample_rows=SAMPLE, feature_types=types).fit(*frames)
    assert "colour_first_1" in model.program_.features_used
    assert model.program_ == fit_on(cut(*table, 3), feature_types=types).program_
    np.testing.assert_array_equal(model.predict(frames[0]).compute(), model.to_local().predict(table[0]))
