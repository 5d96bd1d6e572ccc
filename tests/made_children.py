"""Made tables with children whose truth is known: trains and cars, patients with visits and drugs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd


class Made(NamedTuple):
    """Rows, their children by table, labels with noise, and labels without."""

    X: pd.DataFrame
    tables: dict[str, pd.DataFrame]
    y: Any
    truth: Any


def flipped(truth: Any, rng: np.random.Generator, noise: float) -> Any:
    return np.where(rng.random(len(truth)) < noise, ~truth, truth).astype(int)


def trains(n: int, seed: int, noise: float = 0.05) -> Made:
    """Eastbound trains have a short closed car."""
    rng = np.random.default_rng(seed)
    owner = np.repeat(np.arange(n), rng.integers(2, 6, n))
    m = len(owner)
    cars = pd.DataFrame(
        {
            "train": owner,
            "length": rng.choice(["long", "short"], m),
            "roof": rng.choice(["open", "flat", "peaked", "jagged"], m, p=[0.4, 0.25, 0.2, 0.15]),
            "shape": rng.choice(["rectangle", "bucket", "ellipse", "hexagon", "u"], m),
            "wheels": rng.choice([2, 3], m),
            "load": rng.choice(["circle", "triangle", "rectangle", "hexagon"], m),
            "loads": rng.integers(0, 4, m),
        }
    )
    truth = counted(cars, "train", np.arange(n), (cars.length == "short") & (cars.roof != "open")) >= 1
    return Made(pd.DataFrame({"train": np.arange(n)}), {"cars": cars}, flipped(truth, rng, noise), truth)


def patients(n: int, kind: str, seed: int, noise: float = 0.05, visits: float = 4.0) -> Made:
    """Patients with visits and drugs; `kind` is the truth."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "patient_id": 1000 + np.arange(n),
            "age": rng.integers(20, 95, n),
            "sex": rng.choice(["f", "m"], n),
            "bmi": rng.normal(26, 4, n).round(1),
        }
    )
    ids = X["patient_id"].to_numpy()
    owner = np.repeat(ids, rng.poisson(visits, n))
    m = len(owner)
    v = pd.DataFrame(
        {
            "patient_id": owner,
            "dept": rng.choice(["ER", "eye", "heart", "skin", "lab"], m),
            "creatinine": np.where(rng.random(m) < 0.05, np.nan, rng.gamma(6, 0.2, m).round(2)),
            "pressure": rng.normal(130, 15, m).round(),
            "urgent": rng.choice(["no", "yes"], m),
        }
    )
    owner = np.repeat(ids, rng.poisson(3, n))
    d = pd.DataFrame(
        {
            "patient_id": owner,
            "class": rng.choice(["ACE inhibitor", "statin", "insulin", "beta blocker"], len(owner)),
            "dose": rng.choice([5, 10, 20, 40, 80], len(owner)),
        }
    )
    ill = v.dept.isin(["ER", "heart"])
    truths = {
        "exists": lambda: counted(v, "patient_id", ids, (v.dept == "ER") & (v.creatinine >= 1.3)) >= 1,
        "no": lambda: counted(v, "patient_id", ids, (v.dept == "heart") & (v.urgent == "yes")) == 0,
        "no and age": lambda: (
            (counted(v, "patient_id", ids, (v.dept == "heart") & (v.urgent == "yes")) == 0) & (X.age >= 60)
        ),
        "at least 2": lambda: counted(v, "patient_id", ids, (v.pressure >= 135) & (v.urgent == "yes")) >= 2,
        "bare": lambda: counted(v, "patient_id", ids, v.pressure > 0) >= 5,
        "two tables": lambda: (
            (counted(v, "patient_id", ids, ill & (v.creatinine >= 1.1)) >= 2)
            & (counted(d, "patient_id", ids, d["class"] == "ACE inhibitor") == 0)
        ),
        "either": lambda: (
            (counted(v, "patient_id", ids, (v.dept == "ER") & (v.creatinine >= 1.4)) >= 1)
            | (counted(d, "patient_id", ids, (d["class"] == "insulin") & (d.dose >= 40)) >= 1)
        ),
        "nothing": lambda: rng.random(n) < 0.3,
        "flat": lambda: (X.age >= 60) & (X.sex == "f"),
    }
    truth = np.asarray(truths[kind]())
    return Made(X, {"visits": v, "drugs": d}, flipped(truth, rng, noise), truth)


def counted(children: pd.DataFrame, key: str, ids: Any, held: Any) -> Any:
    """How many children of each row hold."""
    return held.groupby(children[key]).sum().reindex(ids, fill_value=0).to_numpy()
