"""Logic coordinate descent on drafts, and the local search that follows it."""

__all__: list[str] = []
