"""Tables to learn from: tables of any library, the kinds of their columns, their encoding into small integers."""

__all__: list[str] = []
