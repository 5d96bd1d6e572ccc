"""The rule language: its grammar, its words, programs as text, and text as programs."""
