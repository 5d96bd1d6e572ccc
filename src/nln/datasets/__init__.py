"""Data sets of the rule-learning literature, as `(X, y)` with their original labels.

A function `load_*` generates its table; a function `fetch_*` reads it from a folder or downloads it. Importing the
package does neither.
"""

from nln.datasets._adult import fetch_adult
from nln.datasets._balance import load_balance
from nln.datasets._boolean import BooleanNetwork, BooleanRule, load_boolean_network, read_boolean_network
from nln.datasets._chess import fetch_chess
from nln.datasets._files import DatasetNotFoundError
from nln.datasets._kidney import fetch_kidney
from nln.datasets._monks import load_monks
from nln.datasets._nsl_kdd import fetch_nsl_kdd
from nln.datasets._tic_tac_toe import load_tic_tac_toe
from nln.datasets._wine import load_wine

__all__ = [
    "BooleanNetwork",
    "BooleanRule",
    "DatasetNotFoundError",
    "fetch_adult",
    "fetch_chess",
    "fetch_kidney",
    "fetch_nsl_kdd",
    "load_balance",
    "load_boolean_network",
    "load_monks",
    "load_tic_tac_toe",
    "load_wine",
    "read_boolean_network",
]
