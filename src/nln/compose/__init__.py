"""Operations on programs: merged, cut down, put to another use, compared, kept up to date. Inputs are never changed."""

from nln.compose.audit import audit
from nln.compose.audit_report import Association, Audit, AuditedRule, Gap, Group, Refit
from nln.compose.compare import Comparison, Match, Stability, compare, stability
from nln.compose.core.adjust import adjust
from nln.compose.core.changes import ConditionChange
from nln.compose.core.prune import prune
from nln.compose.core.scores import Scores
from nln.compose.diff import diff
from nln.compose.diff_report import Difference, OutputDifference, RuleDifference
from nln.compose.edit import Edited, edit
from nln.compose.evidence import Evidence, gather
from nln.compose.merge import Merged, merge
from nln.compose.select import Selection, select
from nln.compose.teach import teach
from nln.compose.teaching_report import TaughtRule, TeachingReport
from nln.compose.transfer import transfer
from nln.compose.update import Drift, Updated, update
from nln.rules import Edit

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
