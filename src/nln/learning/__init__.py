"""From trained networks to a program: `learn` runs the whole way; `nln.NLNClassifier` is what users call."""

__all__: list[str] = []
