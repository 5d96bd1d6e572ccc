"""Neural Logic Networks: learn short IF-THEN rules with probabilities from ordinary tables.

The public names are listed in `__all__` and imported when first used, so that running a saved program does not load
scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    __version__: str

    from nln import compose, datasets
    from nln.classifier import NLNClassifier
    from nln.compose.audit import audit
    from nln.compose.compare import compare, stability
    from nln.compose.diff import diff
    from nln.compose.edit import edit
    from nln.compose.merge import merge
    from nln.compose.select import select
    from nln.compose.teaching import teach
    from nln.compose.transfer import transfer
    from nln.compose.update import update
    from nln.learning.constraints import Constraints
    from nln.learning.options import LanguageOptions
    from nln.model import SavedModel, load_model
    from nln.network.callbacks import Callback
    from nln.network.options import TrainingOptions
    from nln.rules import Child, LogicProgram
    from nln.tables.aggregates import aggregates
    from nln.tables.graphs import between, neighbours
    from nln.tables.kinds import Calculated, Distribution, Hierarchy, Periodic
    from nln.tables.windows import windows

__all__ = [
    "Calculated",
    "Callback",
    "Child",
    "Constraints",
    "Distribution",
    "Hierarchy",
    "LanguageOptions",
    "LogicProgram",
    "NLNClassifier",
    "Periodic",
    "SavedModel",
    "TrainingOptions",
    "aggregates",
    "audit",
    "between",
    "compare",
    "compose",
    "datasets",
    "diff",
    "edit",
    "load_model",
    "merge",
    "neighbours",
    "select",
    "stability",
    "teach",
    "transfer",
    "update",
    "windows",
]

_HOMES = {
    "Calculated": "nln.tables.kinds",
    "Callback": "nln.network.callbacks",
    "Child": "nln.rules",
    "Constraints": "nln.learning.constraints",
    "Distribution": "nln.tables.kinds",
    "Hierarchy": "nln.tables.kinds",
    "LanguageOptions": "nln.learning.options",
    "LogicProgram": "nln.rules",
    "NLNClassifier": "nln.classifier",
    "Periodic": "nln.tables.kinds",
    "SavedModel": "nln.model",
    "TrainingOptions": "nln.network.options",
    "aggregates": "nln.tables.aggregates",
    "audit": "nln.compose",
    "between": "nln.tables.graphs",
    "compare": "nln.compose",
    "diff": "nln.compose",
    "edit": "nln.compose",
    "load_model": "nln.model",
    "merge": "nln.compose",
    "neighbours": "nln.tables.graphs",
    "select": "nln.compose",
    "stability": "nln.compose",
    "teach": "nln.compose",
    "transfer": "nln.compose",
    "update": "nln.compose",
    "windows": "nln.tables.windows",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name in ("compose", "datasets"):
        return import_module(f"nln.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'nln' has no attribute {name!r}")


def _version() -> str:
    """Ask the installed package; the library that reads it takes as long to import as everything here."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("nln")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0.0.0"


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
