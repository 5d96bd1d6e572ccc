"""From several starts to one program: folds, networks, paths of prices, and the choice among them."""

__all__: list[str] = []
