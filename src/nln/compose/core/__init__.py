"""What the operations on programs share: rows, joined schemas, a state that changes, pruning and adjusting."""

__all__: list[str] = []
