"""The soft network: AND and OR nodes trained by gradient descent. See `docs/architecture.md`."""
