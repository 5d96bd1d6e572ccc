"""Operations on programs: merge, select, transfer, compare, update, teach, edit, audit and diff.

The programs given are never changed. `teach` alone learns: it is imported when first used, so that the other operations
do not load scikit-learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nln.compose.audit import audit
from nln.compose.audit_report import Association, Audit, AuditedRule, Gap, Group, Refit
from nln.compose.compare import Comparison, Match, Stability, compare, stability
from nln.compose.core.adjust import adjust
from nln.compose.core.changes import ConditionChange
from nln.compose.core.measure import Scores
from nln.compose.core.prune import prune
from nln.compose.diff import Difference, OutputDifference, RuleDifference, diff
from nln.compose.edit import Edited, edit
from nln.compose.merge import Merged, merge
from nln.compose.select import Selection, select
from nln.compose.transfer import transfer
from nln.compose.update import Drift, Evidence, Updated, gather, update
from nln.rules import Edit

if TYPE_CHECKING:
    from nln.compose.teaching import TaughtRule, TeachingReport, teach

__all__ = [
    "Association",
    "Audit",
    "AuditedRule",
    "Comparison",
    "ConditionChange",
    "Difference",
    "Drift",
    "Edit",
    "Edited",
    "Evidence",
    "Gap",
    "Group",
    "Match",
    "Merged",
    "OutputDifference",
    "Refit",
    "RuleDifference",
    "Scores",
    "Selection",
    "Stability",
    "TaughtRule",
    "TeachingReport",
    "Updated",
    "adjust",
    "audit",
    "compare",
    "diff",
    "edit",
    "gather",
    "merge",
    "prune",
    "select",
    "stability",
    "teach",
    "transfer",
    "update",
]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    if name in ("TaughtRule", "TeachingReport", "teach"):
        from nln.compose import teaching

        return getattr(teaching, name)
    raise AttributeError(f"module 'nln.compose' has no attribute {name!r}")
