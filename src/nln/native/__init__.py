"""The fast loops in C, compiled ahead of time, and how Python calls them."""

__all__: list[str] = []
