"""Figures of programs and of learning, for papers and reports.

Every function draws into the axes it is given, or makes a figure of its own, and returns the axes: `ax.figure` shows
and saves. pyplot is never imported, so that no display and no global state are touched.
"""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("Figures need matplotlib: pip install 'nln[plots]'.") from error

from nln.plots.boards import plot_boards
from nln.plots.cards import plot_rule, plot_rules
from nln.plots.comparison import plot_comparison
from nln.plots.confusion import plot_confusion
from nln.plots.covered_rows import plot_coverage
from nln.plots.curves import plot_calibration, plot_precision_recall, plot_roc
from nln.plots.histograms import plot_scores
from nln.plots.history import plot_history
from nln.plots.network import plot_network
from nln.plots.overlap import plot_overlap
from nln.plots.path import plot_path
from nln.plots.svg import network_svg
from nln.plots.wiring import plot_wiring

__all__ = [
    "network_svg",
    "plot_boards",
    "plot_calibration",
    "plot_comparison",
    "plot_confusion",
    "plot_coverage",
    "plot_history",
    "plot_network",
    "plot_overlap",
    "plot_path",
    "plot_precision_recall",
    "plot_roc",
    "plot_rule",
    "plot_rules",
    "plot_scores",
    "plot_wiring",
]
