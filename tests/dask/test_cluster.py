"""Fits on clusters of worker processes: the same program on any number of workers, also if one of them dies."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest

dd = pytest.importorskip("dask.dataframe")

from dask.distributed import Client, LocalCluster  # noqa: E402

from nln import Callback, NLNClassifier  # noqa: E402
from nln.dask import DaskNLNClassifier  # noqa: E402
from nln.learning.parted import rows as parted_rows  # noqa: E402
from tests.large.tables import SAMPLE, cut, fit_on, made_table  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # distributed warns when workers are killed

LIMIT = 240
"""Seconds after which a fit counts as hanging."""


@pytest.fixture(scope="module")
def table():
    return made_table()


@pytest.fixture
def many_buckets(monkeypatch):
    """Small buckets, so that a small table has some for every worker."""
    monkeypatch.setattr(parted_rows, "ROWS_PER_BUCKET", 1000)


@contextmanager
def cluster_of(n_workers):
    options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        yield client


def in_time(work):
    """Run something that must not hang."""
    threads = ThreadPoolExecutor(1)
    try:
        return threads.submit(work).result(timeout=LIMIT)
    finally:
        threads.shutdown(wait=False)


def collections(table, n_parts):
    return tuple(dd.from_pandas(frame, npartitions=n_parts) for frame in table)


TRAINED, PRICED, POOLED = "trained", "choosing the price", "pooling the rules"
"""Moments of a fit: a first start is trained and others train; starts descend; the descent on all rows begins."""


class At(Callback):
    """Does something at a moment of a fit, once."""

    def __init__(self, moment, act):
        self.moment, self.act, self.acted = moment, act, False

    def on_start_end(self, start):
        self.on_stage(TRAINED)

    def on_stage(self, stage):
        if stage == self.moment and not self.acted:
            self.acted = True
            self.act()


@pytest.mark.parametrize("n_workers", [1, 2, 4])
def test_workers_and_partitions_do_not_matter(table, many_buckets, n_workers):
    expected = fit_on(cut(*table, 1))
    local = NLNClassifier(random_state=0).fit(*table)
    with cluster_of(n_workers) as client:
        for n_parts in (1, 7, 50):
            data = collections(table, n_parts)
            options = {"random_state": 0, "client": client}
            sampled = in_time(partial(DaskNLNClassifier(sample_rows=SAMPLE, **options).fit, *data))
            assert str(sampled.program_) == str(expected.program_)
            whole = in_time(partial(DaskNLNClassifier(**options).fit, *data))
            assert str(whole.program_) == str(local.program_)
            found = whole.predict_proba(data[0]).compute().to_numpy()
            np.testing.assert_allclose(found, local.predict_proba(table[0]), atol=1e-9)


@pytest.mark.parametrize("moment", [TRAINED, PRICED, POOLED])
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(table, many_buckets, moment):
    expected = fit_on(cut(*table, 1))
    with cluster_of(2) as client:
        dX, dy = collections(table, 7)
        victim = min(client.run(os.getpid).values())
        callback = At(moment, lambda: os.kill(victim, signal.SIGKILL))
        model = DaskNLNClassifier(random_state=0, sample_rows=SAMPLE, client=client, callbacks=[callback])
        in_time(lambda: model.fit(dX, dy))
        assert callback.acted
        assert victim not in client.run(os.getpid).values()
        assert str(model.program_) == str(expected.program_)


def test_workers_that_come_and_go_while_starts_train_change_nothing(table, many_buckets):
    expected = fit_on(cut(*table, 1))
    with cluster_of(1) as client:
        dX, dy = collections(table, 3)
        (victim,) = client.run(os.getpid).values()
        callback = At(TRAINED, lambda: os.kill(victim, signal.SIGKILL))  # a new one takes its place
        model = DaskNLNClassifier(random_state=0, sample_rows=SAMPLE, client=client, callbacks=[callback])
        in_time(lambda: model.fit(dX, dy))
        assert str(model.program_) == str(expected.program_)


@pytest.mark.parametrize("moment", [TRAINED, PRICED, POOLED])
def test_a_cluster_without_workers_is_an_error_not_a_wait(table, many_buckets, moment):
    with cluster_of(1) as client:
        dX, dy = collections(table, 3)
        callback = At(moment, lambda: client.cluster.scale(0))
        model = DaskNLNClassifier(
            random_state=0, sample_rows=SAMPLE, client=client, callbacks=[callback], worker_timeout=3
        )
        with pytest.raises(RuntimeError, match="no worker for 3 seconds"):
            in_time(lambda: model.fit(dX, dy))
        assert not hasattr(model, "program_")
