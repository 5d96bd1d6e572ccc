"""Logic coordinate descent, and the local search that follows it."""
