"""What a `fetch_*` function raises when its data set cannot be had."""

from __future__ import annotations


class DatasetNotFoundError(OSError):
    """A data set is neither in the folder looked in nor to be downloaded.

    The message names the file, the folder looked in and what to do.

    Examples
    --------
    >>> from nln.datasets import DatasetNotFoundError, fetch_chess
    >>> try:
    ...     X, y = fetch_chess(data_home="no-such-folder", download_if_missing=False)
    ... except DatasetNotFoundError as error:
    ...     "chess-krkpa7.csv" in str(error)
    True
    """
