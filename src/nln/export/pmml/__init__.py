"""Programs as PMML."""
