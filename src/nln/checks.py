"""What `fit` is given beside the table: parameters, weights, seed and threads, checked before any row is encoded."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from nln.learning.constraints import Constraints
from nln.learning.options import COORDINATE, MODULES, PRESETS, SIZES, LanguageOptions, LearningSettings
from nln.learning.paper.discretize import DISCRETIZERS
from nln.network.options import TrainingOptions
from nln.rules import Feature, LogicProgram, Schema
from nln.rules.schema import Value
from nln.rules.storage.files import MAX_BYTES
from nln.rules.thresholds import METRICS
from nln.tables.encoding import MAX_SLOTS, Floats

_METHODS = (COORDINATE, *DISCRETIZERS)

_ALLOWED: dict[str, tuple[tuple[type, ...], str]] = {
    "n_rules": ((numbers.Integral, type(None)), "an integer of at least 1, or None for 128 (more for many classes)"),
    "starts": ((numbers.Integral, type(None)), "an integer of at least 1, or None for 5 (3 on long tables)"),
    "price": ((numbers.Real, type(None)), "a number above 0, or None to choose it on the left-out rows"),
    "size": ((str, type(None)), f"one of {', '.join(map(repr, SIZES))}, or None for 'balanced'"),
    "threshold": (
        (numbers.Real, str, type(None)),
        f"{', '.join(map(repr, METRICS))}, a number from 0 to 1, or None for what the preset says",
    ),
    "preset": ((str, type(None)), f"one of {', '.join(map(repr, PRESETS))}, or None for 'default'"),
    "discretization": ((str, type(None)), f"one of {', '.join(map(repr, _METHODS))}, or None for what the preset says"),
    "feature_types": ((Mapping, str, type(None)), "a mapping from column names to kinds, one kind for all, or None"),
    "class_weight": ((Mapping, str, type(None)), "a mapping from classes to weights, 'balanced', or None"),
    "training": ((TrainingOptions, type(None)), "a TrainingOptions or None"),
    "language": ((LanguageOptions, str, type(None)), "a LanguageOptions, 'plain' or None"),
    "constraints": ((Constraints, type(None)), "a Constraints or None"),
    "initial_program": ((LogicProgram, str, type(None)), "a LogicProgram, the text of one, or None"),
    "callbacks": ((Sequence, type(None)), "a sequence of Callback objects or None"),
    "n_jobs": ((numbers.Integral, type(None)), "an integer other than 0, or None for all cores"),
}


def make_settings(model: Any) -> LearningSettings:
    """Check the parameters of `NLNClassifier`, one by one and together, and complete them by the preset."""
    _check_parameters(model)
    preset = PRESETS[model.preset or "default"]
    starts = model.starts or preset.starts
    settings = LearningSettings(
        n_rules=MODULES if model.n_rules is None else int(model.n_rules),
        seed=seed(model.random_state),
        starts=None if starts is None else int(starts),
        price=None if model.price is None else float(model.price),
        size=model.size or "balanced",
        discretization=model.discretization or preset.discretization,
        training=model.training or preset.training,
        language=LanguageOptions.plain() if model.language == "plain" else model.language or preset.language,
        callbacks=tuple(model.callbacks or ()),
        n_jobs=threads(model.n_jobs),
        grows=model.n_rules is None,
    )
    if settings.discretization != COORDINATE:
        _check_paper_parameters(model, settings)
    return settings


def _check_parameters(model: Any) -> None:
    for name, (types, allowed) in _ALLOWED.items():
        value = getattr(model, name)
        if not isinstance(value, types) or isinstance(value, bool):
            raise TypeError(f"{name} must be {allowed}, not {value!r}.")
    wrong = {
        "n_rules": model.n_rules is not None and model.n_rules < 1,
        "starts": model.starts is not None and model.starts < 1,
        "price": model.price is not None and not 0 < model.price < np.inf,
        "size": model.size is not None and model.size not in SIZES,
        "n_jobs": model.n_jobs == 0,
        "threshold": model.threshold not in METRICS
        if isinstance(model.threshold, str)
        else model.threshold is not None and not 0 <= model.threshold <= 1,
        "language": isinstance(model.language, str) and model.language != "plain",
        "preset": model.preset is not None and model.preset not in PRESETS,
        "discretization": model.discretization is not None and model.discretization not in _METHODS,
    }
    for name, is_wrong in wrong.items():
        if is_wrong:
            raise ValueError(f"{name} must be {_ALLOWED[name][1]}, not {getattr(model, name)!r}.")


def _check_paper_parameters(model: Any, settings: LearningSettings) -> None:
    """Refuse what only logic coordinate descent can do."""
    for name in ("price", "size", "constraints", "initial_program"):
        if getattr(model, name) is not None:
            raise ValueError(
                f"{name} needs discretization='coordinate', not {settings.discretization!r}; leave it at None."
            )
    if replace(settings.language, negation=True) != LanguageOptions():
        raise ValueError(
            f"With discretization={settings.discretization!r} the only option of the language is negation=False: "
            f"{settings.language!r} asks for more. Take discretization='coordinate', which keeps to all limits."
        )


def check_kinds(schema: Schema, settings: LearningSettings) -> None:
    """Refuse kinds of features that the paper's method cannot take."""
    for feature in schema.features if settings.discretization != COORDINATE else ():
        if feature.kind in ("periodic", "probability"):
            raise ValueError(
                f"Column {feature.name!r} is of kind {feature.kind!r}, which "
                f"discretization={settings.discretization!r} cannot take. Use discretization='coordinate' or give the "
                "column another kind in feature_types."
            )


