"""Starts as tasks on workers: what the client's own threads find, also after errors and interrupts."""

import time
from threading import Lock

import numpy as np
import pytest

dd = pytest.importorskip("dask.dataframe")

from dask.distributed import Client  # noqa: E402
from distributed.protocol import deserialize, serialize  # noqa: E402

from nln import Callback, Constraints, LanguageOptions  # noqa: E402
from nln.dask import DaskNLNClassifier, starts  # noqa: E402
from nln.dask.cluster import Cluster  # noqa: E402
from nln.dask.rows import DaskRows  # noqa: E402
from nln.dask.starts import without_codes  # noqa: E402
from nln.learning.draft import DescentRows, Draft  # noqa: E402
from nln.learning.packed import Drafts, pack  # noqa: E402
from nln.learning.selection import runner  # noqa: E402
from nln.learning.selection.path import StartPath  # noqa: E402
from nln.network.callbacks import Cancelled  # noqa: E402
from tests.large.tables import SAMPLE, cut, fit_on, made_table  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore:Sending large graph")

LIMIT = 120
"""Seconds after which a worker counts as hanging."""


@pytest.fixture(scope="module")
def table():
    return made_table()


@pytest.fixture(scope="module")
def client():
    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        yield client


@pytest.fixture(scope="module")
def frames(table):
    return tuple(dd.from_pandas(frame, npartitions=3) for frame in table)


def learner(client, **parameters):
    return DaskNLNClassifier(**({"random_state": 0, "sample_rows": SAMPLE, "client": client} | parameters))


def programs(model):
    return [point.program for point in model.path_]


def refuse(*_):
    raise AssertionError("The client runs a start.")


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"language": LanguageOptions(min_rows=40), "starts": 3},
        {"size": "accurate", "starts": 2, "price": 2.0},
        {"constraints": Constraints(monotone={"yes": {"age": "increasing"}}), "language": "plain"},
        {"initial_program": "IF age >= 61 AND colour = red THEN bought = yes", "starts": 1},
    ],
    ids=["defaults", "least rows", "committee", "constraints", "initial rules"],
)
def test_the_workers_find_what_the_client_would_find(client, frames, table, parameters, monkeypatch):
    expected = fit_on(cut(*table, 1), **parameters)
    monkeypatch.setattr(runner, "train_start", refuse)
    model = learner(client, **parameters).fit(*frames)
    assert programs(model) == programs(expected)
    assert model.program_ == expected.program_
    assert model.history_ == expected.history_
    assert [point.validation_loss for point in model.path_] == [point.validation_loss for point in expected.path_]


def test_starts_of_the_client_give_the_same_program(client, frames, monkeypatch):
    expected = learner(client).fit(*frames)
    monkeypatch.setattr(DaskRows, "runner", lambda *_: None)
    monkeypatch.setattr(starts, "train_start", refuse)
    model = learner(client).fit(*frames)
    assert programs(model) == programs(expected)


class Listener(Callback):
    """Notes what it hears."""

    def __init__(self):
        self.epochs, self.trained, self.stages = {}, [], []

    def on_epoch_end(self, start, epoch, record):
        assert start not in self.trained
        assert not self.stages
        self.epochs.setdefault(start, []).append((epoch, record))

    def on_start_end(self, start):
        self.trained.append(start)

    def on_stage(self, name):
        self.stages.append(name)


def test_callbacks_hear_of_every_epoch_and_start(client, frames):
    on_workers, here = Listener(), Listener()
    model = learner(client, callbacks=[on_workers], starts=3).fit(*frames)
    assert sorted(on_workers.trained) == [0, 1, 2]
    assert [record for _, record in on_workers.epochs[0]] == model.history_[0].records
    fit_on(cut(*made_table(), 2), callbacks=[here], starts=3)
    assert on_workers.epochs == here.epochs
    assert on_workers.stages == here.stages


@pytest.mark.parametrize("step", ["prepare_task", "train_start", "begin_start"])
def test_an_error_on_a_worker_has_its_own_message(client, frames, monkeypatch, step):
    def fail(*_, **__):
        raise ValueError("The start has run into a wall.")

    monkeypatch.setattr(starts, step, fail)
    model = learner(client)
    with pytest.raises(ValueError, match=r"^The start has run into a wall\.$"):
        model.fit(*frames)
    assert not hasattr(model, "program_")


