"""One part of a table: what each of the three passes makes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nln.rules import LogicProgram, Schema
from nln.rules.cells import Cells, Column, check_finite, find_values
from nln.rules.columns import read_inputs, read_truth
from nln.rules.decoding import decode
from nln.rules.evaluate import CHUNK, combine, memberships
from nln.rules.schema import Value
from nln.rules.thresholds import Bools, weights_by_threshold
from nln.tables.encoding import EncodedRows, Encoding, Floats, Integers, merge_rows, row_hashes
from nln.tables.frames import Table, read_table
from nln.tables.summary import Summary, summarise
from nln.tables.target import target_column


class Part(NamedTuple):
    """Some rows of a table, in any library that `NLNClassifier` takes."""

    X: Any
    y: Any
    weights: Any = None
    number: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        if isinstance(self.X, Table):
            return self.X.n_rows
        return len(next(iter(self.X.values()))) if isinstance(self.X, dict) else len(self.X)


class TargetCells(NamedTuple):
    """The decoded target of a part."""

    names: tuple[str | None, ...]
    columns: tuple[Cells, ...]  # one of classes, or one per label


def read_part_target(y: Any) -> TargetCells:
    """Decode the target of a part: classes, or 0 and 1 for each label."""
    column = target_column(y)
    if isinstance(y, Table):
        return TargetCells(y.names, tuple(y.cells(name) for name in y.names))
    if column is not None:
        name = getattr(column, "name", None)
        return TargetCells((name if isinstance(name, str) and name else None,), (decode("y", column),))
    table = read_table(y, argument="y")
    names = table.names if table.named else tuple(f"y{i}" for i in range(len(table.names)))
    return TargetCells(names, tuple(table.cells(name) for name in table.names))


def summarise_part(part: Part, size: int, bound: np.uint64 | None = None) -> Summary | None:
    """Summarise a part, its target included; None if it has no rows."""
    if not part.n_rows:
        return None
    with _named(part):
        table, target = read_table(part.X), read_part_target(part.y)
        if len(target.columns[0]) != table.n_rows:
            raise ValueError(f"X has {table.n_rows} rows, but y has {len(target.columns[0])}.")
        columns = [table.cells(name) for name in table.names]
        for name, cells in zip(table.names, columns, strict=True):
            check_finite(name, cells)
        for cells in target.columns:
            if cells.missing.any():
                row = int(cells.missing.argmax())
                raise ValueError(f"The target has a missing value at row {row}. Drop such rows or label them.")
        names = (*table.names, *(name or "" for name in target.names))
        return summarise(names, [*columns, *target.columns], _weights(part), size, len(target.columns), bound)


@dataclass(frozen=True)
class Coder:
    """How a part becomes codes: all that a machine needs to know of the fit."""

    schema: Schema
    encoding: Encoding
    names: tuple[str, ...]  # columns of X
    named: bool
    class_weights: Mapping[Value, float] | None  # by class
    unit: float  # what a weight of 1 counts, so that their mean is 1

    def columns(self, part: Part) -> dict[str, Column]:
        """Read the columns, as a fitted model does."""
        return read_inputs(part.X, self.schema, names=self.names, named=self.named).columns

    def truth(self, part: Part) -> Bools:
        """What holds in each row, (rows, outputs)."""
        return read_truth(part.y, self.schema, part.n_rows)

    def weights(self, part: Part) -> Floats:
        """Weight of each row, in the unit of the fit."""
        weights = _weights(part)
        if self.class_weights is not None:
            labels = read_part_target(part.y).columns[0]
            weights = weights * by_class(labels, self.class_weights)
        return in_unit(weights, self.unit)


def by_class(labels: Cells, class_weights: Mapping[Value, float]) -> Floats:
    """Weight of each row's class."""
    values = tuple(class_weights)
    return np.array([*class_weights.values(), 1.0])[np.minimum(find_values(labels, values), len(values))]


def in_unit(weights: Floats, unit: float) -> Floats:
    """Weights as shares of their mean; 40 bits are kept, so that rounding leaves no trace of how the sum was made."""
    digits, exponents = np.frexp(weights * unit)
    return np.ldexp(np.round(digits * 2.0**40) / 2.0**40, exponents)


