"""`audit`: how a program treats groups of people, which rules cause the differences, and what avoiding them costs."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nln.compose.audit_report import RATES, Association, Audit, AuditedRule, Gap, Group, Measure, RateName, Refit
from nln.compose.core.measure import measure
from nln.compose.core.results import rule_texts
from nln.rules import Feature, LogicProgram, memberships
from nln.rules.cells import MISSING, UNSEEN, Column
from nln.rules.children.reading import Tables
from nln.rules.columns import read_inputs, read_truth
from nln.rules.evaluate import combine
from nln.rules.language.words import number, spelled
from nln.rules.opening import sources
from nln.rules.validate import listed
from nln.scores import Bools, Floats, decided_outputs

if TYPE_CHECKING:
    from nln.classifier import NLNClassifier
    from nln.tables.frames import Table

PROXY = 0.5
"""A large effect in the sense of Cohen, both for a correlation and for Cramér's V of a column of two values."""


def audit(
    model: Any,
    X: Any,
    y: Any,
    protected: Sequence[str],
    *,
    proxy_threshold: float = PROXY,
    bands: int = 4,
    min_rows: int = 30,
    refit: NLNClassifier | None = None,
    held_out: float = 0.25,
    random_state: int = 0,
    tables: Tables | None = None,
) -> Audit:
    """Look for rules that treat groups differently.

    Parameters
    ----------
    model : NLNClassifier, SavedModel or LogicProgram
        The rules.
    X : data frame or array-like of shape (n_samples, n_features)
        Rows to audit on, as for `NLNClassifier.fit`. A protected attribute may be a column that the model never saw.
    y : array-like of shape (n_samples,) or (n_samples, n_labels)
        The true classes, or 0 and 1 for each label.
    protected : sequence of str
        Columns whose values form the groups; numbers form bands with about equal numbers of rows.
    proxy_threshold : float, default=0.5
        Another column counts as a proxy of a protected one if their association, from 0 to 1, is at least this.
    bands : int, default=4
        Number of bands of a protected column of numbers, at least 2.
    min_rows : int, default=30
        Rates over fewer rows are shown, but not used for gaps, since they are too uncertain.
    refit : NLNClassifier, default=None
        How to learn again without the protected attributes and their proxies. It is copied and stays unfitted. One copy
        learns with the columns that the model knows, another one without the protected columns and the proxies among
        them, from the same rows; both are scored on the left-out rows.
    held_out : float, default=0.25
        Share of the rows that are left out to score the refit.
    random_state : int, default=0
        Seed for the choice of the left-out rows.
    tables : mapping of str to Child, default=None
        The child tables whose rows the rules count, by their names; without `refit` the tables alone will do.

    Returns
    -------
    Audit
        `print` it to read it.

    Examples
    --------
    >>> import pandas as pd
    >>> from nln.rules import Schema, Target
    >>> features = Feature("sex", "binary", ("f", "m")), Feature("hours", "continuous")
    >>> schema = Schema(features, Target("hired", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF sex = m AND hours >= 20 THEN hired = yes", schema=schema)
    >>> X = pd.DataFrame({"sex": ["f", "m"] * 50, "hours": [10, 10, 30, 30] * 25})
    >>> found = audit(program, X, ["no", "no", "yes", "yes"] * 25, protected=["sex"], min_rows=20)
    >>> found.gaps[0]
    Gap(protected='sex', output='yes', rate='selection rate', high='m', low='f', size=0.5)
    >>> found.rules[0].protected, found.rules[0].effects[0]
    (('sex',), -0.5)
    """
    from nln.tables.frames import read_table

    program = model if isinstance(model, LogicProgram) else getattr(model, "program_", None)
    if not isinstance(program, LogicProgram):
        raise TypeError(f"audit takes a fitted classifier or a LogicProgram, not {type(model).__name__}.")
    _check_numbers(proxy_threshold, bands, min_rows, held_out)
    table = read_table(X)
    names = _check_protected(protected, table)
    columns, features = _read(table, program, names, tables)
    truth = read_truth(y, program.schema, table.n_rows)
    found = tuple(_associations(columns, features, names, proxy_threshold))
    proxies = tuple(dict.fromkeys(one.column for one in found if one.proxy))
    view = _View(program, columns, truth)
    cuts = {name: _groups(columns[name], features[name], bands) for name in names}
    groups = tuple(_rates(view, cuts))
    gaps = tuple(_gaps(groups, min_rows))
    rules = tuple(_audited_rules(view, cuts, gaps, proxies))
    report = Audit(program, table.n_rows, names, float(proxy_threshold), found, groups, gaps, rules)
    if refit is None:
        return report
    return replace(report, refit=_refit(refit, report, X, y, tables, table.names, held_out, random_state))


