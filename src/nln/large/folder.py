"""Parts of a table that lie in files of one folder, read one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nln.checks import threads
from nln.large.engine import LocalEngine
from nln.large.part import Part
from nln.rules.cells import encode, find_values
from nln.rules.schema import Feature, Schema
from nln.tables.encoding import Floats
from nln.tables.files.folder import TableFolder
from nln.tables.frames import Table
from nln.tables.summary import Summary


class FolderEngine(LocalEngine):
    """The rows of table files that have a target; only codes stay in memory."""

    def __init__(
        self, folder: TableFolder, targets: Sequence[str], ignore: Sequence[str] = (), weights: str | None = None
    ) -> None:
        super().__init__(self._raw_parts, self._whole, threads(None))
        self.folder, self.targets, self.weights, self.left_out = folder, tuple(targets), weights, 0
        set_aside = {*targets, *ignore, *([weights] if weights else [])}
        self.features = tuple(name for name in folder.names if name not in set_aside)

    def typed(self, summary: Summary) -> Summary:
        """Find the types of text columns from the summary."""
        typed = map(self.folder.typed, summary.names, summary.columns)
        return replace(summary, columns=tuple(typed))

    def parts_by(self, schema: Schema) -> Iterator[Part]:
        """Read the parts by a schema."""
        labels = [Feature(name, "categorical", values) for name, values in self._labels(schema)]
        for number, first, table in self._labelled():
            target = [self.folder.column(table, label.name, label, first) for label in labels]
            y: Any = target[0]
            if schema.target.kind == "multilabel":
                y = np.column_stack([find_values(cells, (False, True)) for cells in target])
            yield Part(self.folder.by_schema(table, schema, first), y, self._weights(table, first), number)

    def _raw_parts(self) -> Iterator[Part]:
        """Read the parts before there is a schema."""
        for number, first, table in self._labelled():
            X = Table(self.features, tuple(self.folder.cells(table, self.features)), table.num_rows, True)
            y = Table(self.targets, tuple(self.folder.cells(table, self.targets)), table.num_rows, True)
            yield Part(X, y, self._weights(table, first), number)

    def _labelled(self) -> Iterator[tuple[int, int, Any]]:
        """Yield each part's number, the number of its first row, and its rows that have a target."""
        first, self.left_out = 0, 0
        for number, table in enumerate(self.folder.batches()):
            gaps = [cells.missing for cells in self.folder.cells(table, self.targets)]
            known = ~np.logical_or.reduce(gaps)
            self.left_out += int((~known).sum())
            yield number, first, table if known.all() else table.filter(known)
            first += table.num_rows

    def _whole(self) -> Part:
        """Read everything."""
        import narwhals as nw

        table = self.folder.read()
        known = np.all([np.asarray(table[name].is_valid()) for name in self.targets], axis=0)
        table = table.filter(known)
        y = table.select(list(self.targets))
        weights = None if self.weights is None else np.asarray(table[self.weights], np.float64)
        target = nw.from_native(y)[self.targets[0]] if len(self.targets) == 1 else y
        return Part(table.select(list(self.features)), target, weights)

    def _labels(self, schema: Schema) -> list[tuple[str, tuple[Any, ...]]]:
        if schema.target.kind == "multilabel":
            return [(name, (False, True)) for name in self.targets]
        return [(self.targets[0], schema.target.labels)]

    def _weights(self, table: Any, first: int) -> Floats | None:
        if self.weights is None:
            return None
        cells = self.folder.column(table, self.weights, Feature(self.weights, "continuous"), first)
        return encode(Feature(self.weights, "continuous"), cells).astype(np.float64)
