"""Tables of the benchmarks, in the forms that the contestants take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peer_models import as_categories
from benchmarks.settings import Settings, SkippedError
from nln.datasets import DatasetNotFoundError, fetch_adult
from nln.network.layout import NetworkInput, TrainingRows, make_input
from nln.network.options import TrainingOptions
from nln.tables.encoding import make_encoding, merge_rows
from nln.tables.frames import read_table
from nln.tables.infer import infer_features
from nln.tables.target import read_target

QUICK_ROWS = 1000


def adult(settings: Settings) -> tuple[Any, Any]:
    """Return the training file of Adult, as a pandas frame whose text columns are categories, and its target."""
    # The quick form stays off the network.
    X, y = fetch(fetch_adult, settings, download_if_missing=not settings.quick)
    return as_categories(X), y


def fetch(function: Callable[..., Any], settings: Settings, *choice: str, **options: Any) -> tuple[Any, Any]:
    """Fetch a data set as pandas frames, its first rows in the quick form; a missing file is named in the error."""
    try:
        X, y = function(*choice, data_home=settings.data, backend="pandas", **options)
    except DatasetNotFoundError as error:
        raise SkippedError(str(error)) from error
    if settings.quick and len(X) > QUICK_ROWS:
        X, y = X.iloc[:QUICK_ROWS], y.iloc[:QUICK_ROWS]
    return X, y


def network_rows(X: Any, y: Any, options: TrainingOptions | None = None) -> tuple[NetworkInput, TrainingRows]:
    """Encode a table as `NLNClassifier.fit` does before it trains networks."""
    options = options or TrainingOptions()
    table = read_table(X)
    _, outputs, _ = read_target(y, table.n_rows)
    features, columns = infer_features(table, None)
    weights = np.ones(table.n_rows)
    encoding = make_encoding(features, columns, weights)
    rows = merge_rows(encoding.codes(columns, table.n_rows), outputs, weights)
    given = make_input(encoding, rows, options.intervals_for(rows.n_rows), options.bins)
    return given, given.rows(rows)
