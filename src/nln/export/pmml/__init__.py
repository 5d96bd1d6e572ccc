"""Programs as PMML 4.4 documents."""

from nln.export.pmml.document import to_pmml

__all__ = ["to_pmml"]