def _check_numbers(proxy_threshold: float, bands: int, min_rows: int, held_out: float) -> None:
    if not 0.0 < proxy_threshold <= 1.0:
        raise ValueError(f"proxy_threshold must lie above 0 and be at most 1, not {proxy_threshold!r}.")
    for name, given, least in (("bands", bands, 2), ("min_rows", min_rows, 1)):
        if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < least:
            raise ValueError(f"{name} must be a whole number of at least {least}, not {given!r}.")
    if not 0.0 < held_out < 1.0:
        raise ValueError(f"held_out must lie between 0 and 1, not {held_out!r}.")


def _check_protected(protected: Sequence[str], table: Table) -> tuple[str, ...]:
    if isinstance(protected, str) or not isinstance(protected, Sequence):
        raise TypeError(f"protected must be a list of column names, not {protected!r}.")
    if not protected:
        raise ValueError(f"protected names no column; X has {listed(table.names)}.")
    if not table.n_rows:
        raise ValueError("X has no rows; give at least one.")
    for name in protected:
        if name not in table.names:
            raise ValueError(f"protected names {name!r}, but X has no such column; it has {listed(table.names)}.")
    return tuple(dict.fromkeys(protected))


def _read(
    table: Table, program: LogicProgram, protected: tuple[str, ...], tables: Tables | None
) -> tuple[dict[str, Column], dict[str, Feature]]:
    """Read the columns that the program knows, and the protected ones that it does not know."""
    from nln.tables.infer import infer_features

    used = program.schema.plain(program.features_used)
    absent = [name for feature in used for name in sources(feature, table.names) if name not in table.names]
    if absent:
        raise ValueError(f"Rules ask about {listed(absent)}, but X has no such column; it has {listed(table.names)}.")
    present = {f.name for f in program.schema.features if set(sources(f, table.names)) <= set(table.names)}
    parts = {name: {f.name for f in program.schema.plain([name])} for name in program.schema.names}
    known = [f for f in program.schema.features if parts[f.name] <= present and (f.is_numeric or f.values)]
    read_so_far = read_inputs(
        table, program.schema, only=program.features_used, if_present=[f.name for f in known], tables=tables
    )
    columns = read_so_far.columns
    features = {feature.name: feature for feature in known if feature.name in columns}
    # Model files do not hold the values of features that no rule asks about.
    unlisted = {f.name for f in program.schema.features if not f.is_numeric and not f.values} & {*table.names}
    new = [name for name in dict.fromkeys((*protected, *sorted(unlisted))) if name not in features]
    inferred: Sequence[Feature] = ()
    if new:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about a column with one value, which is an error here
            inferred, read = infer_features(table.select(new))
        columns.update(read)
        features.update({feature.name: feature for feature in inferred})
    for name in protected:
        if any(name in sources(feature, table.names) for feature in inferred if feature.name != name):
            raise ValueError(
                f"The protected column {name!r} is read as a date, which has no groups. Give a column of groups, for "
                "example the year."
            )
        if name not in features:
            raise ValueError(f"The protected column {name!r} does not have two different values: there are no groups.")
    return columns, features


def _associations(
    columns: dict[str, Column], features: dict[str, Feature], protected: tuple[str, ...], threshold: float
) -> Iterator[Association]:
    for name in protected:
        found = []
        for other, feature in features.items():
            if other not in protected:
                how, strength = association(columns[name], features[name], columns[other], feature)
                found.append(Association(other, name, how, strength, strength >= threshold))
        yield from sorted(found, key=lambda one: -one.strength)


