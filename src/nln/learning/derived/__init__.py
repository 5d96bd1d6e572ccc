"""Search of calculations: columns that are calculated from others, tried by every start and judged on left-out rows."""

__all__: list[str] = []
