"""The summary of a table, read like a table: features, target, bins, and how every part becomes codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nln.checks import check_class_weight, check_text
from nln.classifier import NLNClassifier
from nln.large.part import Coder, by_class, in_unit
from nln.learning.options import LearningSettings
from nln.learning.prior import Prior, make_prior, named_places
from nln.rules import Schema
from nln.rules.cells import Categories, Cells, Column
from nln.rules.schema import Value
from nln.rules.thresholds import Bools
from nln.tables.association import find_suspects, suspect_notes
from nln.tables.encoding import Encoding, Floats, make_encoding
from nln.tables.frames import Table
from nln.tables.identifiers import find_identifiers, identifier_notes
from nln.tables.infer import infer_features
from nln.tables.summary import Summary
from nln.tables.target import read_target


@dataclass(frozen=True)
class Sample:
    """The summary of a table, read like a table."""

    schema: Schema
    encoding: Encoding
    prior: Prior
    coder: Coder
    classes: Any
    columns: Mapping[str, Column]  # of the rows of the sample, without the witnesses
    truth: Bools
    weights: Floats
    notes: tuple[str, ...]


def read_sample(model: NLNClassifier, summary: Summary, settings: LearningSettings, named: bool) -> Sample:
    """Read the summary like a table: its features, its target, its bins."""
    n_targets = summary.n_targets
    names, target_names = summary.names[:-n_targets], summary.names[-n_targets:]
    table = Table(names, summary.columns[:-n_targets], len(summary.weights), named)
    target, outputs, classes = read_target(_target(summary.columns[-n_targets:], target_names), name=None)
    if n_targets == 1 and target_names[0]:
        target = replace(target, name=target_names[0])
    class_weights = _class_weights(model, summary, target.kind)
    weights, unit = summary.weights, summary.n_rows / summary.weight
    if class_weights is not None:
        weights = weights * by_class(summary.columns[-1], class_weights)
        unit = summary.n_rows / sum(summary.label_weights[label] * w for label, w in class_weights.items())
    features, columns = infer_features(table, model.feature_types)
    share = summary.n_rows / len(summary.weights)
    asked_for = model._asked_for(names, features)
    set_aside = find_identifiers(features, columns, asked_for, rows_each=share) if named else {}
    features = tuple(feature for feature in features if feature.name not in set_aside)
    check_text(features)
    schema = Schema(features, target)
    prior = make_prior(model.constraints, model.initial_program, schema, names, settings.for_target(target))
    shares = in_unit(np.where(summary.sampled, weights, 0.0), unit)
    encoding = make_encoding(prior.allowed(features), columns, shares, named=named_places(prior.program))
    kept = summary.sampled
    columns = {name: column[kept] for name, column in columns.items()}
    codes = encoding.codes(columns, int(kept.sum()))
    notes = identifier_notes(set_aside) + suspect_notes(find_suspects(encoding, codes, outputs[kept], target))
    coder = Coder(schema, encoding, names, named, class_weights, unit)
    return Sample(schema, encoding, prior, coder, classes, columns, outputs[kept] > 0.5, shares[kept], notes)


def _target(columns: tuple[Cells, ...], names: tuple[str, ...]) -> Any:
    """Give the target in a form that `read_target` takes."""
    arrays = [
        np.array(cells.values, dtype=object)[cells.codes] if isinstance(cells, Categories) else cells.values
        for cells in columns
    ]
    if len(arrays) == 1:
        return arrays[0]
    return Table(names, tuple(arrays), len(arrays[0]), True)


def _class_weights(model: NLNClassifier, summary: Summary, kind: str) -> dict[Value, float] | None:
    """Weights of the classes, from what the user says and how frequent they are."""
    if model.class_weight is None:
        return None
    if kind == "multilabel":
        raise ValueError("class_weight is for classes; give sample_weight for a multi-label target.")
    check_class_weight(model.class_weight)
    labels = list(summary.labels)
    if model.class_weight == "balanced":
        total = sum(summary.labels.values())
        return {label: total / (len(labels) * count) for label, count in summary.labels.items()}
    return {label: float(model.class_weight.get(label, 1.0)) for label in labels}