def association(one: Column, feature: Feature, other: Column, other_feature: Feature) -> tuple[Measure, float]:
    """Measure how closely two columns are related, from 0 (not at all) to 1 (one determines the other).

    A missing value counts as a value of its own among values, and is left out among numbers.
    """
    if feature.is_numeric and other_feature.is_numeric:
        return "Spearman", abs(spearman(one, other))
    if feature.is_numeric:
        return "correlation ratio", correlation_ratio(other, one)
    if other_feature.is_numeric:
        return "correlation ratio", correlation_ratio(one, other)
    return "Cramér's V", cramers_v(one, other)


def cramers_v(one: Column, other: Column) -> float:
    """Cramér's V of two columns of values, `sqrt(chi2 / n / min(r - 1, c - 1))`; 0 if a column has only one value."""
    rows, r = _numbered(one)
    columns, c = _numbered(other)
    if min(r, c) < 2:
        return 0.0
    counts = np.bincount(rows * c + columns, minlength=r * c).reshape(r, c).astype(np.float64)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / len(rows)
    chi2 = float(((counts - expected) ** 2 / expected).sum())
    return min(1.0, math.sqrt(chi2 / len(rows) / (min(r, c) - 1)))


def correlation_ratio(values: Column, numbers: Column) -> float:
    """Square root of the share of the numbers' variance that lies between the values."""
    known = np.isfinite(numbers)
    if not known.any():
        return 0.0
    groups, n_groups = _numbered(values[known])
    x = numbers[known].astype(np.float64)
    x = x - x.mean()
    total = float(x @ x)
    if total == 0.0:
        return 0.0
    sums = np.bincount(groups, weights=x, minlength=n_groups)
    between = float((sums**2 / np.bincount(groups, minlength=n_groups)).sum())
    return min(1.0, math.sqrt(between / total))


def spearman(one: Column, other: Column) -> float:
    """Correlation of the ranks of two columns of numbers, where ties share their mean rank; 0 if one does not vary."""
    known = np.isfinite(one) & np.isfinite(other)
    x, y = (_centred_ranks(column[known]) for column in (one, other))
    scale = math.sqrt(float(x @ x) * float(y @ y))
    return 0.0 if scale == 0.0 else max(-1.0, min(1.0, float(x @ y) / scale))


