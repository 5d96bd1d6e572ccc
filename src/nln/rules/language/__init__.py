"""The rule language: its words and grammar, programs written as text, and text read as programs."""

__all__: list[str] = []
