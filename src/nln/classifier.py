"""`NLNClassifier`, the scikit-learn estimator: it checks, calls the layers below, and keeps what they return."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from nln.checks import (
    check_children,
    check_class_weight,
    check_kinds,
    check_text,
    check_two_classes,
    check_weights,
    make_settings,
    relative_weights,
)
from nln.learning.constraints import Constraints
from nln.learning.derived.table import TableRows
from nln.learning.learn import Learned, learn
from nln.learning.options import COORDINATE, PRESETS, LanguageOptions, LearningSettings
from nln.learning.paper.method import PaperLearned, learn_paper
from nln.learning.prior import Prior, make_prior, named_places
from nln.learning.selection.best_condition import best_conditions
from nln.learning.selection.path import LeftOut
from nln.learning.selection.to_program import to_program
from nln.learning.sizes import check_sizes
from nln.made import Made, made_now
from nln.model import RuleModel, SavedModel, check_known
from nln.network.callbacks import Callback, announce
from nln.network.options import TrainingOptions
from nln.network.training import Network
from nln.rules import Feature, LogicProgram, Schema, memberships
from nln.rules.cells import Array
from nln.rules.children.reading import Tables, linked_columns
from nln.rules.columns import label_array, read_inputs, read_truth
from nln.rules.derived.kinds import with_derived
from nln.rules.evaluate import combine
from nln.rules.importance import feature_importances
from nln.rules.language.text import conditions_text, coverage_text
from nln.rules.notebook import program_html
from nln.rules.path import DialPath, PathPoint
from nln.rules.simplify import order_rules
from nln.rules.summary import BACKENDS
from nln.rules.thresholds import Bools, choose_thresholds
from nln.tables.association import find_suspects, suspect_notes
from nln.tables.children import Children, read_children
from nln.tables.encoding import Columns, EncodedRows, Encoding, Floats, frequent_values, make_encoding, merge_rows
from nln.tables.frames import Table, read_table
from nln.tables.groups import read_groups
from nln.tables.identifiers import find_identifiers, identifier_notes
from nln.tables.infer import infer_features
from nln.tables.target import read_target

LEARNED = ("_names", "_named", "_backend")
"""What `fit` remembers besides the attributes that end in an underscore."""

_NO_RULES = (
    "No rule was learned: none predicts left-out rows better than the frequencies in the target alone. What may help: "
    "more rows, other columns, and feature_types= for columns that were read wrongly. A lower price= still gives "
    "rules, but they explain the training rows only."
)
_MOST_SHOWN = 5
"""Most classes for which `fit` shows the best single condition if it learned no rule."""


class NLNClassifier(ClassifierMixin, RuleModel, BaseEstimator):  # type: ignore[misc]
    """Learn a short logic program, IF-THEN rules with probabilities, from a table.

    Parameters
    ----------
    n_rules : int, default=None
        Rule modules of each network. This limits how widely learning searches. It is not the number of rules you get.
        None means 128, and with more than 10 classes 12 for each class, but at most 512.
    starts : int, default=None
        Number of networks, each trained from its own random weights. More starts find more of the true rules and make
        the program steadier. The time grows in proportion. None means 5, 3 for more than 10,000 rows or 100,000
        targets (rows times classes or labels), and 10 for a committee (`size`).
    price : float, default=None
        Squared error, in rows, that each literal (a value listed, a boundary) must save. A higher price gives fewer and
        shorter rules. None chooses the price on left-out rows.
    size : {"short", "balanced", "accurate"}, default=None
        Which program is taken. "balanced" is one of few rules that is about as good on left-out rows as any. "short"
        takes a shorter one if it loses little there, which "balanced" does, too, as long as there are more than ten
        rules. "accurate" keeps the rules of 10 starts side by side, a committee in one program that is several times as
        long: what one start owes to chance the others outvote. None means "balanced".
    threshold : {"both", "f1", "accuracy"} or float, default=None
        Probability from which a label is decided. With two classes or several labels, it is chosen for the best mean F1
        of both sides ("f1"), for the best accuracy, or for the best mean of the two F1 scores and the accuracy
        ("both"); or given as a number. Rows that were left out while learning choose it, on a long table all training
        rows. Several labels have one each, or one for all ("both shared", "f1 shared", "accuracy shared"). With several
        classes, the most probable class is decided; but "both" and "f1" give each class a threshold that divides its
        probability, if that clearly raises the mean F1. None means "both", and "accuracy" with the preset "paper".
    feature_types : dict or str, default=None
        Kinds of columns where they should not be inferred: "binary", "categorical", "ordinal", "continuous",
        "probability", "date" ("date:dmy" and "date:mdy" if day or month come first), a list of values in order,
        `Periodic(24)`, a `Hierarchy((1, 3, 5))` of codes by their first characters, a `Distribution` of several
        columns, or a further column that is `Calculated` from others. Columns that look like identifiers (row numbers,
        keys, names) are not used unless this names them.
    class_weight : dict or "balanced", default=None
        Weights of the classes. Rules for a heavier class earn their price sooner.
    training : TrainingOptions, default=None
        How the networks are trained.
    language : LanguageOptions or "plain", default=None
        What rules may say: the most rules, the most conditions, the fewest rows, no `!=`, no unions of intervals, crisp
        boundaries only. "plain" is for rules that read as people write them: at most three conditions, each of
        one crisp interval, no partly missing values; `LanguageOptions.plain(max_rules=5)` adds to it.
    preset : {"default", "paper"}, default=None
        Values of the parameters that are None. "paper" is the method of the paper with its authors' settings: one
        network trained for up to 3,000 epochs, descending selection, retraining by gradient, pruning, coverage
        analysis. It is slower and gives more and longer rules. None means "default".
    discretization : str, default=None
        How networks become rules. "coordinate" is logic coordinate descent on the pooled rules of all starts. The
        others ("descending", "ascending", "subtractive", "additive", "threshold", "stochastic", "quantile") apply the
        paper's steps to the network with the smallest validation loss. With these, literals have no price, and only the
        negation of `language` counts. None means "coordinate", and "descending" with the preset "paper".
    constraints : Constraints, default=None
        What all rules must obey: forbidden and required features, monotone features, the most rules of a target,
        preferred features.
    initial_program : LogicProgram or str, default=None
        Rules to start from, as a program or its text. They become rule modules of each network, and the descent can
        also choose them as written. `Constraints(fixed_rules=True)` keeps their conditions.
    callbacks : list of Callback, default=None
        Called at every epoch and stage, for example to show a progress bar.
    random_state : int, RandomState instance or None, default=None
        Seed. The same data, seed and version give the same program on any number of threads.
    n_jobs : int, default=None
        Number of threads. None means all cores.

    Attributes
    ----------
    program_ : LogicProgram
        The rules. `print(model.program_)` shows them.
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order (the positive class is the second of two), or the labels of a multi-label target.
    schema_ : Schema
        Kinds and values of the features, and the target.
    network_ : Network
        The soft network with the best validation loss.
    history_ : list of History
        What happened in training, one entry per start.
    path_ : tuple of PathPoint
        The dial between accuracy and simplicity: for each price, the loss on left-out rows and the program. It is empty
        where literals have no price.
    price_ : float or None
        The price that was used.
    n_features_in_ : int
        Number of columns given to `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of these columns, if they have names.
    feature_importances_ : ndarray of shape (n_features,)
        For each column, its share of the error that the rules explain on the training rows: how much the squared error
        rises if each condition on the column counts, in every row, as its mean membership. The shares sum to 1, or are
        all 0 if there is no rule. Of two columns that tell the same, one may have it all.
    made_ : Made
        How the model was made: the date, the seed, the rows, the versions.

    Examples
    --------
    >>> from nln import NLNClassifier
    >>> from nln.datasets import load_tic_tac_toe
    >>> X, y = load_tic_tac_toe()
    >>> model = NLNClassifier(random_state=0).fit(X, y)
    >>> model.program_
    <LogicProgram: 8 rules of mean size 3.00 for class = positive>
    >>> float(model.score(X, y))
    1.0
    """

    def __init__(
        self,
        *,
        n_rules: int | None = None,
        starts: int | None = None,
        price: float | None = None,
        size: str | None = None,
        threshold: float | str | None = None,
        feature_types: Any = None,
        class_weight: Any = None,
        training: TrainingOptions | None = None,
        language: LanguageOptions | str | None = None,
        preset: str | None = None,
        discretization: str | None = None,
        constraints: Constraints | None = None,
        initial_program: LogicProgram | str | None = None,
        callbacks: Sequence[Callback] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_rules = n_rules
        self.starts = starts
        self.price = price
        self.size = size
        self.threshold = threshold
        self.feature_types = feature_types
        self.class_weight = class_weight
        self.training = training
        self.language = language
        self.preset = preset
        self.discretization = discretization
        self.constraints = constraints
        self.initial_program = initial_program
        self.callbacks = callbacks
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, *, tables: Any = None) -> Self:
        """Learn a program.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            A table of pandas, polars, pyarrow or NumPy. Mixed types and missing values are welcome.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Classes, or zeros and ones with one column per label for a multi-label target.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts compared with the others. Only the ratios matter. A weight does not say how often
            a row was observed: if it was observed twice, give it twice.
        groups : array-like of shape (n_samples,), default=None
            Which rows belong together, such as the visits of one patient. Rows of a group are left out together
            wherever learning tests rules on left-out rows, so that rules cannot profit from knowing the patient.
        tables : dict of str to Child, default=None
            Tables whose rows belong to rows of X, such as the visits of each patient, by the names that rules call
            them. Rules may then ask how many of these rows satisfy some conditions: `at least 2 visits (dept = ER)`.

        Returns
        -------
        NLNClassifier
            The fitted classifier.
        """
        self._forget()
        settings = make_settings(self)
        table = read_table(X)
        target, outputs, classes = read_target(y, table.n_rows)
        settings = settings.for_target(target)
        weights = self._weights(sample_weight, y, target.kind, table.n_rows)
        grouped = read_groups(groups, table.n_rows)
        children = read_children(check_children(self, tables, settings), table)
        kept = weights > 0
        if not kept.all():
            table, outputs, weights = table.take(kept), outputs[kept], weights[kept]
            grouped = None if grouped is None else grouped[kept]
            children = children.take(kept)
        weights = relative_weights(weights)
        check_two_classes(outputs, target.kind)
        features, columns, set_aside = self._features(table, children)
        schema = Schema(features, target, children.tables)
        check_kinds(schema, settings)
        prior = make_prior(self.constraints, self.initial_program, schema, table.names, settings)
        encoding = make_encoding(prior.allowed(features), columns, weights, named=named_places(prior.program))
        codes = encoding.codes(columns, len(outputs))
        settings = settings.for_table(codes.shape[1], outputs.shape[1])
        notes = identifier_notes(set_aside) + suspect_notes(find_suspects(encoding, codes, outputs, target))
        for note in notes:
            warnings.warn(note, stacklevel=2)
        rows = merge_rows(codes, outputs, weights, grouped)
        check_sizes(encoding, rows, settings, whole=bool(children.bags))
        with told(settings, *rows.targets.shape):
            table_rows = TableRows(schema, columns, codes, outputs, weights, grouped, children.bags)
            learned = _learn(encoding, schema, rows, settings, prior, table_rows)
            if isinstance(learned, Learned) and learned.calculated:
                encoding, schema = learned.encoding, schema.with_features(learned.calculated)
                columns = with_derived(columns, schema, schema.names, children.bags)
            announce(settings.callbacks, "writing the rules")
            self._remember(table.names, table.named, table.backend, classes, schema, learned.networks)
            self.made_ = made_now(rows=table.n_rows, seed=settings.seed, notes=notes)
            self.path_ = DialPath()
            self.price_: float | None = None
            training_rows = columns, outputs > 0.5, weights
            if isinstance(learned, PaperLearned):
                program = order_rules(self._complete(learned.program, *training_rows))
            else:
                self.path_ = self._write_path(learned, schema, *training_rows)
                chosen = self.path_[learned.chosen]
                self.price_, program = chosen.price, chosen.program
            self._decide_by(program, *training_rows)
            self._keep_values(frequent_values(schema, encoding))
        if not self.program_.rules:
            warnings.warn(_no_rules(encoding, rows, schema, learned), stacklevel=2)
        return self

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, tables: Tables | None = None) -> float:
        """Compute the share of rows that are decided correctly; for labels, those where all labels are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to decide.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Their classes or labels.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each row counts.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        float
        """
        from sklearn.metrics import accuracy_score

        return float(accuracy_score(y, self.predict(X, tables=tables), sample_weight=sample_weight))

    @classmethod
    def from_program(cls, program: LogicProgram, X: Any = None, y: Any = None, *, tables: Tables | None = None) -> Self:
        """Make a fitted classifier of a program that was written, edited, merged or chosen by hand.

        The rules, their weights and the probability without rules stay as they are. Parameters have their defaults, and
        there is no network and no dial. Scikit-learn's `clone`, which cross-validation calls, gives an unfitted
        classifier that learns anew; wrap this one in `sklearn.frozen.FrozenEstimator` to score the program as it is.

        Parameters
        ----------
        program : LogicProgram
            The rules.
        X : array-like of shape (n_samples, n_features), default=None
            A table. It says which columns later tables have. By default they have those of the program's schema.
        y : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            The true classes of the rows, or 0 and 1 for each label. They decide the thresholds, as in
            `fit`, the counts of covered rows, and `feature_importances_`. By default the program keeps its thresholds
            and counts, and importances are not known. `program.with_coverage(X, y)` counts rows alone.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        NLNClassifier
            A fitted classifier, which predicts, explains, writes reports and can be saved.

        Examples
        --------
        >>> import pandas as pd
        >>> from nln import NLNClassifier
        >>> from nln.rules import Feature, Schema, Target
        >>> schema = Schema((Feature("age", "continuous"),), Target("risk", "binary", ("low", "high")))
        >>> program = LogicProgram.parse("IF age >= 60 THEN risk = high (weight 0.3)", schema=schema)
        >>> X, y = pd.DataFrame({"age": [35, 50, 64, 71]}), ["low", "low", "high", "high"]
        >>> NLNClassifier.from_program(program).predict(X).tolist()
        ['low', 'low', 'low', 'low']
        >>> NLNClassifier.from_program(program, X, y).predict(X).tolist()
        ['low', 'low', 'high', 'high']
        """
        if not isinstance(program, LogicProgram):
            raise TypeError(f"from_program takes a LogicProgram, not {type(program).__name__}.")
        if X is None and y is not None:
            raise ValueError("from_program takes y together with X, the rows that it belongs to.")
        model, schema = cls(), program.schema
        names, named, backend = schema.columns, True, None
        if X is not None:
            table = read_table(X)
            if table.named or len(table.names) != len(names):  # else columns match by position
                names = table.names
                check_known(program, names)
            named, backend = table.named, table.backend
        model._remember(names, named, backend, label_array(schema.target.labels), schema, ())
        model.path_, model.price_ = DialPath(), None
        if y is None:
            model.made_, model.program_ = made_now(), program
            return model
        used = program.features_used
        columns, n_rows, _ = read_inputs(X, schema, only=used, names=names, named=named, tables=tables)
        rows = columns, read_truth(y, schema, n_rows), np.ones(n_rows)
        model.made_ = made_now(rows=n_rows)
        model._decide_by(model._complete(program, *rows), *rows)
        return model

    def to_frame(self) -> Any:
        """Describe each rule in one row of a data frame, with the columns of `LogicProgram.to_records`.

        Returns
        -------
        DataFrame
            Of polars or pandas, whichever `fit` was given. After other tables, whichever is installed.

        Examples
        --------
        >>> import pandas as pd
        >>> from nln import NLNClassifier
        >>> model = NLNClassifier(random_state=0).fit(pd.DataFrame({"x": [1, 2, 3, 4] * 9}), [0, 0, 1, 1] * 9)
        >>> model.to_frame()[["label", "size", "rows"]]
           label  size  rows
        0      1     1    18
        """
        check_is_fitted(self)
        return self.program_.to_frame(self._backend if self._backend in BACKENDS else None)

    def save(self, path: str | os.PathLike[str], *, table: str | None = None) -> None:
        """Write the program and what predicting needs to a JSON file, which `nln.load_model` reads.

        Parameters
        ----------
        path : str or path-like
            The file to write.
        table : str, default=None
            The name of the table learned from, which reports and model cards show.
        """
        model = self._saved()
        (model if table is None else replace(model, made_=replace(self.made_ or Made(), table=table))).save(path)

    def report(
        self,
        X: Any,
        y: Any,
        path: str | os.PathLike[str] = "report.html",
        *,
        include_rows: bool | int = False,
        title: str | None = None,
        audit: Any = None,
        force: bool = False,
        tables: Tables | None = None,
    ) -> Path:
        """Write one HTML file with the rules, their scores on a table, and tools to try them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows to score the rules on.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Their classes or labels.
        path : str or path-like, default="report.html"
            The file to write.
        include_rows : bool or int, default=False
            Whether the file holds the rows, or how many of them. With rows, scores follow edits.
        title : str, default=None
            Heading of the page.
        audit : Audit, default=None
            Result of `nln.audit`, shown as a section.
        force : bool, default=False
            Whether to replace an existing file.
        tables : mapping of str to Child or table, default=None
            The child tables whose rows the rules count, by their names.

        Returns
        -------
        Path
            The file written.
        """
        from nln.report import write_report

        check_is_fitted(self)
        return write_report(
            self, X, y, path, include_rows=include_rows, title=title, audit=audit, force=force, tables=tables
        )

    def _saved(self) -> SavedModel:
        check_is_fitted(self)
        importances = tuple(getattr(self, "feature_importances_", np.array([])).tolist())
        path = DialPath(self.path_)
        return SavedModel(self.program_, self.classes_, self._names, self._named, self.made_, importances, path)

    def __sklearn_is_fitted__(self) -> bool:
        """Whether `fit` has finished."""
        return hasattr(self, "program_")

    def __sklearn_tags__(self) -> Tags:
        """Tell scikit-learn what the classifier takes."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.classifier_tags.multi_label = True
        return tags

    def _repr_html_inner(self) -> str:
        return self._with_rules(super()._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Show notebooks the diagram of scikit-learn and, once fitted, the rules below it."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {kind: self._with_rules(shown) if kind == "text/html" else shown for kind, shown in bundle.items()}

    def _with_rules(self, diagram: str) -> str:
        return diagram + program_html(self.program_) if self.__sklearn_is_fitted__() else diagram

    def _columns_seen(self) -> tuple[tuple[str, ...], bool]:
        check_is_fitted(self)
        return self._names, self._named

    def _forget(self) -> None:
        """Drop what an earlier `fit` left, so that an interrupted `fit` leaves no half-fitted model."""
        for name in [name for name in vars(self) if name.endswith("_") or name in LEARNED]:
            delattr(self, name)

    def _remember(
        self,
        names: tuple[str, ...],
        named: bool,
        backend: str | None,
        classes: npt.NDArray[Any],
        schema: Schema,
        networks: tuple[Network, ...],
    ) -> None:
        self._names, self._named, self._backend = names, named, backend
        self.n_features_in_ = len(names)
        if named:
            self.feature_names_in_ = np.array(names, dtype=object)
        self.classes_ = classes
        self.schema_ = schema
        self.network_ = min(networks, key=lambda network: network.validation_loss, default=None)
        self.history_ = [network.history for network in networks]

    def _features(
        self, table: Table, children: Children
    ) -> tuple[tuple[Feature, ...], dict[str, Array], dict[str, str]]:
        """Features with their columns, the numbers of children among them, and what looks like an identifier."""
        kept = table.select(name for name in table.names if name not in children.keys) if children.keys else table
        features, columns = infer_features(kept, self.feature_types)
        set_aside = find_identifiers(features, columns, self._asked_for(table.names, features)) if table.named else {}
        features = tuple(feature for feature in features if feature.name not in set_aside)
        check_text(features)
        counts, more = children.counts(any_will_do=not features)
        return (*features, *counts), {**columns, **more}, set_aside

    def _asked_for(self, names: Sequence[str], features: Sequence[Feature]) -> set[str]:
        """Columns that a parameter names: they are used, also if they look like identifiers."""
        types = self.feature_types or {}
        asked_for = {*names} if isinstance(types, str) else {*types}
        asked_for |= {parent for f in features if f.derived is not None for parent in f.derived.features}
        if self.constraints is not None:
            asked_for |= {*self.constraints.named()}
        initial = self.initial_program
        if isinstance(initial, str):
            asked_for |= {name for name in names if name in initial}
        return asked_for | {*(initial.features_used if isinstance(initial, LogicProgram) else ())}

    def _weights(self, sample_weight: Any, y: Any, kind: str, n_rows: int) -> Floats:
        weights = check_weights(sample_weight, n_rows)
        if self.class_weight is not None:
            if kind == "multilabel":
                raise ValueError("class_weight is for classes; give sample_weight for a multi-label target.")
            check_class_weight(self.class_weight)
            weights = check_weights(compute_sample_weight(self.class_weight, np.asarray(y).ravel()), n_rows) * weights
        return weights

    def _write_path(
        self, learned: Learned, schema: Schema, columns: Columns, truth: Bools, weights: Floats
    ) -> DialPath:
        """Write the program of every stage of the dial."""
        points, left_out = [], learned.left_out or (None,) * len(learned.stages)
        for stage, price, loss, rows in zip(
            learned.stages, learned.prices.tolist(), learned.validation_losses.tolist(), left_out, strict=True
        ):
            program = self._complete(to_program(stage, learned, schema), columns, truth, weights, learned, rows)
            points.append(PathPoint(price, loss, order_rules(program), stage.members))
        return DialPath(points)

    def _complete(
        self,
        program: LogicProgram,
        columns: Columns,
        truth: Bools,
        weights: Floats,
        learned: Learned | None = None,
        left_out: LeftOut | None = None,
    ) -> LogicProgram:
        """Fix the decision thresholds, and count the rows that each rule covers.

        On a small table the program has seen too much of the training rows to decide about them. So rows that were left
        out decide where there are two classes or labels. The thresholds of several classes depend on one another, and
        left-out rows choose them no better.
        """
        fired = memberships(program, columns, rows=len(truth))
        if learned is not None:
            kept = learned.covers_enough(program, (fired >= 0.5).sum(axis=0))
            if not kept.all():
                program, fired = replace(program, rules=tuple(compress(program.rules, kept))), fired[:, kept]
        threshold = PRESETS[self.preset or "default"].threshold if self.threshold is None else self.threshold
        if isinstance(threshold, str) and left_out is not None and program.schema.target.kind != "multiclass":
            decided = choose_thresholds(program, *left_out, threshold, smooth=True)
        elif isinstance(threshold, str):
            decided = choose_thresholds(program, combine(program, fired), truth, weights, threshold)
        else:
            decided = replace(program, thresholds=(float(threshold),) * len(program.thresholds))
        return decided.count_covered(fired >= 0.5, truth)

    def _keep_values(self, schema: Schema) -> None:
        """Take a schema with fewer values, none of which a rule names."""
        self.schema_, self.program_ = schema, replace(self.program_, schema=schema)
        self.path_ = DialPath(replace(point, program=replace(point.program, schema=schema)) for point in self.path_)

    def _decide_by(self, program: LogicProgram, columns: Columns, truth: Bools, weights: Floats) -> None:
        """Take a complete program, and say what its features are worth on the training rows."""
        shares = dict.fromkeys(self._names, 0.0)
        for name, share in feature_importances(program, columns, truth, weights).items():
            # Two columns of dates share what the days between them are worth; so do those that a feature is made of.
            read_from = [column for feature in program.schema.plain([name]) for column in feature.columns]
            read_from += linked_columns(program.schema, [name])
            for column in read_from:
                shares[column] += share / len(read_from)
        self.feature_importances_ = np.array(list(shares.values()))
        self.program_ = program


def _learn(
    encoding: Encoding, schema: Schema, rows: EncodedRows, settings: LearningSettings, prior: Prior, table: TableRows
) -> Learned | PaperLearned:
    if settings.discretization == COORDINATE:
        return learn(encoding, rows, settings, prior, table)
    return learn_paper(encoding, schema, rows, settings)


@contextmanager
def told(settings: LearningSettings, n_rows: int, n_outputs: int) -> Iterator[None]:
    """Tell the callbacks that learning begins and ends."""
    for callback in settings.callbacks:
        callback.on_fit_begin(settings.starts_for(n_rows, n_outputs), settings.training.epochs)
    try:
        yield
    finally:
        for callback in settings.callbacks:
            callback.on_fit_end()


def _no_rules(encoding: Encoding, rows: EncodedRows, schema: Schema, learned: Learned | PaperLearned) -> str:
    """Say that there is no rule, and show the best single conditions, which are no rules."""
    if isinstance(learned, Learned):  # of the columns that were looked at
        names = {slots.feature.name for slots in learned.encoding.slots}
        own = enumerate(encoding.slots[: rows.codes.shape[1]])  # calculations that were found come last
        seen = np.array([j for j, slots in own if slots.feature.name in names], np.int64)
        encoding, rows = encoding.take(seen), rows.narrowed(seen)
    found = best_conditions(encoding, rows, schema.target)[:_MOST_SHOWN]
    shown = (
        f"{conditions_text(rule, schema)} ({coverage_text(rule.coverage, schema.target, rule.label)})"
        for rule in found
        if rule.coverage is not None
    )
    advice = "The best single condition of each class, which does not hold up on left-out rows, so do not use it: "
    return f"{_NO_RULES} {advice}{'; '.join(shown)}." if found else _NO_RULES
