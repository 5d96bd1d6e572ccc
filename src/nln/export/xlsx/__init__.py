"""Programs as an Excel workbook: the rules as a table, and a sheet that decides the case typed into it."""

from nln.export.xlsx.workbook import to_xlsx

__all__ = ["to_xlsx"]
