"""Tables to learn from: tables of any library, the kinds of their columns, their encoding into small integers.

Names are imported when first used: reading a table file for a saved program loads neither scikit-learn nor narwhals.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nln.tables.encoding import EncodedRows, Encoding, make_encoding, merge_rows
    from nln.tables.frames import Table, read_table
    from nln.tables.infer import infer_features
    from nln.tables.kinds import Distribution, Periodic
    from nln.tables.target import read_target

__all__ = [
    "Distribution",
    "EncodedRows",
    "Encoding",
    "Periodic",
    "Table",
    "infer_features",
    "make_encoding",
    "merge_rows",
    "read_table",
    "read_target",
]

_HOMES = {
    **dict.fromkeys(("EncodedRows", "Encoding", "make_encoding", "merge_rows"), "encoding"),
    **dict.fromkeys(("Table", "read_table"), "frames"),
    "infer_features": "infer",
    **dict.fromkeys(("Distribution", "Periodic"), "kinds"),
    "read_target": "target",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"nln.tables.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'nln.tables' has no attribute {name!r}")
