"""`python -m benchmarks.peer_worker`: fit peers on request. Runs in the peers' environment, without nln.

Each line of standard input is a request, a JSON object; each gets one line of JSON on standard output. No pickle: the
table comes as a CSV file, the answer as plain numbers.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import warnings
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.peer_models import PEERS, NotInstalledError

TARGET = "(target)"
"""Column of the CSV file that holds the classes."""

PACKAGES = ("scikit-learn", "pandas", "numpy", "xgboost", "lightgbm", "wittgenstein", "imodels", "interpret-core")


@lru_cache(maxsize=1)
def read(path: str, text: tuple[str, ...]) -> pd.DataFrame:
    """Read a table: the columns of `text` as text, the others as numbers, empty cells as missing values."""
    return pd.read_csv(path, dtype={**dict.fromkeys(text, "str"), TARGET: "str"}, keep_default_na=False, na_values=[""])


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Fit a peer on some rows of a table and predict those rows and others.

    Parameters
    ----------
    request : dict
        `peer`, `seed`, `path` and `text` (the table and its text columns), `train` and `test` (row numbers), `seconds`
        (of CPU time that the fit may take: the system ends the process when they are used up).
    """
    table = read(request["path"], tuple(request["text"]))
    X, y = table.drop(columns=TARGET), table[TARGET].to_numpy(dtype=object).astype(str)
    train, test = np.asarray(request["train"]), np.asarray(request["test"])
    try:
        model = PEERS[request["peer"]](request["seed"])
    except NotInstalledError as error:
        return {"status": "not installed", "reason": str(error)}
    begin = time.process_time()
    resource.setrlimit(resource.RLIMIT_CPU, (int(begin + request["seconds"]) + 1, resource.RLIM_INFINITY))
    try:
        model.fit(X.iloc[train], y[train])
        fitted = time.process_time()
        probability = np.asarray(model.predict_proba(X.iloc[test]), dtype=float)
        predicted = np.asarray(model.predict(X.iloc[test]))
        done = time.process_time()
        on_train = np.asarray(model.predict_proba(X.iloc[train]), dtype=float)
    except Exception as error:  # what a peer cannot do is part of the result
        return {"status": "failed", "reason": f"{type(error).__name__}: {error}"[:300]}
    return {
        "status": "done",
        "classes": [str(label) for label in model.classes_],
        "predicted": [str(label) for label in predicted],
        "probability": probability.round(9).tolist(),
        "training probability": on_train.round(9).tolist(),
        "counts": model.rule_counts(),
        "fit CPU (s)": fitted - begin,
        "predict CPU (s)": done - fitted,
    }


def versions() -> dict[str, str]:
    """Versions of the peers' packages, as far as they are installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main() -> None:
    """Answer requests until standard input ends."""
    # What libraries print must not mix with the answers: these have a channel of their own.
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        request = json.loads(line)
        reply = {"packages": versions()} if request.get("ask") == "versions" else answer(request)
        channel.write(json.dumps(reply) + "\n")
        channel.flush()


if __name__ == "__main__":
    main()
