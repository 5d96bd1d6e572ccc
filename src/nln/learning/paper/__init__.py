"""The paper's method: one network, discretized, retrained, pruned and adjusted."""
