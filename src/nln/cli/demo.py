"""`nln demo`: learn a data set that needs no download."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from narwhals import from_native

from nln.cli.arguments import AsJson
from nln.cli.errors import InputError
from nln.cli.learning import print_folds, progress_bar, score, split_folds
from nln.cli.outputs import print_json, print_text, say
from nln.datasets import load_balance, load_boolean_network, load_monks, load_tic_tac_toe, load_wine
from nln.rules.language.words import counted


class DataSet(NamedTuple):
    """A data set: how to load it, what its rows are, and what is asked about them."""

    load: Callable[[], tuple[Any, Any]]
    question: str


DATA_SETS = {
    "tic-tac-toe": DataSet(load_tic_tac_toe, "finished boards: when has x won?"),
    "wine": DataSet(load_wine, "analyses of wines: which of three growers made the wine?"),
    "monks-1": DataSet(partial(load_monks, 1), "robots: do head and body have the same shape, or is the jacket red?"),
    "monks-2": DataSet(partial(load_monks, 2), "robots: do exactly two of the six attributes have their first value?"),
    "monks-3": DataSet(
        partial(load_monks, 3),
        "robots: is there a green jacket and a sword, or neither a blue jacket nor an octagonal body?",
    ),
    "balance": DataSet(load_balance, "scales with two weights: to which side do they tip?"),
    "mammalian": DataSet(
        partial(load_boolean_network, "mammalian"), "states of a mammalian cell: which genes are on next?"
    ),
    "fission": DataSet(partial(load_boolean_network, "fission"), "states of a yeast cell: which genes are on next?"),
}
_SPELLINGS = {"monks": "monks-1"}

_Name = Annotated[str, typer.Argument(metavar="NAME", help=f"One of: {', '.join(DATA_SETS)}.")]
_Folds = Annotated[
    int | None, typer.Option(metavar="K", min=2, help="Score by K-fold cross-validation, not on one fifth of the rows.")
]


def demo(name: _Name = "tic-tac-toe", cv: _Folds = None, as_json: AsJson = False) -> None:
    """Learn a data set that needs no download; print its rules and how well they do on left-out rows."""
    name = _SPELLINGS.get(name, name)
    if name not in DATA_SETS:
        raise InputError(f"There is no data set {name!r}; known: {', '.join(DATA_SETS)}.")
    X, y = DATA_SETS[name].load()
    say(f"{name}: {len(X)} {DATA_SETS[name].question}")
    rules = _learn(X, y)
    if not as_json:
        print_text(f"{rules}\n\n")
    folds = [_score_fold(X, y, *rows) for rows in _split(X, y, cv)]
    if cv is not None:
        print_folds(folds)
    if as_json:
        scores = {"left_out": folds[0]} if cv is None else {"cross_validation": folds}
        print_json({"name": name, "rules": rules.to_records(), **scores})
    elif cv is None:
        (fold,) = folds
        said = f"F1 {fold['f1']:.3f}, accuracy {fold['accuracy']:.3f} on {counted(fold['rows'], 'left-out row')}"
        print_text(f"{said}, decided by {counted(fold['rules'], 'rule')} learned from the other rows.")


def _learn(X: Any, y: Any) -> Any:
    """Learn a program."""
    from nln import NLNClassifier

    return NLNClassifier(random_state=0, callbacks=progress_bar()).fit(X, y).program_


def _split(X: Any, y: Any, folds: int | None) -> list[tuple[Any, Any]]:
    """Split rows into training rows and left-out rows: K times, or once with a fifth of the rows left out."""
    if folds is not None:
        return list(split_folds(len(X), None if len(np.shape(y)) > 1 else y, folds, 0))
    order = np.random.default_rng(0).permutation(len(X))
    return [(np.sort(order[len(X) // 5 :]), np.sort(order[: len(X) // 5]))]


def _score_fold(X: Any, y: Any, train: Any, test: Any) -> dict[str, Any]:
    """Learn from the training rows, and score on the left-out rows."""

    def rows(table: Any, places: Any) -> Any:
        return from_native(table, allow_series=True)[places.tolist()].to_native()

    return score(_learn(rows(X, train), rows(y, train)), rows(X, test), np.asarray(rows(y, test)))