def deal_part(part: Part, coder: Coder, n_buckets: int) -> list[EncodedRows]:
    """Encode a part, merge its equal rows, and deal them into buckets by their hashes."""
    if not part.n_rows:
        width = len(coder.encoding.slots), len(coder.schema.target.outputs)
        none = [np.empty((0, size)) for size in width]
        return [
            EncodedRows(none[0].astype(np.uint8), none[1].astype(np.float32), np.empty(0), np.empty(0, np.int64))
        ] * (n_buckets)
    with _named(part):
        codes, truth = coder.encoding.codes(coder.columns(part), part.n_rows), coder.truth(part)
        return deal(merge_rows(codes, truth.astype(np.float64), coder.weights(part)), n_buckets)


def deal(rows: EncodedRows, n_buckets: int) -> list[EncodedRows]:
    """Cut rows, which are in the order of their hashes, where buckets begin."""
    hashes = row_hashes(rows.codes, rows.targets)
    begins = [np.uint64(b * 2**64 // n_buckets) for b in range(1, n_buckets)]
    cuts = np.searchsorted(hashes, np.array(begins, np.uint64)) if begins else np.empty(0, np.int64)
    return [rows.take(part) for part in np.split(np.arange(rows.n_rows), cuts)]


def gather(pieces: Sequence[EncodedRows]) -> EncodedRows:
    """Merge the pieces of one bucket."""
    codes, targets, weights, counts = (
        np.concatenate([getattr(piece, name) for piece in pieces]) for name in ("codes", "targets", "weights", "counts")
    )
    return merge_rows(codes, targets.astype(np.float64), weights, seen=counts)


class Tally(NamedTuple):
    """What a program does on some rows."""

    n_rows: int
    covered: Integers  # rows of each rule
    hits: Integers  # those of them with the rule's label
    holds: Integers  # rows of each output's label
    by_threshold: Floats  # (outputs, 2, places): see `weights_by_threshold`

    def __add__(self, other: Any) -> Tally:
        return Tally(*(one + two for one, two in zip(self, other, strict=True)))


def tally_part(part: Part, coder: Coder, programs: Sequence[LogicProgram]) -> list[Tally] | None:
    """Count what programs cover and decide in a part; None if it has no rows."""
    if not part.n_rows:
        return None
    with _named(part):
        used = {name for program in programs for name in program.features_used}
        inputs = read_inputs(part.X, coder.schema, only=used, names=coder.names, named=coder.named)
        truth, weights = coder.truth(part), coder.weights(part)
        kept = weights > 0
        columns = {name: column[kept] for name, column in inputs.columns.items()}
        return [tally(program, columns, truth[kept], weights[kept]) for program in programs]


def tally(program: LogicProgram, columns: Mapping[str, Column], truth: Bools, weights: Floats) -> Tally:
    """Count what a program covers and decides, some rows at a time."""
    outputs = program.schema.target.outputs
    owner = [outputs.index(rule.label) for rule in program.rules]
    total: Tally | None = None
    for start in range(0, max(len(truth), 1), CHUNK):
        window = slice(start, start + CHUNK)
        some, weight = truth[window], weights[window]
        fired = memberships(program, {name: column[window] for name, column in columns.items()}, rows=len(some))
        covered, P = fired >= 0.5, combine(program, fired)
        by_threshold = [weights_by_threshold(t, p, weight) for t, p in zip(some.T, P.T, strict=True)]
        counts = covered.sum(axis=0), (covered & some[:, owner]).sum(axis=0), some.sum(axis=0)
        found = Tally(len(some), *counts, np.array(by_threshold))
        total = found if total is None else total + found
    assert total is not None
    return total


def _weights(part: Part) -> Floats:
    if part.weights is None:
        return np.ones(part.n_rows)
    try:
        weights = np.asarray(part.weights, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"sample_weight must hold numbers: {error}.") from None
    if weights.shape != (part.n_rows,):
        raise ValueError(f"sample_weight must have one entry per row, shape ({part.n_rows},), not {weights.shape}.")
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        raise ValueError(f"sample_weight must be finite and at least 0; row {bad[0]} has {float(weights[bad[0]])!r}.")
    return weights


@contextmanager
def _named(part: Part) -> Iterator[None]:
    """Let errors say which part they are about."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise type(error)(f"{error} This is part {part.number} of the table, whose rows are counted from 0.") from None
