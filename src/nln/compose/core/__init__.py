"""What the operations on programs share: rows, a state that changes, pruning and biases."""