def _centred_ranks(column: Column) -> Floats:
    _, numbers, counts = np.unique(column, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - (counts + 1) / 2
    centred: Floats = mean_rank[numbers.reshape(-1)] - (len(column) - 1) / 2
    return centred


def _numbered(column: Column) -> tuple[NDArray[np.intp], int]:
    """Number the values from 0."""
    values, numbers = np.unique(column, return_inverse=True)
    return numbers.reshape(-1), len(values)


def _groups(column: Column, feature: Feature, bands: int) -> dict[str, Bools]:
    """Masks of the groups that a protected column forms."""
    if feature.is_numeric:
        missing = np.isnan(column)
        known = np.asarray(column[~missing], np.float64)
        quantiles = np.quantile(known, np.arange(1, bands) / bands, method="higher") if len(known) else known
        edges: Floats = np.unique(quantiles[quantiles > known.min(initial=np.inf)])
        places = np.searchsorted(edges, column, side="right")
        groups = {_band(edges, place): (places == place) & ~missing for place in range(len(edges) + 1)}
        groups["missing"] = missing
    else:
        # Values are written as in the rule language, so that none is mistaken for one of the other two groups.
        groups = {spelled(value): column == place for place, value in enumerate(feature.values)}
        groups |= {"other values": column == UNSEEN, "missing": column == MISSING}
    return {name: rows for name, rows in groups.items() if rows.any()}


def _band(edges: Floats, place: int) -> str:
    low = None if place == 0 else number(edges[place - 1])
    high = None if place == len(edges) else number(edges[place])
    if low is None:
        return "all" if high is None else f"below {high}"
    return f"{low} and above" if high is None else f"{low} to below {high}"


class _View:
    """A program on the audited rows: the memberships of its rules, and its decisions."""

    def __init__(self, program: LogicProgram, columns: dict[str, Column], truth: Bools) -> None:
        self.program, self.truth, self.outputs = program, truth, program.schema.target.outputs
        self.r = memberships(program, columns, rows=len(truth))
        self.decided = decided_outputs(program, combine(program, self.r))

    def without(self, i: int) -> Bools:
        """Decide without rule i: `1 - (1 - o) prod_{j != i} (1 - a_j r_j)`."""
        others = np.where(np.arange(self.program.n_rules) == i, 0.0, self.r)
        return decided_outputs(self.program, combine(self.program, others))

    def base(self, rate: RateName, k: int) -> Bools:
        """The rows over which a rate of output k is a share."""
        if rate == "selection rate":
            return np.ones(len(self.truth), np.bool_)
        holds: Bools = self.truth[:, k]
        return holds if rate == "true positive rate" else ~holds


def _rates(view: _View, cuts: dict[str, dict[str, Bools]]) -> Iterator[Group]:
    for name, groups in cuts.items():
        for k, output in enumerate(view.outputs):
            for group, rows in groups.items():
                decided = [view.decided[rows & view.base(rate, k), k] for rate in RATES]
                rates = tuple(float(part.mean()) if len(part) else None for part in decided)
                positive = int(np.count_nonzero(view.truth[rows, k]))
                yield Group(name, group, output, int(np.count_nonzero(rows)), positive, rates)


def _gaps(groups: tuple[Group, ...], min_rows: int) -> Iterator[Gap]:
    for (name, output), found in groupby(groups, key=lambda group: (group.protected, group.output)):
        members = list(found)
        for place, rate in enumerate(RATES):
            counted = [
                (group.rates[place] or 0.0, group.group)
                for group in members
                if (group.rows, group.positive, group.rows - group.positive)[place] >= min_rows
            ]
            if len(counted) >= 2:
                # The first of equal groups, on both sides.
                high, low = max(counted, key=lambda one: one[0]), min(counted, key=lambda one: one[0])
                yield Gap(name, output, rate, high[1], low[1], high[0] - low[0])


def _audited_rules(
    view: _View, cuts: dict[str, dict[str, Bools]], gaps: tuple[Gap, ...], proxies: tuple[str, ...]
) -> Iterator[AuditedRule]:
    """Say which sensitive columns each rule asks about, and by how much its removal changes each gap."""
    sides = []
    for gap in gaps:
        k = view.outputs.index(gap.output)
        groups, base = cuts[gap.protected], view.base(gap.rate, k)
        sides.append((gap.size, k, np.flatnonzero(groups[gap.high] & base), np.flatnonzero(groups[gap.low] & base)))
    for i, (rule, text) in enumerate(zip(view.program.rules, rule_texts(view.program), strict=True)):
        decided = view.without(i)
        effects = [float(decided[high, k].mean() - decided[low, k].mean()) - size for size, k, high, low in sides]
        named = {condition.feature for condition in rule.conditions}
        asked = named | {feature.name for feature in view.program.schema.plain(named)}
        protected, close = (tuple(name for name in names if name in asked) for names in (cuts, proxies))
        yield AuditedRule(i + 1, text, rule.label, protected, close, tuple(effects))


def _refit(
    classifier: NLNClassifier,
    report: Audit,
    X: Any,
    y: Any,
    tables: Tables | None,
    names: tuple[str, ...],
    held_out: float,
    random_state: int,
) -> Refit:
    from sklearn.base import clone
    from sklearn.model_selection import train_test_split

    from nln.learning.constraints import Constraints
    from nln.tables.frames import read_table

    if math.ceil(held_out * report.rows) >= report.rows:
        raise ValueError(f"held_out={held_out!r} leaves no rows of {report.rows} to learn from.")
    train_X, test_X, train_y, test_y = train_test_split(X, y, test_size=held_out, random_state=random_state)
    given = classifier.constraints or Constraints()
    schema = report.program.schema
    keys = {table.parent_key for table in schema.tables}
    unknown = [name for name in names if name not in schema.names and name not in keys]
    left_out = tuple(name for name in report.forbidden if name not in schema.names or schema[name].derived is None)
    programs = []
    for forbidden in (unknown, [*unknown, *left_out]):
        model = clone(classifier).set_params(constraints=replace(given, forbidden=[*given.forbidden, *forbidden]))
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".* belong to no row of X", UserWarning)  # but to left-out rows
            programs.append(model.fit(train_X, train_y, tables=tables).program_)
    before, after = (measure(program, read_table(test_X), test_y, tables=tables) for program in programs)
    return Refit(left_out, report.rows - after.rows, before, after, programs[1])
