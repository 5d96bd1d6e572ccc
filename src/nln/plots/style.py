"""One look for all figures: colours that colour-blind readers can tell apart, plain axes, text that stays text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import Any

from matplotlib import colormaps, rc_context, rcParams
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from nln.export.wording import spelling
from nln.rules.schema import Value

# The palette of Okabe and Ito, without black and with its yellow last, which is faint on white.
BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442",
)  # fmt: skip
INK, GREY, LIGHT, PAPER = "#222222", "#777777", "#D8D8D8", "#F4F4F4"
NEGATION = RED

TINY, SMALL, NORMAL, LARGE = 6.5, 7.5, 9.0, 10.5
"""Sizes of text, in points."""

DPI = 150

_UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}
"""Formats of files, and the metadata that keep the time out of them: the same figure gives the same bytes."""

FORMATS = tuple(_UNDATED)

_CYCLE = (BLUE, ORANGE, GREEN, PINK, SKY, YELLOW)
_ELLIPSIS = "…"


class ShownFigure(Figure):
    """A figure that notebooks show although pyplot, which would teach them to, is never imported."""

    def _repr_png_(self) -> bytes:
        file = BytesIO()
        self.savefig(file, format="png", bbox_inches="tight")
        return file.getvalue()


def new_axes(width: float, height: float) -> Axes:
    """Make axes in a new figure of this size in inches, without a display or global state."""
    return new_grid(1, 1, width, height)[0]


def new_grid(rows: int, columns: int, width: float, height: float, **options: Any) -> list[Axes]:
    """Make a grid of axes in a new figure, listed row by row."""
    figure = ShownFigure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return list(figure.subplots(rows, columns, squeeze=False, **options).ravel())


def new_bare_grid(heights: Sequence[float], columns: int, width: float) -> list[Axes]:
    """Make a grid of axes of fixed sizes in inches, without room for ticks and labels between them."""
    margin, gap = 0.2, 0.35
    whole = (columns * width + (columns - 1) * gap + 2 * margin, sum(heights) + (len(heights) - 1) * gap + 2 * margin)
    figure = ShownFigure(figsize=whole)
    FigureCanvasAgg(figure)
    axes, top = [], whole[1] - margin
    for height in heights:
        for i in range(columns):
            left = margin + i * (width + gap)
            box = (left / whole[0], (top - height) / whole[1], width / whole[0], height / whole[1])
            axes.append(figure.add_axes(box))
        top -= height + gap
    return axes


def size_of(ax: Axes) -> tuple[float, float]:
    """Return the width and height of axes in inches."""
    extent = ax.get_window_extent()
    return extent.width / ax.figure.dpi, extent.height / ax.figure.dpi


def figure_bytes(drawn: Axes | Sequence[Axes], name: str) -> bytes:
    """Return what a function of `nln.plots` drew as the content of a file; text stays text in SVG."""
    if name not in FORMATS:
        raise ValueError(f"There is no format {name!r}; known: {', '.join(FORMATS)}.")
    figure = (drawn if isinstance(drawn, Axes) else drawn[0]).figure
    buffer = BytesIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "nln"}):
        figure.savefig(buffer, format=name, dpi=DPI, metadata=_UNDATED[name])  # type: ignore[union-attr]
    return buffer.getvalue()


def label_colours(n: int) -> list[str]:
    """Return colours for `n` classes or labels."""
    if n <= len(_CYCLE):
        return list(_CYCLE[:n])
    return [to_hex(colormaps["viridis"](i / (n - 1))) for i in range(n)]


def shown(value: Value, width: int = 28) -> str:
    """Write a name or value on one line of at most `width` characters; the empty text becomes two quotation marks."""
    return shortened(escaped(spelling(value)) or '""', width)


def shortened(text: str, width: int) -> str:
    """Cut a text to at most `width` characters, the last of them an ellipsis."""
    return text if len(text) <= width else text[: width - 1].rstrip() + _ELLIPSIS


def escaped(text: str) -> str:
    """Write line breaks and other characters that cannot be printed as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def drawable(text: str) -> str:
    """Replace characters that the fonts in use lack by a square; matplotlib would warn about each of them."""
    fonts = tuple(rcParams["font.family"])
    square = "□" if _has_glyph("□", fonts) else "?"
    return "".join(c if c == "\n" or _has_glyph(c, fonts) else square for c in text)


def readable_on(colour: str) -> str:
    """Return the colour of text, dark or white, that is readable on a background."""
    red, green, blue = to_rgb(colour)
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.55 else "white"  # luma of ITU-R BT.601


def put_text(ax: Axes, x: float, y: float, text: str, **options: Any) -> Any:
    """Write plain text at a place: `$` is a dollar sign, not the start of a formula."""
    options = {"ha": "left", "va": "center", "fontsize": NORMAL, "color": INK, **options}
    return ax.text(x, y, drawable(text), parse_math=False, **options)


def put_title(ax: Axes, text: str) -> None:
    """Write plain text above axes, on the left."""
    ax.set_title(drawable(text), loc="left", fontsize=LARGE, color=INK, parse_math=False)


def put_ticks(ax: Axes, axis: str, places: Sequence[float], names: Sequence[str], **options: Any) -> None:
    """Mark places on the "x" or "y" axis with plain names."""
    chosen = {"x": ax.set_xticks, "y": ax.set_yticks}[axis]
    chosen(list(places), [drawable(name) for name in names], fontsize=SMALL, color=INK, parse_math=False, **options)
    ax.tick_params(axis="both", length=0)


def put_legend(ax: Axes, handles: Sequence[Any], names: Sequence[str], **options: Any) -> Any:
    """Add a legend of plain names; matplotlib itself would leave out names that begin with an underscore."""
    legend = ax.legend(
        list(handles), [f"{i}" for i in range(len(names))], frameon=False, fontsize=SMALL, labelcolor=INK, **options
    )
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(drawable(name))
    return legend


def plain_axes(ax: Axes, x: str = "", y: str = "", *, grid: str | None = None) -> None:
    """Keep only the left and the lower line of axes, with labels and optionally a faint grid behind the data."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.tick_params(colors=GREY, labelcolor=INK, labelsize=SMALL)
    ax.set_xlabel(x, fontsize=NORMAL, color=INK, parse_math=False)
    ax.set_ylabel(y, fontsize=NORMAL, color=INK, parse_math=False)
    if grid is not None:
        ax.grid(axis=grid, color=LIGHT, linewidth=0.6)  # type: ignore[arg-type]
        ax.set_axisbelow(True)


def _has_glyph(character: str, families: tuple[str, ...]) -> bool:
    return any(ord(character) in known for known in _charmaps(families))


@cache
def _charmaps(families: tuple[str, ...]) -> list[Any]:
    """Return the characters of each font that matplotlib tries, in that order."""
    fonts = [findfont(FontProperties(family=[family])) for family in families]
    return [get_font(font).get_charmap() for font in fonts]
