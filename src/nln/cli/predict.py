"""`nln predict`: decide about the rows of a table file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
import typer

from nln.cli.arguments import AsJson, DataFile, Force, Missing, ModelFile, Output
from nln.cli.children import ChildFiles, child_files
from nln.cli.errors import InputError, refusals_as_input_errors
from nln.cli.inputs import load_program, open_table
from nln.cli.outputs import check_output, counting_rows, print_notes, writing_output
from nln.cli.rows import chunks_of
from nln.rules import LogicProgram, Target, probabilities
from nln.tables.files.table_file import Chunk

_Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        min=0,
        max=1,
        help="Probability from which a class or label is decided; the model's by default.",
    ),
]


def predict(
    model: ModelFile,
    data: DataFile,
    tables: ChildFiles = None,
    threshold: _Threshold = None,
    output: Output = None,
    missing: Missing = None,
    as_json: AsJson = False,
    force: Force = False,
) -> None:
    """Decide about each row of a table; write its class and the probability of each class, as CSV or as JSON lines."""
    check_output(output, force)
    program = _with_threshold(load_program(model), threshold)
    children = child_files(program.schema, program.features_used, tables)
    table = open_table(data, missing)
    chunks = chunks_of(table, program, children, missing)
    if output is not None:  # lines that go to the terminal show the progress themselves
        chunks = counting_rows(chunks)
    lines = _json_lines if as_json else _csv_lines
    with refusals_as_input_errors(), writing_output(output) as file:
        for piece in lines(program, chunks):
            file.write(piece.encode())
    print_notes(table.notes)


def _with_threshold(program: LogicProgram, threshold: float | None) -> LogicProgram:
    """Let the program decide from another probability, the same for all labels."""
    if threshold is None:
        return program
    if program.schema.target.kind == "multiclass":
        raise InputError("--threshold is for two classes or labels: of several classes the most probable is decided.")
    return replace(program, thresholds=(threshold,) * len(program.thresholds))


def _csv_lines(program: LogicProgram, chunks: Iterable[Chunk]) -> Iterator[str]:
    """Yield CSV: the header, then some rows at a time; probabilities have six digits."""
    target = program.schema.target
    decided = list(map(_spelling, target.labels)) if target.kind == "multilabel" else [target.name]
    head: list[Any] = ["row", *decided, *(f"P({_spelling(label)})" for label in target.labels)]
    for chunk in chunks:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if head:  # only now: a table that cannot be read leaves no output
            writer.writerow(head)
            head = []
        for row, decision, P in decisions(program, chunk):
            said = decision.values() if isinstance(decision, dict) else [_spelling(decision)]
            writer.writerow([row, *said, *(f"{p:.6g}" for p in P)])
        yield text.getvalue()


def _json_lines(program: LogicProgram, chunks: Iterable[Chunk]) -> Iterator[str]:
    """Yield one JSON object per row."""
    target = program.schema.target
    labels = [_spelling(label) for label in target.labels]
    for chunk in chunks:
        rows = []
        for row, decision, P in decisions(program, chunk):
            said = {"row": row, "decision": decision, "probabilities": dict(zip(labels, P, strict=True))}
            rows.append(json.dumps(said, ensure_ascii=False) + "\n")
        yield "".join(rows)


def decisions(program: LogicProgram, chunk: Chunk) -> Iterator[tuple[int, Any, list[float]]]:
    """Yield each row's number, its class or a dictionary from labels to 0 and 1, and the probability of each label."""
    columns = chunk.columns(program.schema, only=program.features_used)
    P = probabilities(program, columns, rows=len(chunk.rows))
    decided = program.decide(P)
    shares = program.label_probabilities(P).tolist()
    for row, found, share in zip(chunk.rows.tolist(), decided, shares, strict=True):
        yield row, _decision(program.schema.target, found), share


def _decision(target: Target, found: Any) -> Any:
    if target.kind != "multilabel":
        return target.labels[int(found)]
    return {_spelling(label): int(holds) for label, holds in zip(target.labels, np.asarray(found), strict=True)}


def _spelling(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
