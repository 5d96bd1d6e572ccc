"""What a person sees: the rules learned from the kidney data, and one case explained."""

from __future__ import annotations

from typing import Any

from benchmarks.record import Part, Record
from benchmarks.settings import Settings
from benchmarks.tables import TABLES
from nln import NLNClassifier

CASE = 5
"""Row that is explained."""


def run(settings: Settings, record: Record) -> None:
    """Fit once and write down what is read."""
    record.part("kidney", _measure)


def _measure(settings: Settings) -> Part:
    X, y = TABLES["kidney"](settings)
    y = y.map({True: "ckd", False: "absent"}).rename("disease")  # in sorted order ckd comes second: the positive class
    model = NLNClassifier(random_state=settings.seed).fit(X, y)
    row: dict[str, Any] = X.iloc[CASE].to_dict()
    texts = {"rules": str(model.program_), "why": str(model.explain(row))}
    return {"notes": [f"```\n{text}\n```" for text in texts.values()], "values": texts}
