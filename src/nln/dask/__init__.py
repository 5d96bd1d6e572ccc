"""Learning and deciding on a Dask cluster; it needs `pip install "nln[dask]"`."""

from __future__ import annotations

try:
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError(
        f'nln.dask needs Dask, and {error.name or "a part of it"} is not installed: pip install "nln[dask]".'
    ) from None

from nln.dask.classifier import DaskNLNClassifier

__all__ = ["DaskNLNClassifier"]
