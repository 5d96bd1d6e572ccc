"""What `nln fit` learns from: the features, the target and the weights of a table; learning from them, and scores."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nln.cli.errors import InputError
from nln.cli.outputs import errors_console, is_quiet, print_table, say
from nln.compose.core.measure import measure
from nln.made import Made
from nln.model import SavedModel
from nln.rules import LogicProgram, Target
from nln.rules.children.reading import Tables
from nln.rules.path import DialPath
from nln.rules.schema import Value
from nln.tables.files.table_file import unknown_column

if TYPE_CHECKING:
    from nln.network.callbacks import Callback


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows to learn from."""

    X: Any  # pyarrow table of the features
    y: Any  # pyarrow table: a column of classes, or a column of 0 and 1 for each label
    weights: Any = None  # array of the rows' weights
    groups: Any = None  # column whose equal values mark rows that belong together
    left_out: int = 0  # rows of the file without a target

    @property
    def truth(self) -> Any:
        """The classes as a list, or the labels as an array of 0 and 1."""
        columns = [column.to_pylist() for column in self.y.columns]
        return columns[0] if len(columns) == 1 else np.array(columns, dtype=np.int64).T

    def take(self, rows: Any) -> Examples:
        """Keep some rows."""
        weights = None if self.weights is None else self.weights[rows]
        groups = None if self.groups is None else self.groups.take(rows)
        return Examples(self.X.take(rows), self.y.take(rows), weights, groups)


def split_table(
    table: Any, targets: Sequence[str], ignore: Sequence[str], weights: str | None, groups: str | None, file: str
) -> Examples:
    """Split a pyarrow table into features, target (or labels), weights and groups; rows without a target stay out."""
    used = [*targets, *ignore, *filter(None, (weights, groups))]
    for name in used:
        if name not in table.column_names:
            raise InputError(unknown_column(name, table.column_names, file))
        if used.count(name) > 1:
            raise InputError(
                f"The column {name!r} is given twice, as --target, --ignore, --weights or --groups. Give it once."
            )
    y = table.select(list(targets))
    known = np.all([column.is_valid().to_numpy(zero_copy_only=False) for column in y.columns], axis=0)
    if not known.any():
        raise InputError(f"{file} has no row with a value of {targets[0]!r}. Give rows whose class is known.")
    X = table.drop_columns(used)
    if not X.num_columns:
        raise InputError(f"{file} has no columns left to learn from. Give --ignore for fewer columns.")
    weighted = None if weights is None else _weights(table[weights], weights)[known]
    grouped = None if groups is None else table[groups].filter(known)
    return Examples(X.filter(known), y.filter(known), weighted, grouped, int(np.count_nonzero(~known)))


def _weights(column: Any, name: str) -> NDArray[np.float64]:
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise InputError(f"The weight in column {name!r}, row {row}, is missing. Give a number of at least 0.")
    try:
        return np.asarray(column.to_pylist(), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"The weights in column {name!r} are not numbers. Give another column.") from None


def positive_first(examples: Examples, positive: str) -> tuple[Value, Value]:
    """Find the positive class by its text; return the other class and the positive class."""
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


def learn(
    examples: Examples, classes: tuple[Value, Value] | None, children: Tables | None = None, **parameters: Any
) -> SavedModel:
    """Learn a model; `classes` are the negative and the positive class if they are not in the usual order."""
    from nln.classifier import NLNClassifier

    y = target_of(examples)
    if classes is not None:
        y = y == classes[1]
    groups = None if examples.groups is None else examples.groups.to_pylist()
    weights = examples.weights
    model = NLNClassifier(**parameters).fit(examples.X, y, sample_weight=weights, groups=groups, tables=children)
    program, labels, path = model.program_, model.classes_, model.path_
    if classes is not None:
        name, labels = examples.y.column_names[0], np.array(classes, dtype=object)
        program = _renamed(program, name, classes)
        path = DialPath(replace(point, program=_renamed(point.program, name, classes)) for point in path)
    named = tuple(examples.X.column_names), True
    return SavedModel(program, labels, *named, model.made_, tuple(model.feature_importances_.tolist()), path)


