"""Programs as JSON: the form, the files, and a reader that checks everything."""

__all__: list[str] = []
