"""Model files: a fitted classifier as JSON, and what predicts from it without scikit-learn.

A model file holds the program and what else the classifier knows: the columns seen at fit and the type of its classes.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from nln.made import Made, read_made
from nln.rules import LogicProgram, Schema, memberships, probabilities
from nln.rules.children.reading import Tables
from nln.rules.columns import Inputs, label_array, read_inputs
from nln.rules.explain.counterfactuals import MAX_EVALUATIONS, Counterfactual
from nln.rules.explain.explanations import Explanation, explain_inputs
from nln.rules.notebook import program_html
from nln.rules.path import DialPath, read_path
from nln.rules.program import read_program
from nln.rules.schema import Value
from nln.rules.single import SingleRows
from nln.rules.storage.files import read_json, write_json
from nln.rules.storage.programs import MODEL_FORMAT, PROGRAM_FORMAT, check_header, program_to_dict, version_of
from nln.rules.storage.reading import Node
from nln.rules.validate import listed

_NUMBER_TYPES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
)  # fmt: skip
_CLASS_TYPES = (*_NUMBER_TYPES, "str", "object")


class RuleModel:
    """What a fitted classifier and a saved model share: reading a table, deciding about its rows, explaining why."""

    program_: LogicProgram
    classes_: NDArray[Any]
    made_: Made | None
    path_: DialPath

    def predict_proba(self, X: Any, *, tables: Tables | None = None) -> NDArray[np.float64]:
        """Compute the probability of each class, or of each label of a multi-label target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict, in any form that `nln.rules.read_columns` takes. If the table has names, columns that no
            rule uses may be absent.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        P = self._probabilities(X, tables)  # first of all: it tells whether the model is fitted
        return self.program_.label_probabilities(P)

    def predict(self, X: Any, *, tables: Tables | None = None) -> NDArray[Any]:
        """Decide the class of each row, or the labels of a multi-label target.

        With two classes or several labels, a label is decided from its threshold on (`program_.thresholds`), which was
        chosen on the training rows and need not be 0.5. Of several classes, the most probable one is decided, in
        proportion to their thresholds if there are any. `NLNClassifier(threshold=0.5)` sets the threshold when fitting;
        `model.with_program(dataclasses.replace(model.program_, thresholds=(0.3,)))` changes it afterwards.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to predict, as for `predict_proba`.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_labels)
            Classes, or zeros and ones for several labels.
        """
        P = self._probabilities(X, tables)
        decided = self.program_.decide(P)
        return decided if self.program_.schema.target.kind == "multilabel" else self.classes_[decided]

    def rule_memberships(self, X: Any, *, tables: Tables | None = None) -> NDArray[np.float64]:
        """Compute how far each row satisfies each rule of `program_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, as for `predict_proba`.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        ndarray of shape (n_samples, n_rules)
        """
        columns, n_rows, _ = self._read(X, tables=tables)
        return memberships(self.program_, columns, rows=n_rows)

    def explain(self, X: Any, *, tables: Tables | None = None) -> Explanation | list[Explanation]:
        """Explain decisions: the rules that fired, and those that nearly did.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), dict or series
            Rows to explain, or a single row.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        list of Explanation, or Explanation for a single row
        """
        inputs = self._read(X, tables=tables)
        return explain_inputs(self.program_, inputs, X)

    def counterfactuals(
        self,
        row: Any,
        target: Any = None,
        frozen: str | Collection[str] = (),
        limit: int = 5,
        *,
        missing: bool = False,
        max_evaluations: int = MAX_EVALUATIONS,
        tables: Tables | None = None,
    ) -> list[Counterfactual]:
        """Find the smallest sets of feature changes that turn the decision about a row.

        Parameters
        ----------
        row : mapping or series
            One row.
        target : label or mapping, default=None
            The decision to reach, as `LogicProgram.counterfactuals` takes it. By default any other decision.
        frozen : str or collection of str, default=()
            Features that must not change.
        limit : int, default=5
            The most counterfactuals to return.
        missing : bool, default=False
            Whether a value may become missing.
        max_evaluations : int, default=2_000_000
            The most combinations of changes to evaluate; a search that needs more is an error.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        list of Counterfactual
            Empty if no change of the features that are not frozen can turn the decision.
        """
        self._columns_seen()  # first of all: it tells whether the model is fitted
        return self.program_.counterfactuals(
            row, target, frozen, limit, missing=missing, max_evaluations=max_evaluations, tables=tables
        )

    def with_program(self, program: LogicProgram) -> SavedModel:
        """Return a model with other rules for the same table: edited ones, or another stage of the dial.

        Parameters
        ----------
        program : LogicProgram
            Rules about columns that this model knows, for the same classes or labels.

        Returns
        -------
        SavedModel
            It predicts, explains and can be saved. The columns, the type of the classes and `made_` are this model's;
            scores and importances are left out, since they belong to its rules.

        Examples
        --------
        >>> import nln
        >>> model = nln.NLNClassifier(random_state=0).fit([[0], [1], [2], [3]] * 9, [0, 0, 1, 1] * 9)
        >>> edited = nln.edit(model.program_).change(1, "x0 >= 3", reason="the new guideline")
        >>> model.with_program(edited.program).predict([[2], [3]])
        array([0, 1])
        """
        names, named = self._columns_seen()
        if program.schema.target.labels != self.program_.schema.target.labels:
            known, given = (listed(one.schema.target.labels) for one in (self.program_, program))
            raise ValueError(
                f"The program decides {given}, but the model {known}. Give a program for the same classes."
            )
        check_known(program, names)
        made = None if self.made_ is None else replace(self.made_, scores={})
        return SavedModel(program, self.classes_, names, named, made)

    def at(self, n_rules: int) -> LogicProgram:
        """Return the program of the dial with the most rules up to a number, without fitting again.

        Parameters
        ----------
        n_rules : int
            The most rules the program may have.

        Returns
        -------
        LogicProgram

        Examples
        --------
        >>> from nln import NLNClassifier
        >>> from nln.datasets import load_wine
        >>> model = NLNClassifier(random_state=0).fit(*load_wine())
        >>> model.at(n_rules=4).n_rules <= 4
        True
        """
        self._columns_seen()  # it tells whether the model is fitted
        return self.path_.at(n_rules)

    def _columns_seen(self) -> tuple[tuple[str, ...], bool]:
        """Names of the columns seen at fit, and whether they were the table's own."""
        raise NotImplementedError

    def _saved(self) -> SavedModel:
        """The model without its learning."""
        raise NotImplementedError

    def _read(
        self,
        X: Any,
        needed: Iterable[str] = (),
        if_present: Iterable[str] = (),
        tables: Tables | None = None,
    ) -> Inputs:
        """Read the columns that rules ask about, those of `needed`, and those of `if_present` that the table has."""
        names, named = self._columns_seen()
        return read_inputs(
            X,
            self.program_.schema,
            only={*self.program_.features_used, *needed},
            if_present=if_present,
            names=names,
            named=named,
            model=type(self).__name__,
            tables=tables,
        )

    def _probabilities(self, X: Any, tables: Tables | None = None) -> NDArray[np.float64]:
        if type(X) is dict and not tables:
            found = _single_rows(self).probabilities(X)
            if found is not None:
                return found
        columns, n_rows, _ = self._read(X, tables=tables)
        return probabilities(self.program_, columns, rows=n_rows)


