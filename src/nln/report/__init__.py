"""One HTML file that shows a program and what it does on a table: readable, printable, and interactive from disk.

There are three steps, each usable alone: `summarize` makes a plain dictionary, `render` turns it into the text of the
page, and `write_report` does both and writes the file.
"""

from __future__ import annotations

from nln.report.render import SECTIONS, Section, render
from nln.report.summary import summarize
from nln.report.write import write_report

__all__ = ["SECTIONS", "Section", "render", "summarize", "write_report"]
