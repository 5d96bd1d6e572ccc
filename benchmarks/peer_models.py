"""Other people's classifiers, fitted on raw pandas frames. This file imports nothing of nln: it runs where nln is not.

Each has `fit`, `predict`, `predict_proba`, `classes_` in sorted order, and `rule_counts`: how many rules there are to
read and how long they are, empty where there is nothing to read. All run on one thread: those of boosting libraries
spin while they wait, and CPU seconds would mean nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

TEXT = make_column_selector(dtype_exclude="number")


class NotInstalledError(ImportError):
    """A package that a peer needs is not there; the message says which and how to get it."""


def as_categories(X: Any) -> Any:
    """Turn the text columns of a pandas frame into categories."""
    text = [name for name in X.columns if X[name].dtype.kind not in "fiub"]
    return X.astype(dict.fromkeys(text, "category"))


def optional(module: str, package: str) -> Any:
    """Import a module of an optional package."""
    try:
        return import_module(module)
    except ImportError as error:
        raise NotInstalledError(f"{package} is not installed: `pip install {package}`.") from error


class PrunedTree:
    """scikit-learn's tree, cost-complexity pruned by an inner 5-fold cross-validation; a leaf is a rule."""

    def __init__(self, seed: int) -> None:
        grid = {"decisiontreeclassifier__ccp_alpha": np.concatenate([[0.0], np.geomspace(1e-4, 0.1, 13)])}
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)  # some tables are sorted
        encode = make_column_transformer((_one_hot(), TEXT), remainder="passthrough")
        self._search = GridSearchCV(make_pipeline(encode, DecisionTreeClassifier(random_state=seed)), grid, cv=folds)

    def fit(self, X: Any, y: Any) -> None:
        """Choose the pruning and fit."""
        self._search.fit(X, y)
        self.classes_ = self._search.classes_

    def predict(self, X: Any) -> Any:
        """Class of each row."""
        return self._search.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class."""
        return self._search.predict_proba(X)

    def rule_counts(self) -> dict[str, float]:
        """Number of leaves and their mean depth."""
        tree = self._search.best_estimator_[-1].tree_
        return _leaves(0, lambda node: (tree.children_left[node], tree.children_right[node]), lambda node: node < 0)


class Boosting:
    """A library of boosted trees with its defaults, on categories and numbered classes.

    Parameters
    ----------
    model : classifier
        Of XGBoost or LightGBM.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit(self, X: Any, y: Any) -> None:
        """Fit on numbered classes, which is what XGBoost takes."""
        self.classes_, numbers = np.unique(np.asarray(y), return_inverse=True)
        frame = as_categories(X)
        self._types = frame.dtypes
        self._model.fit(frame, numbers)

    def predict(self, X: Any) -> Any:
        """Class of each row."""
        return self.classes_[self._model.predict(X.astype(self._types))]

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class."""
        return self._model.predict_proba(X.astype(self._types))

    def rule_counts(self) -> dict[str, float]:
        """Return nothing to read: hundreds of trees."""
        return {}


class Ripper:
    """RIPPER of wittgenstein, one rule set for the positive class of two and one against the rest for more."""

    def __init__(self, seed: int) -> None:
        self._make = optional("wittgenstein", "wittgenstein").RIPPER
        self._seed = seed

    def fit(self, X: Any, y: Any) -> None:
        """Learn the rule sets."""
        self.classes_ = np.unique(np.asarray(y))
        self._fill = {name: X[name].median() for name in X.columns if X[name].dtype.kind in "fiub"}
        found = {}
        for label in self.classes_[1:] if len(self.classes_) == 2 else self.classes_:
            found[label] = self._make(random_state=self._seed)
            found[label].fit(self._filled(X), np.where(np.asarray(y) == label, "yes", "no"), pos_class="yes")
        self._sets = found

    def predict(self, X: Any) -> Any:
        """Class whose rules hold; of more than two, the most probable."""
        if len(self.classes_) > 2:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        (ruleset,) = self._sets.values()
        return self.classes_[np.asarray(ruleset.predict(self._filled(X))).astype(int)]

    def predict_proba(self, X: Any) -> Any:
        """Share of the class among the training rows that the same rules cover."""
        each = []
        for ruleset in self._sets.values():
            found = np.asarray(ruleset.predict_proba(self._filled(X)))
            each.append(found[:, list(ruleset.classes_).index("yes")])
        if len(each) == 1:
            return np.column_stack([1 - each[0], each[0]])
        total = np.column_stack(each) + 1e-9
        return total / total.sum(axis=1, keepdims=True)

    def rule_counts(self) -> dict[str, float]:
        """Rules of all sets and their mean number of conditions."""
        sizes = [len(rule.conds) for ruleset in self._sets.values() for rule in ruleset.ruleset_.rules]
        return {"rules": float(len(sizes)), "size": float(np.mean(sizes)) if sizes else 0.0}

    def _filled(self, X: Any) -> Any:
        """Replace missing numbers by the median and missing text by a value of its own."""
        X = X.fillna(self._fill)
        return X.fillna(dict.fromkeys((name for name in X.columns if name not in self._fill), "(missing)"))


class OneHot:
    """A classifier of imodels on one-hot categories, missing numbers replaced by the median."""

    def __init__(self, name: str, seed: int) -> None:
        numbers = (
            SimpleImputer(strategy="median", keep_empty_features=True),
            make_column_selector(dtype_include="number"),
        )
        encode = make_column_transformer((_one_hot(), TEXT), numbers)
        self._model = make_pipeline(encode, getattr(optional("imodels", "imodels"), name)(random_state=seed))

    def fit(self, X: Any, y: Any) -> None:
        """Fit on numbered classes."""
        self.classes_, numbers = np.unique(np.asarray(y), return_inverse=True)
        self._model.fit(X, numbers)

    def predict(self, X: Any) -> Any:
        """Class of each row."""
        return self.classes_[np.asarray(self._model.predict(X)).astype(int)]

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class."""
        return self._model.predict_proba(X)

    def rule_counts(self) -> dict[str, float]:
        """Leaves of all trees and their mean depth; a boosted stump is one rule with one condition."""
        model = self._model[-1]
        if not hasattr(model, "trees_"):
            return {"rules": float(len(model.estimators_)), "size": 1.0}
        counts = [
            _leaves(tree, lambda node: (node.left, node.right), lambda node: node is None) for tree in model.trees_
        ]
        rules = sum(count["rules"] for count in counts)
        return {"rules": rules, "size": sum(count["rules"] * count["size"] for count in counts) / rules}


