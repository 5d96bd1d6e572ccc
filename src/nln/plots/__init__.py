"""Figures of programs and of learning, for papers and reports.

Every function draws into the axes it is given, or makes a new figure, and returns the axes; `ax.figure` is the figure
to show or save. pyplot is never imported, so no display and no global state are needed.
"""

try:
    import matplotlib  # noqa: F401
except ImportError as error:
    raise ImportError("Figures need matplotlib: pip install 'nln[plots]'.") from error

from nln.plots.boards import plot_boards
from nln.plots.cards import plot_rule, plot_rules
from nln.plots.covered_rows import plot_coverage
from nln.plots.curves import plot_calibration, plot_precision_recall, plot_roc
from nln.plots.fitting import plot_history, plot_path
from nln.plots.histograms import plot_scores
from nln.plots.intervals import plot_intervals
from nln.plots.matrices import plot_comparison, plot_confusion, plot_overlap
from nln.plots.network import network_svg, plot_network
from nln.plots.structure import plot_structure
from nln.plots.wiring import plot_wiring

__all__ = [
    "network_svg",
    "plot_boards",
    "plot_calibration",
    "plot_comparison",
    "plot_confusion",
    "plot_coverage",
    "plot_history",
    "plot_intervals",
    "plot_network",
    "plot_overlap",
    "plot_path",
    "plot_precision_recall",
    "plot_roc",
    "plot_rule",
    "plot_rules",
    "plot_scores",
    "plot_structure",
    "plot_wiring",
]
