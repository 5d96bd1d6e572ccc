"""A fit on a table in parts: the phases of `NLNClassifier.fit`, each on what it needs of the table."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

from nln.checks import make_settings
from nln.classifier import NLNClassifier, told
from nln.large.complete import complete_programs
from nln.large.engine import Engine
from nln.large.sample import Sample, read_sample
from nln.learning.learn import learn, may_calculate
from nln.learning.options import COORDINATE, LearningSettings
from nln.learning.parted.rows import AllRows, n_buckets_for
from nln.learning.selection.to_program import to_program
from nln.learning.sizes import check_sizes
from nln.made import made_now
from nln.network.callbacks import announce
from nln.rules.path import DialPath, PathPoint
from nln.rules.simplify import order_rules
from nln.tables.encoding import frequent_values
from nln.tables.summary import Summary

SAMPLE_ROWS = 2**17
"""Rows of a table that is not sampled; of a larger one, as many choose bins, networks and the price."""

FEWEST_SAMPLED = 2**10
"""Fewest rows that a sample may have."""


def fit_parts(
    model: NLNClassifier,
    engine: Engine,
    *,
    named: bool,
    sample_rows: int = SAMPLE_ROWS,
    tell: Callable[[str], None] = lambda _: None,
) -> None:
    """Fit a classifier to a table in parts; `named` tells whether its columns have names of their own.

    `tell` hears of the passes over the table that come before learning; callbacks hear of learning.
    """
    settings = make_settings(model)
    if sample_rows < FEWEST_SAMPLED:
        raise ValueError(f"sample_rows must be at least {FEWEST_SAMPLED}, not {sample_rows}.")
    model._forget()
    tell("summarising the table")
    summary = engine.summarise(sample_rows)
    if summary.n_rows <= sample_rows:
        whole = engine.collect()
        model.fit(whole.X, whole.y, whole.weights)
        return
    sample = read_sample(model, engine.typed(summary), settings, named)
    for note in sample.notes:
        warnings.warn(note, stacklevel=3)
    settings = settings.for_target(sample.schema.target)
    _check(settings, summary, sample)
    summary = replace(summary, columns=())  # the sample has read them
    tell(f"encoding {summary.n_rows} rows")
    everything = engine.deal(sample.coder, n_buckets_for(summary.n_rows))
    with told(settings, summary.n_rows, len(sample.schema.target.outputs)):
        _learn(model, engine, settings, summary, sample, everything)


def _check(settings: LearningSettings, summary: Summary, sample: Sample) -> None:
    """Refuse what learning can do on whole tables only."""
    if settings.discretization != COORDINATE:
        raise ValueError(
            f"discretization={settings.discretization!r} learns from at most sample_rows = {summary.size} rows, and "
            f"the table has {summary.n_rows}. Take discretization='coordinate', or a larger sample_rows."
        )
    if may_calculate(settings, sample.encoding, sample.prior):
        raise ValueError(
            f"Calculations are looked for on tables of at most sample_rows = {summary.size} rows, and this one has "
            f"{summary.n_rows}. Let LanguageOptions say arithmetic=False and counts=False, or take a larger "
            "sample_rows."
        )


def _learn(
    model: NLNClassifier,
    engine: Engine,
    settings: LearningSettings,
    summary: Summary,
    sample: Sample,
    everything: AllRows,
) -> None:
    """Learn from all rows, and write the programs."""
    rows = everything.sample(summary.size)
    check_sizes(sample.encoding, rows, settings, whole=True)
    learned = learn(sample.encoding, rows, settings, sample.prior, None, everything)
    announce(settings.callbacks, "writing the rules")
    programs = [to_program(stage, learned, sample.schema) for stage in learned.stages]
    complete = [order_rules(program) for program in complete_programs(model, engine, learned, programs, sample)]
    members = [stage.members for stage in learned.stages]
    points = zip(learned.prices.tolist(), learned.validation_losses.tolist(), complete, members, strict=True)
    coder = sample.coder
    model._remember(coder.names, coder.named, None, sample.classes, sample.schema, learned.networks)
    notes = (*sample.notes, _sampled_note(summary))
    model.made_ = made_now(rows=summary.n_rows, seed=settings.seed, notes=notes)
    model.path_ = DialPath(PathPoint(*point) for point in points)
    chosen = model.path_[learned.chosen]
    model.price_ = chosen.price
    model._decide_by(chosen.program, sample.columns, sample.truth, sample.weights)
    model._keep_values(frequent_values(sample.schema, sample.encoding))


def _sampled_note(summary: Summary) -> str:
    return (
        f"Bins, networks and the price were chosen on samples of {summary.size} rows; rules, weights, thresholds and "
        f"counts come from all {summary.n_rows} rows."
    )
