"""Model files: a fitted classifier as JSON, and what predicts from it without scikit-learn and Numba.

A model file holds the program and what else the classifier knows: the columns seen at fit and the type of its classes.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.rules import LogicProgram, Schema, memberships, probabilities, read_columns
from nln.rules.columns import Column, count_rows
from nln.rules.explain.explanations import Explanation
from nln.rules.program import label_array, read_program
from nln.rules.row import as_row
from nln.rules.schema import Value
from nln.rules.storage.files import read_json, write_json
from nln.rules.storage.programs import MODEL_FORMAT, VERSION, check_header, program_to_dict
from nln.rules.storage.reading import Node

_NUMBER_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
)  # fmt: skip
_CLASS_TYPES = (*_NUMBER_TYPES, "str", "object")


@dataclass(frozen=True, eq=False)
class SavedModel:
    """A fitted classifier without its learning: it predicts and explains as the classifier did.

    Parameters
    ----------
    program_ : LogicProgram
        The rules.
    classes_ : array of shape (labels,)
        The labels in the type that `predict` returns.
    names : tuple of str
        Columns seen at fit, including those that were left out because they tell nothing.
    named : bool
        Whether these were the table's own names. If not, or if a new table has none, columns match by position.

    Examples
    --------
    >>> from nln.rules import Feature, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (0.9)", schema=schema)
    >>> model = SavedModel(program, np.array(["no", "yes"]), ("x",), named=True)
    >>> model.predict({"x": [2.5, 3.5]})
    array(['yes', 'no'], dtype='<U3')
    """

    program_: LogicProgram
    classes_: NDArray[Any]
    names: tuple[str, ...]
    named: bool

    @property
    def schema_(self) -> Schema:
        """Kinds and values of the features, and the target."""
        return self.program_.schema

    @property
    def n_features_in_(self) -> int:
        """Number of columns seen at fit."""
        return len(self.names)

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """Names of the columns seen at fit, if the table had names."""
        if not self.named:
            raise AttributeError("The model was fitted on a table without column names.")
        return np.array(self.names, dtype=object)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row, or a matrix of zeros and ones for a multi-label target.

        Parameters
        ----------
        X : table
            Any form that `nln.rules.read_columns` takes, with the columns seen at fit; of a table with names only the
            columns that rules ask about are needed.
        """
        columns, rows = self._read(X)
        decided = self.program_.decide(probabilities(self.program_, columns, rows=rows))
        return decided if self.schema_.target.kind == "multilabel" else self.classes_[decided]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probability of each class, (rows, classes), or of each label, (rows, labels)."""
        columns, rows = self._read(X)
        return self.program_.label_probabilities(probabilities(self.program_, columns, rows=rows))

    def rule_memberships(self, X: Any) -> NDArray[np.float64]:
        """How far each row satisfies each rule, (rows, rules)."""
        columns, rows = self._read(X)
        return memberships(self.program_, columns, rows=rows)

    def explain(self, X: Any) -> Explanation | list[Explanation]:
        """Explain the decision about one row (a mapping or a series) or about each row of a table."""
        row = as_row(X, self.program_.features_used)
        return self.program_.explain(_by_name(X, self.names, named=self.named) if row is None else row)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, replaced as a whole or not at all; `load_model` reads it."""
        write_json(self.to_dict(), path)

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON form as plain data."""
        return {
            "format": MODEL_FORMAT,
            "version": VERSION,
            "columns": list(self.names),
            "named": self.named,
            "class_type": _class_type(self.classes_),
            "program": program_to_dict(self.program_),
        }

    def _read(self, X: Any) -> tuple[dict[str, Column], int]:
        table = _by_name(X, self.names, named=self.named)
        columns = read_columns(table, self.schema_, only=self.program_.features_used)
        rows = len(next(iter(columns.values()))) if columns else count_rows(table, self.schema_)
        return columns, rows


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read a model file that the classifier's `save` wrote; needs neither scikit-learn nor Numba.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    SavedModel
        It predicts and explains as the classifier did.

    Raises
    ------
    ModelFormatError
        If the file is not a model; the message names the place.

    Examples
    --------
    >>> import tempfile
    >>> from nln.rules import Feature, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", (0, 1)))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = 1 (0.9)", schema=schema)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     SavedModel(program, np.array([0, 1]), ("x",), named=True).save(f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json").predict([{"x": 2}])
    array([1])
    """
    return model_from_dict(read_json(path))


