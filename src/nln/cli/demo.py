"""`nln demo`: learn a data set that needs no download."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from nln.cli.arguments import AsJson
from nln.cli.errors import InputError
from nln.cli.outputs import errors_console, print_json, print_text

_STORIES = {
    "tic-tac-toe": "finished boards: when has x won?",
    "wine": "analyses of wines: which of three growers made it?",
    "monks-1": "robots: is the head shaped as the body, or the jacket red?",
    "monks-2": "robots: have exactly two of six attributes their first value?",
    "monks-3": "robots: a green jacket and a sword, or neither a blue jacket nor an octagonal body?",
    "balance": "scales with two weights: to which side do they tip?",
    "mammalian": "states of a mammalian cell: which genes are on next?",
    "fission": "states of a yeast cell: which genes are on next?",
}
_SPELLINGS = {"monks": "monks-1"}


def demo(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of: {', '.join(_STORIES)}.")] = "tic-tac-toe",
    as_json: AsJson = False,
) -> None:
    """Learn a data set that needs no download; print its rules and how well they do on rows left out."""
    name = _SPELLINGS.get(name, name)
    if name not in _STORIES:
        raise InputError(f"There is no data set {name!r}; known: {', '.join(_STORIES)}.")
    X, y = load(name)
    console = errors_console()
    console.print(f"{name}: {len(X)} {_STORIES[name]}", markup=False, highlight=False)
    model, score = learn_and_score(X, y, console)
    if as_json:
        print_json({"name": name, "rules": model.program_.to_records(), "held_out": score})
        return
    said = f"F1 {score['f1']:.3f}, accuracy {score['accuracy']:.3f} on {score['rows']} rows left out"
    print_text(f"{model.program_}\n\n{said}, decided by {score['rules']} rules learned from the others.")


def load(name: str) -> tuple[Any, Any]:
    """Load a data set by the name that the command takes.

    Examples
    --------
    >>> X, y = load("monks-1")
    >>> X.shape
    (432, 6)
    """
    from nln import datasets

    loaders: dict[str, Callable[[], tuple[Any, Any]]] = {
        "tic-tac-toe": datasets.load_tic_tac_toe,
        "wine": datasets.load_wine,
        "balance": datasets.load_balance,
        "monks-1": partial(datasets.load_monks, 1),
        "monks-2": partial(datasets.load_monks, 2),
        "monks-3": partial(datasets.load_monks, 3),
    }
    return loaders[name]() if name in loaders else datasets.load_boolean_network(name)


def learn_and_score(X: Any, y: Any, console: Any) -> tuple[Any, dict[str, Any]]:
    """Learn from all rows; and, for the score, from four fifths of them, scored on the rest."""
    import numpy as np
    from narwhals import from_native

    from nln import NLNClassifier
    from nln.compose.core.measure import measure
    from nln.progress import ProgressBar

    callbacks = [ProgressBar(console)] if console.is_terminal else None
    order = np.random.default_rng(0).permutation(len(X))
    train, test = np.sort(order[len(X) // 5 :]), np.sort(order[: len(X) // 5])

    def rows(table: Any, places: Any) -> Any:
        return from_native(table, allow_series=True)[places.tolist()].to_native()

    part = NLNClassifier(random_state=0, callbacks=callbacks).fit(rows(X, train), rows(y, train))
    found = measure(part.program_, rows(X, test), np.asarray(rows(y, test)))
    score = {name: getattr(found, name) for name in ("rules", "rows", "accuracy", "f1")}
    return NLNClassifier(random_state=0, callbacks=callbacks).fit(X, y), score
