"""Programs as learning leaves them become complete: thresholds, and how many rows each rule covers, from all rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress

from nln.classifier import NLNClassifier
from nln.large.engine import Engine
from nln.large.part import Tally
from nln.large.sample import Sample
from nln.learning.learn import Learned
from nln.learning.options import PRESETS
from nln.rules import Coverage, LogicProgram
from nln.rules.evaluate import probabilities
from nln.rules.thresholds import best_class_thresholds, threshold_for


def complete_programs(
    model: NLNClassifier, engine: Engine, learned: Learned, programs: list[LogicProgram], sample: Sample
) -> list[LogicProgram]:
    """Drop the rules that cover too few rows, fix the thresholds, and count the rows that each rule covers."""
    tallies = engine.tally(sample.coder, programs)
    kept = [learned.covers_enough(program, tally.covered) for program, tally in zip(programs, tallies, strict=True)]
    if not all(mask.all() for mask in kept):  # without these rules, others decide
        programs = [
            replace(program, rules=tuple(compress(program.rules, mask)))
            for program, mask in zip(programs, kept, strict=True)
        ]
        tallies = engine.tally(sample.coder, programs)
    threshold = PRESETS[model.preset or "default"].threshold if model.threshold is None else model.threshold
    return [
        _covered(_decided(program, tally, threshold, sample), tally)
        for program, tally in zip(programs, tallies, strict=True)
    ]


def _decided(program: LogicProgram, tally: Tally, threshold: float | str, sample: Sample) -> LogicProgram:
    """Fix the thresholds of a program; those of several classes depend on one another, and the sample chooses them."""
    if not isinstance(threshold, str):
        return replace(program, thresholds=(float(threshold),) * len(program.thresholds))
    metric, labels = threshold.split(maxsplit=1)[0], len(tally.by_threshold)
    if program.schema.target.kind == "multiclass":
        if metric == "accuracy" or threshold.endswith("shared"):
            return replace(program, thresholds=())
        P = probabilities(program, sample.columns, rows=len(sample.truth))
        return replace(program, thresholds=best_class_thresholds(sample.truth, P, sample.weights))
    if threshold.endswith("shared"):
        return replace(program, thresholds=(threshold_for(tally.by_threshold.sum(axis=0), metric),) * labels)
    return replace(program, thresholds=tuple(threshold_for(own, metric) for own in tally.by_threshold))


def _covered(program: LogicProgram, tally: Tally) -> LogicProgram:
    """Tell each rule what it covers."""
    outputs, rules = program.schema.target.outputs, []
    for i, rule in enumerate(program.rules):
        holds = int(tally.holds[outputs.index(rule.label)])
        coverage = Coverage(int(tally.covered[i]), tally.n_rows, int(tally.hits[i]), holds)
        rules.append(replace(rule, coverage=coverage))
    return replace(program, rules=tuple(rules))