_PREPARED: WeakKeyDictionary[RuleModel, SingleRows] = WeakKeyDictionary()
"""Of models that were asked about a single row. Attributes of an estimator may not change when it predicts."""


def _single_rows(model: RuleModel) -> SingleRows:
    """What decides about single rows by the model's program, made once for each program."""
    model._columns_seen()  # it tells whether the model is fitted
    prepared = _PREPARED.get(model)
    if prepared is None or prepared.program is not model.program_:
        prepared = _PREPARED[model] = SingleRows(model.program_)
    return prepared


@dataclass(frozen=True, eq=False)
class SavedModel(RuleModel):
    """A fitted classifier without its learning: it predicts and explains as the classifier did.

    Parameters
    ----------
    program_ : LogicProgram
        The rules.
    classes_ : ndarray of shape (n_classes,)
        The labels in the type that `predict` returns.
    names : tuple of str
        Columns seen at fit, including those that were left out because they tell nothing.
    named : bool
        Whether these were the table's own names. If not, or if a new table has none, columns match by position.
    made_ : Made, default=None
        How the model was made: the date, the seed, the rows, the versions.
    importances : tuple of float, default=()
        For each column its share of the error that the rules explain; empty if it was not measured.
    path_ : DialPath, default=DialPath()
        The dial: for each price, the loss on left-out rows and the program.

    Examples
    --------
    >>> from nln.rules import Feature, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.9)", schema=schema)
    >>> model = SavedModel(program, np.array(["no", "yes"]), ("x",), named=True)
    >>> model.predict({"x": [2.5, 3.5]})
    array(['yes', 'no'], dtype='<U3')
    """

    program_: LogicProgram
    classes_: NDArray[Any]
    names: tuple[str, ...]
    named: bool
    made_: Made | None = None
    importances: tuple[float, ...] = ()
    path_: DialPath = field(default_factory=DialPath)

    def _repr_html_(self) -> str:
        return program_html(self.program_)

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

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each column in the error that the rules explain, if it was measured."""
        if not self.importances:
            raise AttributeError("The importance of the columns was not measured.")
        return np.array(self.importances)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, replaced as a whole or not at all; `load_model` reads it."""
        write_json(self.to_dict(), path)

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON form as plain data."""
        made = {} if self.made_ is None else {"made": self.made_.to_dict()}
        importances = {"importances": list(self.importances)} if self.importances else {}
        return {
            "format": MODEL_FORMAT,
            "version": version_of(self.program_.schema),
            "columns": list(self.names),
            "named": self.named,
            "class_type": _class_type(self.classes_),
            **importances,
            **made,
            "program": program_to_dict(self.program_, self.path_.features_used),
            **({"path": [point.to_dict() for point in self.path_]} if self.path_ else {}),
        }

    def _columns_seen(self) -> tuple[tuple[str, ...], bool]:
        return self.names, self.named

    def _saved(self) -> SavedModel:
        return self


def check_known(program: LogicProgram, names: Collection[str]) -> None:
    """Refuse a program over a schema with features that are read from other columns than these."""
    known = set(names)
    unknown = [name for name in program.schema.columns if name not in known]
    if unknown:
        raise ValueError(f"The table lacks the column {unknown[0]!r} of the program.")


def read_inputs_for(
    model: Any,
    X: Any,
    *,
    needed: Iterable[str] = (),
    if_present: Iterable[str] = (),
    tables: Tables | None = None,
) -> Inputs:
    """Read the columns that rules ask about, those of `needed`, and those of `if_present` that the table has."""
    if isinstance(model, RuleModel):
        return model._read(X, needed, if_present, tables)
    program: LogicProgram = getattr(model, "program_", model)
    wanted = {*program.features_used, *needed}
    return read_inputs(X, program.schema, only=wanted, if_present=if_present, tables=tables)


def saved_model(model: Any) -> SavedModel:
    """Return a model without its learning; of a program, a model that takes the columns of its schema by name."""
    return model._saved() if isinstance(model, RuleModel) else model_of(getattr(model, "program_", model))


def load_model(path: str | os.PathLike[str]) -> SavedModel:
    """Read a file that `save` of a classifier, a model or a program wrote; needs NumPy alone.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    SavedModel
        It predicts and explains as the classifier did. A program alone takes the columns of its schema by name.

    Raises
    ------
    ModelFormatError
        If the file is neither a model nor a program; the message names the place.

    Examples
    --------
    >>> import tempfile
    >>> from nln.rules import Feature, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", (0, 1)))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = 1 (weight 0.9)", schema=schema)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     SavedModel(program, np.array([0, 1]), ("x",), named=True).save(f"{folder}/model.json")
    ...     load_model(f"{folder}/model.json").predict([{"x": 2}])
    array([1])
    """
    return model_from_dict(read_json(path))


def model_from_dict(document: Any) -> SavedModel:
    """Read the JSON form of a model or a program as plain data, as `to_dict` of both gives it."""
    if isinstance(document, dict) and document.get("format") == PROGRAM_FORMAT:
        return model_of(LogicProgram.from_dict(document))
    node = Node(document)
    check_header(node, MODEL_FORMAT)
    required = ("format", "version", "columns", "named", "class_type", "program")
    fields = node.fields(required, ("made", "importances", "path"))
    names = tuple(item.text() for item in fields["columns"].items())
    program = read_program(fields["program"])
    if len(set(names)) != len(names):
        raise fields["columns"].error("names a column twice.")
    with fields["columns"].located():
        check_known(program, names)
    kind = fields["class_type"].choice(_CLASS_TYPES)
    with fields["class_type"].located():
        classes = _class_array(program.schema.target.labels, kind)
    made = read_made(fields["made"]) if "made" in fields else None
    importances = (
        tuple(share.probability() for share in fields["importances"].items()) if "importances" in fields else ()
    )
    if importances and len(importances) != len(names):
        raise fields["importances"].error(f"must have one entry per column, {len(names)}, not {len(importances)}.")
    path = read_path(fields["path"], program.schema) if "path" in fields else DialPath()
    return SavedModel(program, classes, names, fields["named"].flag(), made, importances, path)


def model_of(program: LogicProgram) -> SavedModel:
    """Make a model of a program that was not fitted; it takes the columns of its schema by name."""
    return SavedModel(program, label_array(program.schema.target.labels), program.schema.columns, named=True)


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
        typed = None
    if typed is None or typed.tolist() != list(labels):
        raise ValueError(f"{kind!r} does not hold the labels {labels!r}.")
    return typed
