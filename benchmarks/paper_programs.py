"""Programs of the paper beside ours: merged models of kidney, and rules of Boolean networks beside the true ones."""

from __future__ import annotations

import warnings
from typing import Any

from benchmarks import boolean
from benchmarks import paper_numbers as paper
from benchmarks.kidney import fold_programs, patients
from benchmarks.paper_preset import BOOLEAN_FITS, KIDNEY
from benchmarks.paper_tables import DEFAULT, PRESET, folds_by_share, folds_of, printed
from benchmarks.record import Part, Record
from benchmarks.settings import Settings, SkippedError
from nln import LogicProgram
from nln.compose import merge, select
from nln.datasets import load_boolean_network, read_boolean_network

SHARE = 40
"""Percent of the states that the listed programs of Boolean networks were learned from: there the paper's are exact."""

WHY_FEWER = (
    "Rules of the five models together, of the merged model, and the fewest of it that decide as many rows rightly as "
    "can be. Of several equally good choices the one that covers most patients is listed."
)


def kidney(record: Record, settings: Settings) -> Part:
    """Merge the models of five folds, prune and adjust them, and choose the fewest rules, and the best two."""
    X, y = patients(settings)
    preset = [LogicProgram.from_dict(fold["program"]) for fold in folds_of(record, KIDNEY)]
    if not preset:
        raise SkippedError("The preset was not measured on kidney: run that part first.")
    given = {PRESET: preset, DEFAULT: fold_programs(X, y, settings)}
    columns: dict[str, dict[str, Any]] = {f"paper: {model}": dict(found) for model, found in paper.KIDNEY.items()}
    notes, stored = [], {}
    for model, programs in given.items():
        columns[model], chosen = merged(programs, X, y)
        stored[model] = chosen.to_dict()
        notes.append(f"The fewest rules of `{model}`:\n\n```\n{chosen}\n```")
    names = dict.fromkeys(name for column in columns.values() for name in column)
    rows = [{"": name, **{model: column.get(name) for model, column in columns.items()}} for name in names]
    values = {f"{model}: {name}": columns[model][name] for model in given for name in columns[model]}
    return {"table": printed(rows), "values": values, "notes": [WHY_FEWER, *notes], "programs": stored}


def merged(programs: list[LogicProgram], X: Any, y: Any) -> tuple[dict[str, Any], LogicProgram]:
    """Return the numbers of rules from five models to the fewest rules, and the program of the fewest rules."""
    pruned = merge(programs, X=X, y=y).program
    few, two = select(pruned, X, y), select(pruned, X, y, n_rules=2)
    right = 100 * float((few.program.predict(X) == y.to_numpy()).mean())
    best = max(few.ties, key=lambda program: sum(rule.coverage.hits for rule in program.rules if rule.coverage))
    found = {
        "five models": sum(program.n_rules for program in programs),
        "merged, pruned, adjusted": pruned.n_rules,
        "fewest rules": few.program.n_rules,
        "choices": len(few.ties),
        "fewest rules: accuracy (%)": right,
        "best two: F1 (%)": 100 * two.score,
        "best two: choices": len(two.ties),
    }
    return found, best


def boolean_programs(record: Record, settings: Settings) -> Part:
    """List the true rules of each network, and who discovered them; rules that are not true come last."""
    rows, notes, values = [], [], {}
    for name in ("mammalian",) if settings.quick else BOOLEAN_FITS:
        network = read_boolean_network(name)
        needed = {boolean.in_order(rule) for rule in boolean.without_redundant_rules(network).rules}
        found = {DEFAULT: default_listing(name, settings)}
        fits = folds_by_share(record, name, SHARE)
        if fits:
            found = {PRESET: fits[0]["listing"], **found}
        true = [boolean.in_order(rule) for rule in network.rules]
        others = [rule for listing in found.values() for rule in listing if rule not in true]
        for rule in dict.fromkeys([*true, *others]):
            status = "true" if rule in needed else "true, redundant" if rule in true else "no"
            marks = {model: "found" if rule in listing else None for model, listing in found.items()}
            rows.append({"network": name, "rule": rule, "true": status, **marks})
        for model, listing in found.items():
            values[f"{name}, {model}: true rules found"] = sum(rule in needed for rule in listing)
            values[f"{name}, {model}: other rules"] = sum(rule not in true for rule in listing)
        values[f"{name}: true rules"] = len(needed)
    notes.append(
        f"Learned from {SHARE} % of the states, the first draw. A redundant rule changes no successor: the other rules "
        "say all of it. A rule that is not listed as true may still say the same as several true ones together."
    )
    return {"table": rows, "values": values, "notes": notes}


def default_listing(name: str, settings: Settings) -> list[str]:
    """Rules that the default learner finds in the first draw."""
    X, y = load_boolean_network(name, backend="pandas")
    train, _ = boolean.draws(len(X), SHARE, [settings.seed, 0])[0]
    with warnings.catch_warnings():  # a gene that alone decides another one is no mistake here
        warnings.simplefilter("ignore", UserWarning)
        model = boolean.default_learner(settings.seed).fit(X.iloc[train], y.iloc[train])
    return boolean.listing(model.program_)
