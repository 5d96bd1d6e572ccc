"""`DaskNLNClassifier`: the estimator for collections of Dask."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Self, TypeVar

from distributed import Client, get_client

from nln.classifier import LEARNED, NLNClassifier
from nln.dask.cluster import Cluster
from nln.dask.engine import DaskEngine, is_dask
from nln.dask.predict import predict_lazily, predict_proba_lazily
from nln.large.fit import SAMPLE_ROWS, fit_parts
from nln.learning.constraints import Constraints
from nln.learning.options import LanguageOptions
from nln.network.callbacks import Callback
from nln.network.options import TrainingOptions
from nln.rules import LogicProgram
from nln.rules.children.reading import Tables

Model = TypeVar("Model", bound=NLNClassifier)


class DaskNLNClassifier(NLNClassifier):
    """Learn a short logic program from a table on a Dask cluster.

    It takes the parameters of `NLNClassifier` and learns from data frames and arrays of Dask. A table of at most
    `sample_rows` rows is brought to the client and learned by `NLNClassifier`. Of a larger one, the workers keep codes,
    one byte per cell. A sample chooses the bins, and a sample of the codes, in which rare classes have their place,
    trains the networks and chooses the price: the starts run as tasks on the workers, one start a task. The final
    descent, the softening of boundaries, the weights of the rules, the thresholds and the counts of covered rows use
    all rows. The program depends neither on the partitions nor on the number of workers. If a worker is lost meanwhile,
    others compute what it had.

    Parameters
    ----------
    n_rules : int, default=None
        As in `NLNClassifier`.
    starts : int, default=None
        As in `NLNClassifier`.
    price : float, default=None
        As in `NLNClassifier`.
    size : {"short", "balanced", "accurate"}, default=None
        As in `NLNClassifier`.
    threshold : {"both", "f1", "accuracy"} or float, default=None
        As in `NLNClassifier`.
    feature_types : dict or str, default=None
        As in `NLNClassifier`.
    class_weight : dict or "balanced", default=None
        As in `NLNClassifier`.
    training : TrainingOptions, default=None
        As in `NLNClassifier`.
    language : LanguageOptions or "plain", default=None
        As in `NLNClassifier`; on tables that are sampled, rules neither calculate nor count.
    preset : {"default", "paper"}, default=None
        As in `NLNClassifier`.
    discretization : str, default=None
        As in `NLNClassifier`; on tables that are sampled it must be "coordinate".
    constraints : Constraints, default=None
        As in `NLNClassifier`.
    initial_program : LogicProgram or str, default=None
        As in `NLNClassifier`.
    callbacks : list of Callback, default=None
        As in `NLNClassifier`. They stay on the client and hear of the epochs of a start when it is trained.
    random_state : int, RandomState instance or None, default=None
        As in `NLNClassifier`.
    n_jobs : int, default=None
        As in `NLNClassifier`, for tables that are not sampled; otherwise workers use their own threads.
    sample_rows : int, default=131072
        Most rows of a table that is not sampled, and rows of the samples of a larger one.
    client : distributed.Client, default=None
        The cluster; None means the current client.
    worker_timeout : float, default=60
        Seconds for which a fit waits for a worker if all are lost, before it gives up with an error.

    Attributes
    ----------
    program_, classes_, schema_, network_, history_, path_, price_, n_features_in_, feature_names_in_, made_
        As in `NLNClassifier`.
    feature_importances_ : ndarray of shape (n_features,)
        As in `NLNClassifier`, measured on the sample.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> from dask.distributed import Client
    >>> from nln.dask import DaskNLNClassifier
    >>> from nln.datasets import load_tic_tac_toe
    >>> X, y = load_tic_tac_toe()
    >>> dX, dy = dd.from_pandas(X, npartitions=4), dd.from_pandas(y, npartitions=4)
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0") as client:
    ...     model = DaskNLNClassifier(random_state=0).fit(dX, dy)
    ...     decided = model.predict(dX).compute()
    >>> model.program_
    <LogicProgram: 8 rules of mean size 3.00 for class = positive>
    >>> bool((decided == y).all())
    True
    """

    def __init__(
        self,
        *,
        n_rules: int | None = None,
        starts: int | None = None,
        price: float | None = None,
        size: str | None = None,
        threshold: float | str | None = None,
        feature_types: Any = None,
        class_weight: Any = None,
        training: TrainingOptions | None = None,
        language: LanguageOptions | str | None = None,
        preset: str | None = None,
        discretization: str | None = None,
        constraints: Constraints | None = None,
        initial_program: LogicProgram | str | None = None,
        callbacks: Sequence[Callback] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        sample_rows: int = SAMPLE_ROWS,
        client: Client | None = None,
        worker_timeout: float = 60.0,
    ) -> None:
        given = {name: value for name, value in locals().items() if name not in ("self", "__class__", *_OWN)}
        super().__init__(**given)
        self.sample_rows = sample_rows
        self.client = client
        self.worker_timeout = worker_timeout

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, *, tables: Any = None) -> Self:
        """Learn a program.

        Parameters
        ----------
        X : dask DataFrame or Array of shape (n_samples, n_features)
            A data frame whose partitions are of pandas, or a two-dimensional array.
        y : dask Series, DataFrame or Array of shape (n_samples,) or (n_samples, n_labels)
            Classes, or zeros and ones with one column per label, cut into partitions like X.
        sample_weight : dask Series or Array of shape (n_samples,), default=None
            How much each row counts compared with the others, cut into partitions like X.
        groups : None, default=None
            Not for Dask: rows of a group cannot be kept together there.
        tables : None, default=None
            Not for Dask: rows of a child table cannot be kept with their parents there.

        Returns
        -------
        DaskNLNClassifier
            The fitted classifier.
        """
        if groups is not None:
            raise ValueError("groups are for NLNClassifier; a fit on Dask cannot keep rows of a group together.")
        _refuse_tables(tables)
        self._forget()
        engine = DaskEngine(Cluster(self._client(), self.worker_timeout), X, y, sample_weight)
        local = self._unfitted()
        try:
            fit_parts(local, engine, named=_is_named(X), sample_rows=self.sample_rows)
        finally:
            with suppress(Exception):  # a cluster that is gone has forgotten everything
                engine.close()
        return _take_over(self, local)

    def predict(self, X: Any, *, tables: Tables | None = None) -> Any:
        """Decide the class of each row, or the labels of a multi-label target.

        Parameters
        ----------
        X : dask DataFrame or Array, or any table that `NLNClassifier` takes
            Rows to predict.
        tables : mapping of str to Child or table, default=None
            As in `NLNClassifier`, for rows that are no collection of Dask.

        Returns
        -------
        dask Series, DataFrame or Array, or ndarray
            Decisions, lazily for a collection of Dask: a series (of several labels a frame) with the index of a data
            frame, an array for an array.
        """
        if not is_dask(X):
            return super().predict(X, tables=tables)
        _refuse_tables(tables)
        return predict_lazily(self._saved(), X)

    def predict_proba(self, X: Any, *, tables: Tables | None = None) -> Any:
        """Compute the probability of each class, or of each label of a multi-label target.

        Parameters
        ----------
        X : dask DataFrame or Array, or any table that `NLNClassifier` takes
            Rows to predict.
        tables : mapping of str to Child or table, default=None
            As in `NLNClassifier`, for rows that are no collection of Dask.

        Returns
        -------
        dask DataFrame or Array, or ndarray
            Probabilities, lazily for a collection of Dask: a frame with a column for each class, an array for an array.
        """
        if not is_dask(X):
            return super().predict_proba(X, tables=tables)
        _refuse_tables(tables)
        return predict_proba_lazily(self._saved(), X)

    def to_local(self) -> NLNClassifier:
        """Return the fitted model as an `NLNClassifier`, which needs no cluster.

        Returns
        -------
        NLNClassifier
        """
        return _take_over(self._unfitted(), self)

    def _unfitted(self) -> NLNClassifier:
        own = self.get_params(deep=False)
        return NLNClassifier(**{name: value for name, value in own.items() if name not in _OWN})

    def _client(self) -> Client:
        if self.client is not None:
            return self.client
        try:
            return get_client()
        except ValueError:
            raise ValueError(
                "There is no cluster to learn on. Make a client first, for example "
                "`client = dask.distributed.Client()`, or give one: DaskNLNClassifier(client=...)."
            ) from None


_OWN = ("sample_rows", "client", "worker_timeout")
"""Parameters that `NLNClassifier` does not have."""


def _take_over(model: Model, other: NLNClassifier) -> Model:
    """Give a model what another one has learned."""
    for name, value in vars(other).items():
        if name.endswith("_") or name in LEARNED:
            setattr(model, name, value)
    return model


def _refuse_tables(tables: Any) -> None:
    """Refuse child tables, whose rows would have to lie where those of their parents do."""
    if tables is not None:
        raise ValueError(
            "tables= is for tables in memory: fit NLNClassifier on a sample, or add columns that count the children."
        )


def _is_named(X: Any) -> bool:
    """Whether the columns have names of their own."""
    return all(isinstance(name, str) for name in getattr(X, "columns", (0,)))
