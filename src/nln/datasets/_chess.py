"""Chess, King-Rook versus King-Pawn on a7 (Shapiro, 1983)."""

from __future__ import annotations

import narwhals as nw

from nln.datasets._files import DataHome
from nln.datasets._frame import Backend, Data, split_target
from nln.datasets._source import OpenMLTable, Source, fetch_table

NAMES = (
    "bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp dwipd hdchk katri mulch qxmsq r2ar8 "
    "reskd reskr rimmx rkxwp rxmsq simpl skach skewr skrxp spcop stlmt thrsk wkcti wkna8 wknck wkovl wkpos wtoeg class"
)
DTYPES = dict.fromkeys(NAMES.split(), nw.String)
SOURCE = Source("Chess", "chess-krkpa7", DTYPES, OpenMLTable("kr-vs-kp", 1, n_rows=3196, rows=(0, 3196)))


def fetch_chess(
    *, data_home: DataHome = None, backend: Backend | None = None, download_if_missing: bool = True
) -> Data:
    """Fetch chess endgames, king and rook against king and pawn on a7, with whether White, to move, can win.

    Read from `chess-krkpa7.csv` (or `.csv.gz`) in a folder if it is there, otherwise downloaded from OpenML.

    Parameters
    ----------
    data_home : path-like, default=None
        Folder with the files; by default the one that the environment variable `NLN_DATA` names.
    backend : {"pandas", "polars"}, default=None
        Table library; by default pandas if it is installed, else polars.
    download_if_missing : bool, default=True
        If False, raise an error instead of downloading.

    Returns
    -------
    X : frame
        3196 rows, 36 columns of text: `t` or `f`, but `dwipd` (`g`, `l`), `katri` (`b`, `n`, `w`), `wtoeg` (`n`, `t`).
    y : series
        `class`: `won` (1669 rows) or `nowin` (1527).

    Raises
    ------
    DatasetNotFoundError
        If the file is not in the folder and cannot be downloaded.

    References
    ----------
    A. Shapiro (1983), Chess (King-Rook vs. King-Pawn), UCI Machine Learning Repository.

    Examples
    --------
    >>> X, y = fetch_chess()  # doctest: +SKIP
    >>> fetch_chess(data_home="no-such-folder", backend="polars", download_if_missing=False)
    Traceback (most recent call last):
    nln.datasets._files.DatasetNotFoundError: Chess was not found: chess-krkpa7.csv or ...
    """
    return split_target(fetch_table(SOURCE, data_home, backend, download_if_missing=download_if_missing), "class")
