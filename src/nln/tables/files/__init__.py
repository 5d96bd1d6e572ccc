"""Table files: their bytes, how text files are written, formats, and what cells of text mean."""

__all__: list[str] = []
