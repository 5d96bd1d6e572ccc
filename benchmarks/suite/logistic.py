"""Logistic regression as a careful person would first try it."""

from __future__ import annotations

from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits


class OneHotLogistic:
    """scikit-learn's logistic regression with its default penalty.

    Text is one-hot, with a column for missing values. Missing numbers become the median, beside a column that says so,
    and numbers are standardized.
    """

    def __init__(self, seed: int) -> None:
        numbers = make_pipeline(
            SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True), StandardScaler()
        )
        encode = make_column_transformer(
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), make_column_selector(dtype_exclude="number")),
            (numbers, make_column_selector(dtype_include="number")),
        )
        self._model = make_pipeline(encode, LogisticRegression(max_iter=10_000, random_state=seed))

    def fit(self, X: Any, y: Any) -> None:
        """Fit on one thread, as the other contestants do."""
        with threadpool_limits(1):
            self._model.fit(X, y)
        self.classes_ = self._model.classes_

    def predict(self, X: Any) -> Any:
        """Class of each row."""
        return self._model.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """Probability of each class."""
        return self._model.predict_proba(X)

    def rule_counts(self) -> dict[str, float]:
        """Return nothing: a sum has no rules."""
        return {}
