"""What `nln fit` learns from: the features, the target and the weights of a table, and how well learning does."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.cli.errors import InputError
from nln.model import SavedModel
from nln.rules import LogicProgram, Target
from nln.rules.schema import Value
from nln.tables.files.table_file import unknown_column


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows to learn from.

    Attributes
    ----------
    X : pyarrow table
        The features.
    y : pyarrow table
        A column of classes, or a column of zeros and ones per label.
    weights : array or None
        Of the rows.
    left_out : int
        Rows of the file without a target.
    """

    X: Any
    y: Any
    weights: Any = None
    left_out: int = 0

    @property
    def truth(self) -> Any:
        """The classes as a list, or the labels as an array of zeros and ones."""
        columns = [column.to_pylist() for column in self.y.columns]
        return columns[0] if len(columns) == 1 else np.array(columns, dtype=np.int64).T

    def take(self, rows: Any) -> Examples:
        """Keep some rows."""
        return Examples(self.X.take(rows), self.y.take(rows), None if self.weights is None else self.weights[rows])


def split_table(table: Any, targets: Sequence[str], ignore: Sequence[str], weights: str | None, file: str) -> Examples:
    """Split a table into features, target and weights, without the rows that have no target.

    Parameters
    ----------
    table : pyarrow table
        All columns.
    targets : sequence of str
        The target, or the labels.
    ignore : sequence of str
        Columns that are not features.
    weights : str or None
        The column of weights.
    file : str
        What messages call the table.

    Examples
    --------
    >>> import pyarrow as pa
    >>> examples = split_table(pa.table({"id": [1, 2], "x": [3, 4], "y": ["a", None]}), ["y"], ["id"], None, "data.csv")
    >>> examples.X.column_names, examples.truth, examples.left_out
    (['x'], ['a'], 1)
    """
    used = [*targets, *ignore, *([weights] if weights else [])]
    for name in used:
        if name not in table.column_names:
            raise InputError(unknown_column(name, table.column_names, file))
        if used.count(name) > 1:
            raise InputError(f"The column {name!r} is given twice, as target, to ignore or as weights. Give it once.")
    y = table.select(list(targets))
    known = np.all([column.is_valid().to_numpy(zero_copy_only=False) for column in y.columns], axis=0)
    if not known.any():
        raise InputError(f"{file} has no row with a value of {targets[0]!r}. Give rows whose class is known.")
    X = table.drop_columns(used)
    if not X.num_columns:
        raise InputError(f"{file} has no columns left to learn from. Give --ignore for fewer.")
    weighted = None if weights is None else _weights(table[weights], weights)[known]
    return Examples(X.filter(known), y.filter(known), weighted, int(np.count_nonzero(~known)))


def _weights(column: Any, name: str) -> NDArray[np.float64]:
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise InputError(f"The weight in column {name!r}, row {row} is missing. Give a number of at least 0.")
    try:
        return np.asarray(column.to_pylist(), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The weights in column {name!r} are no numbers. Give another column.") from None


def positive_first(examples: Examples, positive: str) -> tuple[Value, Value]:
    """Find the other class and the positive class of a target by the text of the latter."""
    labels = examples.y.column(0).unique().to_pylist() if examples.y.num_columns == 1 else []
    fitting = [label for label in labels if str(label) == positive] or [
        label for label in labels if str(label).lower() == positive.lower()
    ]
    if len(labels) != 2 or not fitting:
        known = ", ".join(map(repr, labels[:10])) or "several labels"
        raise InputError(f"--positive names one of two classes, not {positive!r}; the target has {known}.")
    (other,) = [label for label in labels if label != fitting[0]]
    return other, fitting[0]


def target_of(examples: Examples) -> Any:
    """Return the target as `fit` takes it: a column that knows its name, or the table of the labels."""
    import narwhals as nw

    names = examples.y.column_names
    return examples.y if len(names) > 1 else nw.from_native(examples.y)[names[0]]


def learn(examples: Examples, classes: tuple[Value, Value] | None, **parameters: Any) -> SavedModel:
    """Learn a model; `classes` are the negative and the positive class, if they are not in the usual order.

    Parameters
    ----------
    examples : Examples
        The rows.
    classes : tuple or None
        Other than the usual order, the negative and the positive class.
    **parameters
        Of `NLNClassifier`.
    """
    from nln.classifier import NLNClassifier

    y = target_of(examples)
    name = examples.y.column_names[0]
    if classes is not None:
        y = y == classes[1]
    model = NLNClassifier(**parameters).fit(examples.X, y, sample_weight=examples.weights)
    columns = tuple(examples.X.column_names)
    if classes is None:
        return SavedModel(model.program_, model.classes_, columns, named=True)
    return SavedModel(_renamed(model.program_, name, classes), np.array(classes, dtype=object), columns, named=True)


def _renamed(program: LogicProgram, name: str, classes: tuple[Value, Value]) -> LogicProgram:
    """Name the classes of a program that was learned for false and true."""
    schema = replace(program.schema, target=Target(name, "binary", classes))
    rules = tuple(replace(rule, label=classes[1]) for rule in program.rules)
    return LogicProgram(schema, rules, program.biases, program.thresholds)


def cross_validate(
    examples: Examples, classes: tuple[Value, Value] | None, folds: int, seed: int, **parameters: Any
) -> list[dict[str, Any]]:
    """Learn on all rows but one fold and score on that fold, for each fold.

    Parameters
    ----------
    examples : Examples
        The rows.
    classes : tuple or None
        As for `learn`.
    folds : int
        How many.
    seed : int
        Of the folds.
    **parameters
        Of `NLNClassifier`.

    Returns
    -------
    list of dict
        Per fold `rules`, `rows`, `accuracy` and `f1`.
    """
    from sklearn.model_selection import KFold, StratifiedKFold

    splitter = StratifiedKFold if examples.y.num_columns == 1 else KFold
    strata = np.array(list(map(str, examples.truth))) if splitter is StratifiedKFold else None
    found = []
    for train, test in splitter(folds, shuffle=True, random_state=seed).split(np.zeros(examples.X.num_rows), strata):
        model = learn(examples.take(train), classes, **parameters)
        found.append(score(model.program_, examples.take(test)))
    return found


def score(program: LogicProgram, examples: Examples) -> dict[str, Any]:
    """Score a program on rows: `rules`, `rows`, `accuracy`, `f1`."""
    from nln.compose.core.measure import measure

    scores = measure(program, examples.X, examples.truth)
    return {name: getattr(scores, name) for name in ("rules", "rows", "accuracy", "f1")}


@contextmanager
def warnings_as_notes(notes: list[str]) -> Iterator[None]:
    """Collect what the package warns of, each warning once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield
    told = dict.fromkeys(str(warning.message) for warning in caught)
    notes += [text for text in told if not text.startswith("Columns without two different values")]