class ExplainableBoosting(Boosting):
    """EBM of interpret: a sum of curves, no rules."""

    def __init__(self, seed: int) -> None:
        glassbox = optional("interpret.glassbox", "interpret-core")
        super().__init__(glassbox.ExplainableBoostingClassifier(random_state=seed, n_jobs=1))


def xgboost_classifier(seed: int, threads: int | None = None) -> Any:
    """Return XGBoost with its defaults, on categories; None threads are all cores."""
    found = optional("xgboost", "xgboost")
    return found.XGBClassifier(enable_categorical=True, random_state=seed, n_jobs=threads)


def lightgbm_classifier(seed: int) -> Any:
    """Return LightGBM with its defaults on one thread, silent."""
    return optional("lightgbm", "lightgbm").LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def _one_hot() -> OneHotEncoder:
    return OneHotEncoder(handle_unknown="ignore", sparse_output=False)


def _leaves(root: Any, children: Callable[[Any], tuple[Any, Any]], is_none: Callable[[Any], bool]) -> dict[str, float]:
    """Count the leaves of a binary tree and take the mean of their depths."""
    depths, open_nodes = [], [(root, 0)]
    while open_nodes:
        node, depth = open_nodes.pop()
        below = [child for child in children(node) if not is_none(child)]
        open_nodes += [(child, depth + 1) for child in below]
        if not below:
            depths.append(depth)
    return {"rules": float(len(depths)), "size": float(np.mean(depths))}


PEERS: dict[str, Callable[[int], Any]] = {
    "XGBoost": lambda seed: Boosting(xgboost_classifier(seed, threads=1)),
    "LightGBM": lambda seed: Boosting(lightgbm_classifier(seed)),
    "pruned tree": PrunedTree,
    "RIPPER": Ripper,
    "FIGS": lambda seed: OneHot("FIGSClassifier", seed),
    "BoostedRules": lambda seed: OneHot("BoostedRulesClassifier", seed),
    "EBM": ExplainableBoosting,
}
"""The peers by name, each made from a seed with its default parameters."""
