"""Generated tables with children whose truth is known: trains, patients, boards, series, families and near misses."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from nln import Child, between, windows


class Made(NamedTuple):
    """Rows, their children by table, labels with noise, and labels without."""

    X: pd.DataFrame
    tables: dict[str, Any]
    y: Any
    truth: Any


def flipped(truth: Any, rng: np.random.Generator, noise: float) -> Any:
    """Labels of which a share is wrong."""
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


def keyed(made: Made) -> dict[str, Child]:
    """The child tables as `fit` takes them."""
    key = "train" if "train" in made.X else "patient_id"
    return {name: each if isinstance(each, Child) else Child(each, key=key) for name, each in made.tables.items()}


def boards(n: int, seed: int, noise: float = 0.05) -> Made:
    """Three x in a row or a column, anywhere on a board of 6 x 6."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(["x", "o", "b"], (n, 6, 6), p=[0.3, 0.35, 0.35])
    x = cells == "x"
    across = (x[:, :, :-2] & x[:, :, 1:-1] & x[:, :, 2:]).any(axis=(1, 2))
    down = (x[:, :-2] & x[:, 1:-1] & x[:, 2:]).any(axis=(1, 2))
    tables = {"across": windows(cells, 1, 3), "down": windows(cells, 3, 1)}
    return Made(_numbered(n, rng), tables, flipped(across | down, rng, noise), across | down)


def pluses(n: int, seed: int, noise: float = 0.05, size: int = 10) -> Made:
    """A plus of five x anywhere on a board: any two of them are on all boards, many times."""
    rng = np.random.default_rng(seed)
    cells = rng.choice(["x", "o"], (n, size, size), p=[0.4, 0.6])
    x = cells == "x"
    upright, level = x[:, :-2, 1:-1] & x[:, 2:, 1:-1], x[:, 1:-1, :-2] & x[:, 1:-1, 2:]
    truth = (x[:, 1:-1, 1:-1] & upright & level).any(axis=(1, 2))
    return Made(_numbered(n, rng), {"places": windows(cells, 3, 3)}, flipped(truth, rng, noise), truth)


def near_misses(n: int, seed: int, noise: float = 0.05, columns: int = 4) -> Made:
    """A visit with all of three symptoms, and three with one; or three visits with two, and one with none.

    One symptom is as frequent in either case, and so are two together. `columns` tell nothing.
    """
    rng = np.random.default_rng(seed)
    truth, sets = rng.random(n) < 0.5, np.array([[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    held = np.where(truth[:, None, None], sets, 1 - sets).reshape(-1, 3)
    answers = np.array(["no", "yes"])
    drawn: dict[str, Any] = {name: answers[held[:, j]] for j, name in enumerate(("fever", "cough", "rash"))}
    for j in range(columns):
        numbers, values = rng.normal(size=len(held)).round(2), rng.choice(["p", "q", "r", "s"], len(held))
        drawn[f"x{j}"] = numbers if j % 2 else values
    names = sorted(drawn, key=lambda name: name[::-1])  # symptoms stand between the other columns
    visits = pd.DataFrame({"patient_id": np.repeat(np.arange(n), 4), **{name: drawn[name] for name in names}})
    X = _numbered(n, rng).assign(patient_id=np.arange(n))
    return Made(X, {"visits": visits}, flipped(truth, rng, noise), truth)


def series(n: int, seed: int, noise: float = 0.05) -> Made:
    """A spike that a drop follows, anywhere in a series of 20."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 20)).round(2)
    truth = ((values[:, :-1] >= 1.2) & (values[:, 1:] < -0.8)).any(axis=1)
    return Made(_numbered(n, rng), {"steps": windows(values, 2)}, flipped(truth, rng, noise), truth)


def families(n: int, seed: int, noise: float = 0.05) -> Made:
    """Grandparents: x is a parent of some z who is a parent of y. Pairs are drawn from families of four generations."""
    rng = np.random.default_rng(seed)
    people, links = [0], []
    generations = [np.arange(40)]
    for _ in range(3):
        young = np.arange(generations[-1][-1] + 1, generations[-1][-1] + 81)
        links += [(int(rng.choice(generations[-1])), int(child)) for child in young for _ in range(2)]
        generations.append(young)
    people = np.concatenate(generations)
    parent = pd.DataFrame(sorted(set(links)), columns=["source", "target"])
    grand = parent.merge(parent, left_on="target", right_on="source")
    true = set(zip(grand["source_x"], grand["target_y"], strict=True))
    chosen = rng.permutation(len(grand))[: n // 2]
    pairs = pd.DataFrame(
        {
            "x": np.concatenate([grand["source_x"].to_numpy()[chosen], rng.choice(people, n - len(chosen))]),
            "y": np.concatenate([grand["target_y"].to_numpy()[chosen], rng.choice(people, n - len(chosen))]),
        }
    )
    truth = np.array([pair in true for pair in zip(pairs["x"], pairs["y"], strict=True)])
    X = _numbered(n, rng)
    return Made(X, {"between": between(pairs, parent, relation="parent")}, flipped(truth, rng, noise), truth)


def _numbered(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """A table that tells nothing: all is in the children."""
    return pd.DataFrame({"noise": rng.normal(size=n).round(2)})
