"""Why a row got its decision, and what would turn the decision."""

__all__: list[str] = []