class Interrupt(Callback):
    """What a user does who has seen enough."""

    def on_start_end(self, start):
        raise KeyboardInterrupt


def test_an_interrupt_stops_networks_and_gives_the_workers_back(client, frames, table, monkeypatch):
    train, begun, ended, lock = starts.train_start, [], [], Lock()

    def endless(task, number, settings, rng, callbacks):
        """Train the start that begins first, and the others until they are told to stop."""
        with lock:
            begun.append(number)
        if number == begun[0]:
            for _ in range(500):  # another one begins meanwhile, unless both are on one worker
                if len(begun) > 1:
                    break
                time.sleep(0.01)
            trained = train(task, number, settings, rng, callbacks)
            ended.append(number)
            return trained
        while True:
            time.sleep(0.01)
            for callback in callbacks:
                callback.on_epoch_end(number, 0, {})

    with monkeypatch.context() as patches:
        patches.setattr(starts, "train_start", endless)
        with pytest.raises(KeyboardInterrupt):
            learner(client, callbacks=[Interrupt()]).fit(*frames)
        for address in client.nthreads():  # each has one thread, which would be busy forever
            assert client.submit(int, "7", workers=[address], pure=False).result(timeout=LIMIT) == 7
    assert ended == begun[:1]
    assert learner(client).fit(*frames).program_ == fit_on(cut(*table, 1)).program_


def test_a_fit_that_was_given_up_stops_its_networks_and_no_others():
    starts.stop_fit("given up")
    with pytest.raises(Cancelled):
        starts.StopFit("given up").on_epoch_end(0, 0, {})
    starts.StopFit("another").on_epoch_end(0, 0, {})
    assert "another" not in starts._STOPPED


def test_starts_are_spread_over_the_threads_of_all_workers():
    class Workers:
        def nthreads(self):
            return {"b": 1, "a": 3, "c": 2}

    assert Cluster(Workers(), 1.0).threads() == ["a", "b", "c", "a", "c", "a"]


def late():
    raise TimeoutError("The task itself is late.")


def test_results_come_in_order_and_errors_as_they_are(client):
    cluster = Cluster(client, 1.0)
    futures = [cluster.submit(f"number {n}", int, str(n)) for n in range(3)]
    assert sorted(cluster.finished(futures)) == [0, 1, 2]
    assert cluster.results(futures) == [0, 1, 2]
    with pytest.raises(TimeoutError, match="The task itself is late"):
        cluster.results([*futures, cluster.submit("late", late)])


def test_a_result_that_nobody_can_compute_any_more_is_an_error_not_a_wait():
    with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as lonely:
        cluster = Cluster(lonely, 1.0)
        future = cluster.submit("seven", int, "7")
        cluster.wait([future])
        lonely.cluster.scale(0)
        while lonely.nthreads():
            time.sleep(0.01)
        with pytest.raises(RuntimeError, match="no worker for 1 seconds"):
            cluster.results([future])


@pytest.mark.parametrize("is_fuzzy", [False, True])
def test_a_path_arrives_as_it_was_sent(is_fuzzy):
    rng = np.random.default_rng(0)
    tables = np.where(rng.random((3, 8)) < 0.5, 1.0, rng.random((3, 8)))
    spans = rng.integers(-1, 4, (3, 2, 2)) if is_fuzzy else None
    draft = Draft(tables, rng.random(3), np.array([0, 1, 1]), rng.random(2), 1, spans)
    left_out = DescentRows(np.zeros((2, 5), np.uint8), np.ones((2, 5), np.float32), rng.random(5))
    path = StartPath(Drafts([pack(draft), pack(draft)]), rng.random(2), left_out, rng.random((2, 2, 5)))
    found = deserialize(*serialize(without_codes(path)))
    assert len(found.drafts) == 2
    for one in found.drafts:
        for arrived, sent in zip(one, draft, strict=True):
            np.testing.assert_array_equal(arrived, sent)
    assert found.left_out.n_rows == 5
    np.testing.assert_array_equal(found.left_out.targets, left_out.targets)
    np.testing.assert_array_equal(found.losses, path.losses)
    np.testing.assert_array_equal(found.probabilities, path.probabilities)
