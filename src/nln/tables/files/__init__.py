"""Table files: streams of bytes, dialects of text files, formats, and what their cells mean."""
