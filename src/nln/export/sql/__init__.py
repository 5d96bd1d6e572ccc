"""Programs as SQL queries that score a table where it lies."""

from nln.export.sql.statement import to_sql

__all__ = ["to_sql"]
