"""The soft network: AND and OR nodes, trained by gradient descent on the table form of the rows."""

__all__: list[str] = []
