"""From starts to a program: folds, networks, paths of prices, and the choice among them."""
