"""Programs made from programs: what people know and what data show, put together."""

from nln.compose.teach import teach
from nln.compose.teaching_report import ConditionChange, TaughtRule, TeachingReport

__all__ = ["ConditionChange", "TaughtRule", "TeachingReport", "teach"]
