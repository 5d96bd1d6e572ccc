"""Boolean networks: learn the rules of gene regulation from a share of the state transitions."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks import compare_rules
from benchmarks.compare_rules import learned_rules
from benchmarks.paper_numbers import BOOLEAN, SHARES
from benchmarks.record import Cell, Part, Record
from benchmarks.scores import mean
from benchmarks.settings import Settings
from benchmarks.tables import Split
from nln import LogicProgram, NLNClassifier
from nln.datasets import BooleanNetwork, BooleanRule, load_boolean_network, read_boolean_network

REPEATS, DRAWS = 2, 5
Maker = Callable[[int], NLNClassifier]
"""From a seed to a classifier."""


def default_learner(seed: int) -> NLNClassifier:
    """Return the classifier with its defaults."""
    return NLNClassifier(random_state=seed)


PROTOCOL = (
    f"{REPEATS} × {DRAWS} draws: the states are shuffled, and draw d trains on the given share of them from the place "
    f"d / {DRAWS} on, round the end, so that 80 % is five-fold cross-validation and smaller training sets overlap as "
    "little as can be. Accuracy is that of the single labels (genes) on all other states. Default parameters, with the "
    "draw as seed.",
    "A learned rule recovers a true one if both hold in the same states; true rules are those of the network without "
    "the ones that the others make redundant. A fit is equivalent if it gives the right successor of every state, seen "
    "or not.",
)


def run(settings: Settings, record: Record) -> None:
    """Run one part a network."""
    record.explain(*PROTOCOL)
    for name in ("mammalian",) if settings.quick else BOOLEAN:
        record.cells(name, partial(plan, name), partial(summarize, name))


def plan(name: str, settings: Settings, make: Maker = default_learner, fits: int = REPEATS * DRAWS) -> list[Cell]:
    """List one cell for each share, repeat and draw, up to so many fits of each share."""
    X, y = load_boolean_network(name, backend="pandas")
    network = without_redundant_rules(read_boolean_network(name))
    return [
        Cell(f"{share} %, repeat {repeat}, draw {draw}", partial(evaluate, network, X, y, split, make(seed + draw)))
        for seed in [settings.seed]
        for share in (SHARES[:2] if settings.quick else SHARES)
        for repeat in range(REPEATS)
        for draw, split in enumerate(draws(len(X), share, [seed, repeat]))
        if repeat * DRAWS + draw < (1 if settings.quick else fits)
    ]


def draws(n_states: int, share: int, seed: list[int]) -> list[Split]:
    """Training and test states of each draw of one repeat."""
    order = np.random.default_rng(seed).permutation(n_states)
    size = round(n_states * share / 100)
    rolled = [np.roll(order, -round(n_states * draw / DRAWS)) for draw in range(DRAWS)]
    return [(states[:size], states[size:]) for states in rolled]


def without_redundant_rules(network: BooleanNetwork) -> BooleanNetwork:
    """Leave out, one after the other, rules that change no successor."""
    states = network.states()
    wanted = network.successors(states)
    rules = list(network.rules)
    for rule in network.rules:
        rest = BooleanNetwork(network.genes, tuple(other for other in rules if other != rule))
        if (rest.successors(states) == wanted).all():
            rules.remove(rule)
    return BooleanNetwork(network.genes, tuple(rules))


def evaluate(network: BooleanNetwork, X: Any, y: Any, split: Split, model: NLNClassifier) -> dict[str, Any]:
    """Fit on the training states and compare with the network on all states."""
    train, test = split
    begin = time.process_time()
    with warnings.catch_warnings():  # a gene that alone decides another one is no mistake here
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X.iloc[train], y.iloc[train])
    seconds = time.process_time() - begin
    right = model.predict(X) == y.to_numpy()
    states = X.to_numpy() == 1
    true = np.column_stack([network.holds(rule, states) for rule in network.rules])
    heads = [f"{rule.head}_next" for rule in network.rules]
    return {
        "accuracy (%)": 100 * float(right[test].mean()),
        "equivalent (%)": 100.0 * bool(right.all()),
        **compare_rules.recovery(true, heads, *learned_rules(model, X)),
        "rules": float(model.program_.n_rules),
        "true rules": float(len(network.rules)),
        "fit CPU (s)": seconds,
        "listing": listing(model.program_),
        "genes": {gene: 100 * float(column.mean()) for gene, column in zip(y.columns, right[test].T, strict=True)},
    }


def listing(program: LogicProgram) -> list[str]:
    """Write the rules of a program as those of a Boolean network are written."""
    found = []
    for rule in program.rules:
        body = [(c.feature, bool(c.values[0]) != c.negated) for c in rule.conditions]  # genes have two values
        found.append(in_order(BooleanRule(str(rule.label).removesuffix("_next"), tuple(body))))
    return found


def in_order(rule: BooleanRule) -> str:
    """Write a rule with its genes in alphabetical order, so that equal rules read alike."""
    return str(BooleanRule(rule.head, tuple(sorted(rule.body))))


def summarize(name: str, found: Mapping[str, Any]) -> Part:
    """Take the mean over the draws of each share, beside the paper's accuracy, and name the genes that are missed."""
    rows, values, notes = [], {}, []
    for share, paper in zip(SHARES, BOOLEAN[name]["NLN"], strict=True):
        cells = [cell for key, cell in found.items() if key.startswith(f"{share} %")]
        if not cells:
            continue
        row = mean([{key: value for key, value in cell.items() if key not in ("genes", "listing")} for cell in cells])
        spread = float(np.std([cell["accuracy (%)"] for cell in cells]))
        head = {"accuracy (%)": row.pop("accuracy (%)"), "± over draws": spread, "paper (%)": paper}
        rows.append({"states": f"{share} %", "fits": len(cells), **head, **row})
        values |= {f"{share} %: {key}": value for key, value in {**head, **row}.items()}
        genes = mean([cell["genes"] for cell in cells])
        missed = sorted((gene for gene in genes if genes[gene] < 100), key=genes.get)
        if missed:
            notes.append(f"{share} %, accuracy by gene: " + ", ".join(f"{g} {genes[g]:.2f}" for g in missed) + ".")
    return {"table": rows, "values": values, "notes": notes}
