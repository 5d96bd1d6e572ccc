"""Crisp programs as answer set programs for clingo, and rows of a table as facts for them."""

from nln.export.asp.answer_sets import asp_facts, to_asp

__all__ = ["asp_facts", "to_asp"]