def check_text(features: Iterable[Feature]) -> None:
    """Refuse names and values so long that no model file could hold them, before anything is learned."""
    sizes = {f.name: len(f.name.encode()) + _longest(f.values) for f in features}
    if sum(sizes.values()) > MAX_BYTES // 4:  # rules and stages of the dial repeat them
        name = max(sizes, key=lambda name: sizes[name])
        raise ValueError(
            f"The names and values of the columns take {sum(sizes.values())} bytes of text, of which column "
            f"{name!r:.80} has {sizes[name]}; a model can hold {MAX_BYTES // 4}. Shorten its texts, or leave it out."
        )


def _longest(values: tuple[Value, ...]) -> int:
    """Bytes of the values that have slots, if these are the longest."""
    texts = sorted((len(value.encode(errors="replace")) for value in values if isinstance(value, str)), reverse=True)
    return sum(texts[: MAX_SLOTS - 2])


def check_two_classes(outputs: Floats, kind: str) -> None:
    """Refuse a single class: rows of weight zero may have held the others. Labels may be constant."""
    present = 2 if kind == "multilabel" else np.count_nonzero(outputs.any(axis=0)) + (outputs.sum(axis=1) == 0).any()
    if present < 2:
        raise ValueError("The target has only 1 class among the rows of positive weight; at least 2 are needed.")


def check_weights(sample_weight: Any, n_rows: int) -> Floats:
    """Weight of each row, the largest being 1: only ratios matter, and products must not overflow."""
    if sample_weight is None:
        return np.ones(n_rows)
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(n_rows, float(sample_weight))
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"sample_weight must hold numbers: {error}.") from None
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must have one entry per row, shape ({n_rows},), not {weights.shape}.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(f"sample_weight must be finite and at least 0; row {bad[0]} has {float(weights[bad[0]])!r}.")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; nothing is left to learn from.")
    return np.asarray(weights / weights.max())


def check_children(model: Any, tables: Any, settings: LearningSettings) -> Any:
    """Return the child tables that `fit` was given; refuse them where learning does not search them."""
    if tables is None:
        return None
    if settings.discretization != COORDINATE:
        raise ValueError(f"tables= needs discretization={COORDINATE!r}, not {settings.discretization!r}.")
    if model.initial_program is not None:
        raise ValueError("tables= cannot be combined with initial_program= yet. Leave one out.")
    limits = ("forbidden_pairs", "required", "monotone", "price_factors", "fixed_rules")
    if asked := [name for name in limits if getattr(model.constraints, name, None)]:
        raise ValueError(
            f"tables= cannot be combined with Constraints({asked[0]}=...) yet: rules that count rows are not searched "
            "under limits of conditions. Leave one out; forbidden= and max_rules_per_target= may stay."
        )
    return tables


def check_class_weight(class_weight: Any) -> None:
    """Refuse weights of classes that are no finite numbers of at least 0."""
    for label, weight in class_weight.items() if isinstance(class_weight, Mapping) else ():
        is_number = isinstance(weight, numbers.Real) and not isinstance(weight, bool)
        if not (is_number and 0 <= float(weight) < math.inf):
            raise ValueError(f"class_weight must be finite and at least 0; class {label!r} has {weight!r}.")


def relative_weights(weights: Floats) -> Floats:
    """Divide weights by their mean, so that the unit they were given in does not matter.

    Only 40 bits are kept, so that rounding leaves no trace of the unit.
    """
    weights = weights / weights.max()
    digits, exponents = np.frexp(weights * (len(weights) / math.fsum(weights)))
    return np.ldexp(np.round(digits * 2.0**40) / 2.0**40, exponents)


def seed(random_state: Any) -> np.random.SeedSequence:
    """Seed from anything that scikit-learn takes as a random state."""
    if isinstance(random_state, numbers.Integral):
        return np.random.SeedSequence(int(random_state))
    if random_state is None:  # short, so that people can note it and give it again
        random_state = np.random.default_rng()
    if isinstance(random_state, np.random.Generator):
        return np.random.SeedSequence(int(random_state.integers(2**32)))
    return np.random.SeedSequence(int(check_random_state(random_state).randint(2**31 - 1)))


def threads(n_jobs: int | None) -> int:
    """Number of threads; negative numbers count from all cores, as in scikit-learn."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        return cores
    return int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))
