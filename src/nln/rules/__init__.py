"""Rules and programs, the product of learning, which need only NumPy to be run.

A `LogicProgram` predicts, explains its decisions, prints itself as text and reads that text back. Its `Schema` says
which features the rules may ask about and which target they decide.
"""

from nln.rules.children.child import Child
from nln.rules.children.table import ChildTable
from nln.rules.columns import read_columns
from nln.rules.condition import Boundary, Condition, Interval, IntervalCondition, ValueCondition
from nln.rules.dates import DateReading
from nln.rules.define import define_features
from nln.rules.derived.arithmetic import Arithmetic
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.count import Count
from nln.rules.derived.make import child_count_of, count_of, derived_feature
from nln.rules.derived.same import Same
from nln.rules.evaluate import membership, memberships, probabilities
from nln.rules.explain.counterfactuals import Counterfactual
from nln.rules.explain.explanations import Explanation
from nln.rules.history import Edit
from nln.rules.language.errors import RuleSyntaxError
from nln.rules.language.text import condition_text, program_text, rule_text
from nln.rules.program import LogicProgram
from nln.rules.readings import NumberReading, PrefixReading
from nln.rules.rule import Coverage, Rule
from nln.rules.schema import Feature, FeatureKind, Schema, Target, TargetKind, Value
from nln.rules.simplify import simplify_program
from nln.rules.storage.reading import ModelFormatError

__all__ = [
    "Arithmetic",
    "Boundary",
    "Child",
    "ChildCount",
    "ChildTable",
    "Condition",
    "Count",
    "Counterfactual",
    "Coverage",
    "DateReading",
    "Edit",
    "Explanation",
    "Feature",
    "FeatureKind",
    "Interval",
    "IntervalCondition",
    "LogicProgram",
    "ModelFormatError",
    "NumberReading",
    "PrefixReading",
    "Rule",
    "RuleSyntaxError",
    "Same",
    "Schema",
    "Target",
    "TargetKind",
    "Value",
    "ValueCondition",
    "child_count_of",
    "condition_text",
    "count_of",
    "define_features",
    "derived_feature",
    "membership",
    "memberships",
    "probabilities",
    "program_text",
    "read_columns",
    "rule_text",
    "simplify_program",
]