def model_from_dict(document: Any) -> SavedModel:
    """Read the JSON form of a model as plain data, as `SavedModel.to_dict` gives it."""
    node = Node(document)
    check_header(node, MODEL_FORMAT)
    fields = node.fields(("format", "version", "columns", "named", "class_type", "program"))
    names = tuple(item.text() for item in fields["columns"].items())
    program = read_program(fields["program"])
    if len(set(names)) != len(names):
        raise fields["columns"].error("names a column twice.")
    unknown = [name for name in program.schema.names if name not in names]
    if unknown:
        raise fields["columns"].error(f"lacks the feature {unknown[0]!r} of the program.")
    kind = fields["class_type"].choice(_CLASS_TYPES)
    with fields["class_type"].located():
        classes = _class_array(program.schema.target.labels, kind)
    return SavedModel(program, classes, names, fields["named"].flag())


def model_of(program: LogicProgram) -> SavedModel:
    """Make a model of a program that was composed or written rather than fitted.

    Parameters
    ----------
    program : LogicProgram
        The rules; the model takes the columns of its schema, by name.

    Examples
    --------
    >>> from nln.rules import Feature, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> model_of(LogicProgram.parse("IF x < 3 THEN class = yes", schema=schema)).predict({"x": [2.5, 3.5]})
    array(['yes', 'no'], dtype='<U3')
    """
    return SavedModel(program, label_array(program.schema.target.labels), program.schema.names, named=True)


def _class_type(classes: NDArray[Any]) -> str:
    if classes.dtype.name in _NUMBER_TYPES:
        return classes.dtype.name
    # Of other number types (long doubles) and text types (of NumPy 2) the nearest that every NumPy has.
    return {"U": "str", "T": "str", "f": "float64"}.get(classes.dtype.kind, "object")


def _class_array(labels: tuple[Value, ...], kind: str) -> NDArray[Any]:
    classes = np.array(labels, dtype=object)
    if kind == "object":
        return classes
    if any(isinstance(label, str) != (kind == "str") for label in labels):
        raise ValueError(f"{kind!r} does not fit the labels {labels!r}.")
    try:
        with np.errstate(all="ignore"):
            typed = classes.astype(kind)
    except OverflowError:
        raise ValueError(f"{kind!r} does not hold the labels {labels!r}.") from None
    if typed.tolist() != list(labels):
        raise ValueError(f"{kind!r} does not hold the labels {labels!r}.")
    return typed


def _by_name(X: Any, names: tuple[str, ...], *, named: bool) -> Any:
    """Bring a table into a form whose columns bear the names at fit; by position where one side has no names."""
    if isinstance(X, Mapping) or (isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X)):
        return X
    keys = _keys(X)
    own = keys is not None and bool(keys) and all(isinstance(key, str) for key in keys)
    if named and own:
        return X
    if keys is None:
        array = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
        if array.ndim != 2:
            raise ValueError(f"A table has rows and columns, but this array has shape {array.shape}.")
        columns = list(array.T)
    else:
        columns = [X[key] for key in keys]
    if len(columns) != len(names):
        raise ValueError(f"X has {len(columns)} features, but the model is expecting {len(names)} features as input.")
    if named != own:
        had, has = ("with", "does not have valid") if named else ("without", "has")
        warnings.warn(
            f"X {has} feature names, but the model was fitted {had} feature names: columns are matched by position.",
            UserWarning,
            stacklevel=4,
        )
    return dict(zip(names, columns, strict=True))


def _keys(X: Any) -> list[Any] | None:
    """Keys of a frame's columns; None for an array or a list of rows."""
    if isinstance(X, np.ndarray):
        return None if X.dtype.names is None else list(X.dtype.names)
    for name in ("column_names", "columns"):
        keys = getattr(X, name, None)
        if keys is not None:
            return list(keys)
    return None
