"""NSL-KDD (Tavallaee, Bagheri, Lu and Ghorbani, 2009): network intrusions."""

from __future__ import annotations

from typing import Any, Literal

import narwhals as nw

from nln.datasets._files import DataHome, csv_names, find_file, raise_not_found, read_table
from nln.datasets._frame import Backend, Data, DTypes, check_choice, resolve_backend, split_target, stack

NAMES = (
    "duration protocol_type service flag src_bytes dst_bytes land wrong_fragment urgent hot num_failed_logins "
    "logged_in num_compromised root_shell su_attempted num_root num_file_creations num_shells num_access_files "
    "num_outbound_cmds is_host_login is_guest_login count srv_count serror_rate srv_serror_rate rerror_rate "
    "srv_rerror_rate same_srv_rate diff_srv_rate srv_diff_host_rate dst_host_count dst_host_srv_count "
    "dst_host_same_srv_rate dst_host_diff_srv_rate dst_host_same_src_port_rate dst_host_srv_diff_host_rate "
    "dst_host_serror_rate dst_host_srv_serror_rate dst_host_rerror_rate dst_host_srv_rerror_rate"
)
INPUTS = NAMES.split()
BINARY = ("land", "logged_in", "root_shell", "is_host_login", "is_guest_login")
CATEGORICAL = ("protocol_type", "service", "flag", "su_attempted")
LABELS = ("attack", "category", "class")
INPUT_DTYPES: DTypes = {
    **dict.fromkeys(INPUTS, nw.Float64),
    **dict.fromkeys(BINARY, nw.Int64),
    **dict.fromkeys(CATEGORICAL, nw.String),
}
DTYPES: DTypes = {**INPUT_DTYPES, **dict.fromkeys(LABELS, nw.String)}

# The original files have neither a header nor the two coarser labels.
ORIGINAL_NAMES = (*INPUTS, "attack", "difficulty")
ORIGINAL_DTYPES: DTypes = {**INPUT_DTYPES, "attack": nw.String}
ATTACKS = {
    "DoS": "apache2 back land mailbomb neptune pod processtable smurf teardrop udpstorm",
    "Probe": "ipsweep mscan nmap portsweep saint satan",
    "R2L": "ftp_write guess_passwd imap multihop named phf sendmail snmpgetattack snmpguess spy warezclient "
    "warezmaster worm xlock xsnoop",
    "U2R": "buffer_overflow httptunnel loadmodule perl ps rootkit sqlattack xterm",
    "normal": "normal",
}
CATEGORY = {attack: category for category, attacks in ATTACKS.items() for attack in attacks.split()}
FILES = {"train": ("nsl-kdd-train", "KDDTrain+.txt"), "test": ("nsl-kdd-test", "KDDTest+.txt")}


def fetch_nsl_kdd(
    subset: Literal["train", "test", "all"] = "train",
    target: Literal["class", "category"] = "class",
    *,
    data_home: DataHome = None,
    backend: Backend | None = None,
) -> Data:
    """Fetch network connections, normal ones and attacks.

    Read from a folder: `nsl-kdd-train.csv` and `nsl-kdd-test.csv` (or `.csv.gz`), with a header row, or the original
    files `KDDTrain+.txt` and `KDDTest+.txt` as they are. They are not downloaded: get them from the Canadian
    Institute for Cybersecurity.

    Parameters
    ----------
    subset : {"train", "test", "all"}, default="train"
        The training file (125973 rows), the test file (22544), or one after the other.
    target : {"class", "category"}, default="class"
        `class`: `normal` or `anomaly`. `category`: `normal`, `DoS`, `Probe`, `R2L` or `U2R`.
    data_home : path-like, default=None
        Folder with the files; by default the one that the environment variable `NLN_DATA` names.
    backend : {"pandas", "polars"}, default=None
        Table library; by default pandas if it is installed, else polars.

    Returns
    -------
    X : frame
        41 columns: five of 0/1 integers, four of text (also `su_attempted`: `0`, `1` or `2`), 32 of floats.
    y : series
        The target.

    Raises
    ------
    DatasetNotFoundError
        If the file is not in the folder.

    References
    ----------
    M. Tavallaee, E. Bagheri, W. Lu and A. Ghorbani (2009), A Detailed Analysis of the KDD CUP 99 Data Set.

    Examples
    --------
    >>> X, y = fetch_nsl_kdd("test", target="category")  # doctest: +SKIP
    >>> fetch_nsl_kdd(data_home="no-such-folder", backend="polars")
    Traceback (most recent call last):
    nln.datasets._files.DatasetNotFoundError: NSL-KDD was not found: nsl-kdd-train.csv or nsl-kdd-train.csv.gz or ...
    """
    check_choice("subset", subset, (*FILES, "all"))
    check_choice("target", target, ("class", "category"))
    backend = resolve_backend(backend)
    parts = FILES if subset == "all" else (subset,)
    frame = stack([_read_part(part, data_home, backend) for part in parts])
    return split_target(frame, target, leave_out=LABELS)


def _read_part(part: str, data_home: DataHome, backend: Backend) -> nw.DataFrame[Any]:
    stem, original = FILES[part]
    names = (*csv_names(stem), original)
    path = find_file(names, data_home)
    if path is None:
        tried = "It is not downloaded: get it from the Canadian Institute for Cybersecurity."
        raise_not_found("NSL-KDD", names, data_home, tried, f"{original} is read as it is, without a header row.")
    if path.name != original:
        return read_table(path, DTYPES, backend)
    return _with_labels(read_table(path, ORIGINAL_DTYPES, backend, names=ORIGINAL_NAMES), str(path))


def _with_labels(frame: nw.DataFrame[Any], path: str) -> nw.DataFrame[Any]:
    """Add `category` and `class`, which follow from `attack`."""
    unknown = sorted(set(frame["attack"].to_list()) - set(CATEGORY))
    if unknown:
        names = ", ".join(map(repr, unknown))
        raise ValueError(f"{path} has attacks of no known category: {names}. Correct or drop these rows.")
    category = nw.col("attack").replace_strict(CATEGORY, return_dtype=nw.String)
    is_normal = nw.col("attack") == "normal"
    label = nw.when(is_normal).then(nw.lit("normal")).otherwise(nw.lit("anomaly"))
    return frame.with_columns(category.alias("category"), label.alias("class"))
