"""The classifiers that are compared, all fitted on raw frames and able to say how many rules they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data import as_categories
from benchmarks.speed_fit import xgboost_classifier
from nln import NLNClassifier


class Ours(NLNClassifier):
    """nln with its defaults."""

    def rule_counts(self) -> dict[str, float]:
        """Number of rules and their mean size."""
        return {"rules": float(self.program_.n_rules), "size": float(self.program_.size)}


class PrunedTree:
    """scikit-learn's tree, cost-complexity pruned by an inner 5-fold cross-validation; a leaf is a rule."""

    def __init__(self, seed: int) -> None:
        grid = {"decisiontreeclassifier__ccp_alpha": np.concatenate([[0.0], np.geomspace(1e-4, 0.1, 13)])}
        text = make_column_selector(dtype_exclude="number")
        one_hot = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        encode = make_column_transformer((one_hot, text), remainder="passthrough")
        folds = StratifiedKFold(5, shuffle=True, random_state=seed)  # some tables are sorted
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
        depth = np.zeros(tree.node_count)
        for node in range(tree.node_count):  # children come after their parent
            for child in (tree.children_left[node], tree.children_right[node]):
                if child >= 0:
                    depth[child] = depth[node] + 1
        leaves = tree.children_left < 0
        return {"rules": float(leaves.sum()), "size": float(depth[leaves].mean())}


class Boosting:
    """XGBoost with its defaults."""

    def __init__(self, seed: int) -> None:
        self._model = xgboost_classifier(seed)

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


OURS = "nln"
CONTESTANTS: dict[str, Callable[[int], Any]] = {
    OURS: lambda seed: Ours(random_state=seed),
    "pruned tree": PrunedTree,
    "XGBoost": Boosting,
}
