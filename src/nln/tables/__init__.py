"""Tables of any library, their schema, their encoding into small integers. All that knows of data frames is here."""

from nln.tables.encoding import EncodedRows, Encoding, make_encoding, merge_rows
from nln.tables.frame import Table, align, read_columns, read_table
from nln.tables.infer import infer_features
from nln.tables.kinds import Distribution, Periodic
from nln.tables.target import read_target

__all__ = [
    "Distribution",
    "EncodedRows",
    "Encoding",
    "Periodic",
    "Table",
    "align",
    "infer_features",
    "make_encoding",
    "merge_rows",
    "read_columns",
    "read_table",
    "read_target",
]
