"""The paper's method: one network is discretized, retrained, pruned and adjusted."""

__all__: list[str] = []
