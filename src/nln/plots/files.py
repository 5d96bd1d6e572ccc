"""Figures as files."""

from __future__ import annotations

import io
from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.axes import Axes

DPI = 150

_UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
"""Formats, and how to keep the time out of them."""
FORMATS = tuple(_UNDATED)


def figure_bytes(drawn: Axes | Sequence[Axes], name: str) -> bytes:
    """Give a figure as the content of a file; the same figure gives the same bytes.

    Parameters
    ----------
    drawn : Axes or sequence of Axes
        What a function of `nln.plots` returned.
    name : {"svg", "pdf", "png"}
        The format. Text stays text in SVG.

    Examples
    --------
    >>> from nln.plots import plot_network
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (0.9)", schema=schema)
    >>> figure_bytes(plot_network(program), "png")[1:4]
    b'PNG'
    """
    if name not in FORMATS:
        raise ValueError(f"There is no format {name!r}; known: {', '.join(FORMATS)}.")
    figure = (drawn if isinstance(drawn, Axes) else drawn[0]).figure
    buffer = io.BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "nln"}):
        figure.savefig(buffer, format=name, dpi=DPI, metadata=_UNDATED[name])  # type: ignore[union-attr]
    return buffer.getvalue()
