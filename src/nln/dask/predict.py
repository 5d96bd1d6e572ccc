"""Decisions about the rows of Dask collections, made lazily, partition by partition."""

from __future__ import annotations

from typing import Any

import dask.array as da
import numpy as np
import pandas as pd

from nln.model import SavedModel


def predict_lazily(model: SavedModel, X: Any) -> Any:
    """Decide: a series or frame with the index of a data frame, or an array."""
    labels = list(model.program_.schema.target.labels) if model.program_.schema.target.kind == "multilabel" else None
    if isinstance(X, da.Array):
        kind = np.dtype(np.int64) if labels else model.classes_.dtype
        return _blocks(X, _predict, model, kind, len(labels) if labels else None)
    if labels is not None:
        meta: Any = pd.DataFrame(np.empty((0, len(labels)), np.int64), columns=labels)
    else:
        meta = pd.Series(model.classes_[:0], name=model.program_.schema.target.name)
    return X.map_partitions(_framed, _predict, model, labels, meta.dtypes if labels else meta.dtype, meta=meta)


def predict_proba_lazily(model: SavedModel, X: Any) -> Any:
    """Compute probabilities: a frame with a column for each class or label, or an array."""
    if isinstance(X, da.Array):
        return _blocks(X, _predict_proba, model, np.dtype(np.float64), len(model.classes_))
    classes = list(model.classes_)
    meta = pd.DataFrame(np.empty((0, len(classes))), columns=classes)
    return X.map_partitions(_framed, _predict_proba, model, classes, None, meta=meta)


def _predict(model: SavedModel, X: Any) -> Any:
    return model.predict(X)


def _predict_proba(model: SavedModel, X: Any) -> Any:
    return model.predict_proba(X)


def _framed(frame: Any, decide: Any, model: SavedModel, columns: list[Any] | None, dtype: Any) -> Any:
    """Give decisions the index of their rows."""
    if columns is not None:
        found = decide(model, frame) if len(frame) else np.empty((0, len(columns)))
        made = pd.DataFrame(found, index=frame.index, columns=columns)
        return made if dtype is None else made.astype(np.int64)
    found = decide(model, frame) if len(frame) else model.classes_[:0]
    return pd.Series(found, index=frame.index, name=model.program_.schema.target.name)


def _blocks(X: da.Array, decide: Any, model: SavedModel, dtype: Any, width: int | None) -> da.Array:
    X = X.rechunk({1: -1})
    shape: dict[str, Any] = {"drop_axis": 1} if width is None else {"chunks": (X.chunks[0], (width,))}
    return X.map_blocks(
        _of_block, decide, model, width, dtype=dtype, meta=np.empty((0,) * (2 - (width is None)), dtype), **shape
    )


def _of_block(block: Any, decide: Any, model: SavedModel, width: int | None) -> Any:
    if not len(block):
        return model.classes_[:0] if width is None else np.empty((0, width))
    return decide(model, block)