def _renamed(program: LogicProgram, name: str, classes: tuple[Value, Value]) -> LogicProgram:
    """Give the target and classes of a program that was learned for false and true their names."""
    schema = replace(program.schema, target=Target(name, "binary", classes))
    rules = tuple(replace(rule, label=classes[1]) for rule in program.rules)
    return LogicProgram(schema, rules, program.biases, program.thresholds)


def cross_validate(
    examples: Examples,
    classes: tuple[Value, Value] | None,
    folds: int,
    seed: int,
    children: Tables | None = None,
    **parameters: Any,
) -> list[dict[str, Any]]:
    """For each fold, learn from the rows of the other folds and score on the left-out rows of this one."""
    classes_of_rows = examples.truth if examples.y.num_columns == 1 else None
    found: list[dict[str, Any]] = []
    for train, test in split_folds(examples.X.num_rows, classes_of_rows, folds, seed, examples.groups):
        say(f"fold {len(found) + 1} of {folds}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # learning from all rows says the same
            model, tested = learn(examples.take(train), classes, children, **parameters), examples.take(test)
        found.append(score(model.program_, tested.X, tested.truth, children))
    return found


def split_folds(
    rows: int, classes: Sequence[Any] | None, folds: int, seed: int, groups: Any = None
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield the training rows and the left-out rows of each fold.

    Every fold gets its share of each class, if given, and rows of one group, a pyarrow column, are in one fold.
    """
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    strata = None if classes is None else np.array(list(map(str, classes)))
    if groups is None:
        splitter = (KFold if classes is None else StratifiedKFold)(folds, shuffle=True, random_state=seed)
        yield from splitter.split(np.zeros(rows), strata)
        return
    numbers = groups.combine_chunks().dictionary_encode(null_encoding="encode").indices.to_numpy()
    grouped = GroupKFold(folds) if classes is None else StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    yield from grouped.split(np.zeros(rows), strata, numbers)


def print_folds(found: Sequence[Mapping[str, Any]]) -> None:
    """Write the scores of all folds, and their means, to standard error."""
    cells = [
        (str(place), str(fold["rows"]), f"{fold['f1']:.3f}", f"{fold['accuracy']:.3f}", str(fold["rules"]))
        for place, fold in enumerate(found, 1)
    ]
    means = [sum(fold[name] for fold in found) / len(found) for name in ("f1", "accuracy", "rules")]
    cells.append(("mean", "", f"{means[0]:.3f}", f"{means[1]:.3f}", f"{means[2]:.1f}"))
    head = ("fold", "left-out rows", "F1", "accuracy", "rules")
    print_table(f"{len(found)}-fold cross-validation", head, cells, right=(1, 2, 3, 4))


def score(program: LogicProgram, X: Any, y: Any, children: Tables | None = None) -> dict[str, Any]:
    """Score a program on a table of any library: `rules`, `rows`, `accuracy`, `f1`."""
    scores = measure(program, X, y, tables=children)
    return {name: getattr(scores, name) for name in ("rules", "rows", "accuracy", "f1")}


def about(model: SavedModel, table: str, scores: Mapping[str, Any], folds: Sequence[Mapping[str, Any]]) -> SavedModel:
    """Return the model that knows the name of its table and its scores, which the model card shows."""
    is_binary = model.program_.schema.target.kind == "binary"
    names = {"accuracy": "accuracy", "f1" if is_binary else "macro_f1": "f1"}
    found = {"rows learned from": {name: scores[key] for name, key in names.items()}}
    if folds:
        found[f"{len(folds)}-fold cross-validation"] = {
            name: sum(fold[key] for fold in folds) / len(folds) for name, key in names.items()
        }
    return replace(
        model,
        made_=replace(model.made_ or Made(), table=Path(table).name.encode(errors="replace").decode(), scores=found),
    )


def progress_bar() -> list[Callback] | None:
    """Return the callbacks that show how far learning has got: a bar on a terminal, lines elsewhere."""
    from nln.progress import ProgressBar

    return None if is_quiet() else [ProgressBar(errors_console())]


@contextmanager
def warnings_as_notes(notes: list[str]) -> Iterator[None]:
    """Collect the warnings of the package, each once; columns that are left out have been shown already."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield
    told = dict.fromkeys(str(warning.message) for warning in caught)
    shown = ("Columns without two different values", "Columns that look like identifiers")
    notes += [text for text in told if not text.startswith(shown)]
