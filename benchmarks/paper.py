"""The paper reproduced: one table for each of its tables, its numbers beside the preset's and the default learner's."""

from __future__ import annotations

from functools import partial

from benchmarks import paper_ablation, paper_kdd, paper_preset, paper_programs, paper_tables
from benchmarks.record import Record
from benchmarks.settings import Settings

PROTOCOL = (
    '`preset` is `NLNClassifier(preset="paper")`; `nln` is the default learner, whose numbers come from the stored '
    "results of `tabular`, `recovery`, `boolean`, `kdd`, `ablation` and `independence`, each with its own date "
    "and sources. Numbers from the paper are those that it prints. Five stratified folds, shuffled with seed 0; one "
    "for adult.",
)


def run(settings: Settings, record: Record) -> None:
    """Measure the preset, then set its numbers beside the paper's and those of the default learner."""
    record.explain(*PROTOCOL)
    paper_preset.measure_all(settings, record)
    record.part("NSL-KDD: coverage by class", paper_kdd.transferred)
    record.part(paper_kdd.EPOCH, paper_kdd.one_epoch)
    record.assemble("characteristics", paper_tables.characteristics)
    for name, make in {
        "F1": paper_tables.f1,
        "interpretability": paper_tables.interpretability,
        "ground truth": paper_tables.ground_truth,
        "time": paper_tables.seconds,
        "Boolean networks": paper_tables.boolean_networks,
        "NSL-KDD: results": paper_kdd.results,
    }.items():
        record.assemble(name, partial(make, record))
    record.part("kidney", partial(paper_programs.kidney, record))
    record.part("Boolean programs", partial(paper_programs.boolean_programs, record))
    record.assemble("NSL-KDD: characteristics", paper_kdd.characteristics)
    record.assemble("ablation", paper_ablation.ablation)
    record.assemble("independence", paper_ablation.independence)
    record.assemble("where the default learner's numbers come from", paper_tables.origins)
