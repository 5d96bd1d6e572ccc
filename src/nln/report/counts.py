"""What a report counts in a table: values of features, rows that rules cover, errors. Only counts, no rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nln.export.wording import spelling
from nln.rules import LogicProgram
from nln.rules.cells import MISSING, UNSEEN, Column
from nln.rules.derived.child_count import ChildCount
from nln.rules.language.words import spelled
from nln.rules.schema import Feature, Target
from nln.scores import Outcomes, wilson

BINS = 24
EDGES = (0.02, 0.98)
"""Quantiles at the ends of an axis of numbers; values outside are counted in the outermost bins."""

LARGEST = 1e300
"""The largest end of an axis, so that a page can compute with the distance between both ends."""

BANDS = 10
"""The number of equal bands of probability in which the calibration is counted."""

MOST_PAIRS = 10
"""The number of pairs of rules listed."""


def describe_feature(feature: Feature, column: Column, truth: NDArray[np.bool_]) -> dict[str, Any]:
    """Count the values of a feature, in all rows and in those of each output; `truth` is (rows, outputs).

    The result has `name`, `spelled` (as the rule language writes it), `kind`, `missing`, `counts` (per value or bin),
    `by_output` and `typical`; for numbers also `low` and `high`, the ends of the bins (halfway between two numbers if
    they are whole), and `whole`, `range`, `calculated`, and `table`, `rows` and `every` (what it counts) if the schema
    has them; for values also `values`, `codes` (as the rule language writes them) and `unseen`.
    """
    name = spelled(feature.name) if feature.is_named or feature.derived is None else feature.derived.text
    start: dict[str, Any] = {"name": feature.name, "spelled": name, "kind": feature.kind}
    if isinstance(feature.derived, ChildCount):  # the page has no rows of other tables: it takes counts as given
        counted = {"rows": feature.derived.rows_text, "every": feature.derived.every_text}
        start |= {"table": feature.derived.table, **({} if feature.is_named else counted)}
    elif feature.derived is not None:
        start |= {"calculated": True, "named": feature.is_named}
    if feature.whole:
        start["whole"] = True
    if feature.range is not None:
        start["range"] = [plain_number(end) for end in feature.range]
    more = _numbers(column, whole=feature.whole) if feature.is_numeric else _values(feature, column)
    places, size = more.pop("places"), more.pop("size")
    present = places >= 0
    counts = np.bincount(places[present], minlength=size)
    by_output = [np.bincount(places[present & holds], minlength=size).tolist() for holds in truth.T]
    most = int(counts.argmax()) if counts.any() else None
    return {**start, "typical": most, **more, "counts": counts.tolist(), "by_output": by_output}


def describe_coverage(covered: NDArray[np.bool_], outcomes: Outcomes) -> dict[str, Any]:
    """Count the rows that each rule covers, by label and together with each other rule; `covered` is (rows, rules).

    The result has `by_label`, a count per rule and label; `overlap`, a count per pair of rules; `pairs`, the indices of
    the pairs that share most in proportion to the rows that either covers; `none`, the rows that no rule covers.
    """
    numbers = covered.astype(np.float64)
    overlap = (numbers.T @ numbers).astype(np.intp)
    rows = np.diag(overlap)
    either = rows[:, None] + rows - overlap
    share = np.triu(overlap / np.maximum(either, 1), 1)
    order = np.argsort(-share, axis=None, kind="stable")[:MOST_PAIRS]
    pairs = [[int(i), int(j)] for i, j in zip(*np.unravel_index(order, share.shape), strict=True) if share[i, j] > 0]
    return {
        "by_label": (numbers.T @ outcomes.holds).astype(np.intp).tolist(),
        "overlap": overlap.tolist(),
        "pairs": pairs,
        "none": int(np.count_nonzero(~covered.any(axis=1))),
    }


def describe_errors(program: LogicProgram, covered: NDArray[np.bool_], outcomes: Outcomes) -> dict[str, Any]:
    """Count the errors by the rules that cause them.

    The result has `rows`, the number decided wrongly; `rules`, for each rule the rows where it fires and its label is
    decided but does not hold; `outputs`, for each output the rows where it holds but is not decided (`missed`) and
    those of them where none of its rules fires (`silent`).
    """
    target = program.schema.target
    places = [target.labels.index(label) for label in target.outputs]
    wrongly = (outcomes.decided & ~outcomes.holds)[:, places]
    missed = (outcomes.holds & ~outcomes.decided)[:, places]
    owner = np.array([target.outputs.index(rule.label) for rule in program.rules], np.intp)
    outputs = []
    for k, misses in enumerate(missed.T):
        silent = misses & ~covered[:, owner == k].any(axis=1)
        outputs.append({"missed": int(misses.sum()), "silent": int(silent.sum())})
    caused = [int(np.count_nonzero(covered[:, i] & wrongly[:, k])) for i, k in enumerate(owner)]
    return {"rows": int(np.count_nonzero(~outcomes.right)), "rules": caused, "outputs": outputs}


def describe_calibration(outcomes: Outcomes, target: Target) -> list[list[dict[str, Any]]]:
    """Compare, for each output, the probability with the share of rows where it holds, in bands of the probability.

    A band has the `mean` probability of its `rows`, in how many the output `holds`, and the ends of Wilson's 95 %
    interval of their share, `low` and `high`. Bands without rows are left out.
    """
    found = []
    for k in (target.labels.index(label) for label in target.outputs):
        P, holds = outcomes.probabilities[:, k], outcomes.holds[:, k]
        band = np.minimum(P * BANDS, BANDS - 1).astype(np.intp)
        rows, hits = np.bincount(band, minlength=BANDS), np.bincount(band[holds], minlength=BANDS)
        sums = np.bincount(band, P, minlength=BANDS)
        found.append([_calibrated(sums[b] / rows[b], int(hits[b]), int(rows[b])) for b in np.flatnonzero(rows)])
    return found


def _calibrated(mean: float, holds: int, rows: int) -> dict[str, Any]:
    low, high = wilson(holds, rows)
    return {"mean": float(mean), "holds": holds, "rows": rows, "low": low, "high": high}


def plain_number(value: float) -> float | int | None:
    """Shorten a number for JSON: no `.0`, None for a missing value, the largest float for infinity."""
    if np.isnan(value):
        return None
    value = float(np.nan_to_num(value))
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _values(feature: Feature, column: NDArray[Any]) -> dict[str, Any]:
    is_listed = bool(feature.values)  # those of features that no rule asks about are not
    return {
        "places": column if is_listed else np.full_like(column, MISSING),
        "size": len(feature.values),
        "values": [spelling(value) for value in feature.values],
        "codes": [spelled(value) for value in feature.values],
        "missing": int(np.count_nonzero(column == MISSING)),
        "unseen": int(np.count_nonzero(column == UNSEEN)) if is_listed else 0,
    }


def _numbers(column: NDArray[Any], *, whole: bool) -> dict[str, Any]:
    missing = np.isnan(column)
    finite = column[np.isfinite(column)] / 4  # quarters, since sums and differences of finite numbers may be infinite
    low, high = _axis(finite)
    size = BINS
    if whole:  # a bar for each number, if there are not too many
        low, high = np.floor(low) - 0.5, np.ceil(high) + 0.5
        size = int(high - low) if high - low <= 2 * BINS else BINS
    median = 4 * np.median(finite) if len(finite) else 0.0
    share = (np.clip(column, low, high) - low) / (high - low)
    with np.errstate(invalid="ignore"):
        places = np.where(missing, MISSING, np.minimum(share * size, size - 1)).astype(np.intp)
    return {
        "places": places,
        "size": size,
        "low": float(low),
        "high": float(high),
        "missing": int(np.count_nonzero(missing)),
        "typical": plain_number(float(f"{np.floor(median) if whole else median:.4g}")) if len(finite) else None,
    }


def _axis(quarters: NDArray[Any]) -> tuple[float, float]:
    """Choose the ends of the axis, far enough apart to divide by their distance."""
    low, high = np.quantile(quarters, EDGES).tolist() if len(quarters) else (0.0, 0.25)
    low, high = (min(max(4 * end, -LARGEST), LARGEST) for end in (low, high))
    least = max(abs(low), abs(high)) * 1e-9
    if not high - low > least:
        low, high = low - max(least, 0.5), high + max(least, 0.5)
    return low, high
