"""Wine (Aeberhard and Forina, 1992), as shipped with scikit-learn."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from nln.datasets._frame import Backend, Data, DTypes, build_frame, split_target


def load_wine(*, backend: Backend | None = None) -> Data:
    """Load chemical analyses of wines of three cultivars.

    Parameters
    ----------
    backend : {"pandas", "polars"}, default=None
        Table library; by default pandas if it is installed, else polars.

    Returns
    -------
    X : frame
        178 rows, thirteen columns of floats (`alcohol` to `proline`).
    y : series
        `class`: `1` (59 rows), `2` (71) or `3` (48), as text and numbered as in the UCI repository.

    References
    ----------
    S. Aeberhard and M. Forina (1992), Wine, UCI Machine Learning Repository.

    Examples
    --------
    >>> X, y = load_wine(backend="polars")
    >>> X.shape, y[0]
    ((178, 13), '1')
    """
    from sklearn import datasets

    wine = datasets.load_wine()
    dtypes: DTypes = {**dict.fromkeys(wine.feature_names, nw.Float64), "class": nw.String}
    columns: dict[str, list[Any]] = {name: wine.data[:, i].tolist() for i, name in enumerate(wine.feature_names)}
    columns["class"] = [str(label + 1) for label in wine.target.tolist()]
    return split_target(build_frame(columns, dtypes, backend), "class")
