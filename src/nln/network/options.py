"""How networks are trained, and the table sizes and limits that learning shares with training."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SMALL_TABLE = 4096
"""Up to this many distinct rows a table is small: networks get fewer intervals and may teach, and prices begin low."""
MOST_FEATURES = 16
"""Most features that a rule asks about when it is drawn at random: one that asks about all of them rarely holds."""
MOST_BINS = 254

_POSITIVE = (
    *("learning_rate", "batch_size", "epochs", "rows_per_epoch", "patience", "intervals", "bins"),
    *("most_features", "retrain_epochs", "retrain_patience"),
)


@dataclass(frozen=True)
class TrainingOptions:
    """How the networks are trained.

    Parameters
    ----------
    learning_rate : float, default=0.01
        Step size of Adam.
    batch_size : int or None, default=None
        Rows per step. None lets it grow with the table, from 64 to 256.
    epochs : int, default=300
        Most passes over the training rows.
    rows_per_epoch : int, default=16384
        Most rows drawn for one epoch, so that an epoch takes no longer on very long tables.
    patience : int or None, default=None
        Number of epochs without a better validation loss after which training stops. None waits for about 400 steps,
        which is at least 5 and at most 60 epochs.
    intervals : int or None, default=None
        Most fuzzy intervals of a continuous feature. None takes 8 for up to 4,096 distinct rows and 16 for more.
    bins : int, default=32
        Most bins of a continuous feature in the network. The rules are refined on up to 254 bins afterwards.
    most_features : int or None, default=16
        Most features that a rule asks about when it is drawn at random; other features can still enter the rule during
        training. None means all features.
    non_empty : float, default=0.1
        Strength of the penalty on nodes whose weights sum to less than 1.
    l1 : float, default=0.001
        Strength of the L1 penalty on the weights.
    reset_rules : bool, default=True
        Whether dead rules are drawn again at the end of an epoch.
    biases : bool, default=True
        Whether the rules and outputs of the network have biases. False fixes the weight of every rule at 1 and
        that of every output at 0; logic coordinate descent still gives biases to its rules.
    validation : float, default=0.2
        Share of the rows that are left out to stop training; 0 trains on all rows and stops on the training loss. Logic
        coordinate descent always leaves out one fold per start, and only checks whether the share is 0.
    learned_intervals : bool, default=False
        Whether the AND weights of the fuzzy intervals over all boundaries of their feature are trained, as in the
        paper, instead of staying with the two neighbouring boundaries. With 16 to 33 intervals, training takes
        two to four times as long.
    feature_units : bool, default=False
        Whether boundaries and sharpnesses take steps in the units of their feature, as in the authors' code, instead of
        in widths of an interval. It needs intervals over the range of the feature, which the paper's method has.
    module_penalties : bool, default=False
        Whether the penalties are averaged over the module of each feature separately, and over empty nodes only, as in
        the authors' code, instead of over all modules and nodes.
    retrain_epochs : int, default=300
        Most epochs of retraining the continuous parameters of a discretized network. Logic coordinate descent does not
        retrain.
    retrain_patience : int, default=30
        Number of epochs without a better validation loss after which retraining stops.

    Examples
    --------
    >>> TrainingOptions(epochs=50).learning_rate
    0.01
    """

    learning_rate: float = 0.01
    batch_size: int | None = None
    epochs: int = 300
    rows_per_epoch: int = 16384
    patience: int | None = None
    intervals: int | None = None
    bins: int = 32
    most_features: int | None = MOST_FEATURES
    non_empty: float = 0.1
    l1: float = 1e-3
    reset_rules: bool = True
    biases: bool = True
    validation: float = 0.2
    learned_intervals: bool = False
    feature_units: bool = False
    module_penalties: bool = False
    retrain_epochs: int = 300
    retrain_patience: int = 30

    def __post_init__(self) -> None:
        for name in _POSITIVE:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"TrainingOptions: {name} must be above 0, not {value!r}.")
        if not (self.non_empty >= 0 and self.l1 >= 0):
            raise ValueError(f"TrainingOptions: non_empty and l1 must be at least 0, not {self.non_empty}, {self.l1}.")
        if not (self.intervals or 16) <= self.bins <= MOST_BINS:
            raise ValueError(f"TrainingOptions: bins must lie between intervals and {MOST_BINS}, not {self.bins!r}.")
        if not 0 <= self.validation < 1:
            raise ValueError(f"TrainingOptions: validation must be at least 0 and below 1, not {self.validation!r}.")

    def intervals_for(self, n_rows: int) -> int:
        """Most fuzzy intervals of a continuous feature for a table of `n_rows`."""
        return self.intervals or (8 if n_rows <= SMALL_TABLE else 16)

    def batch_for(self, n_rows: int) -> int:
        """Rows per step for a table of `n_rows`."""
        return self.batch_size or int(np.clip(2 ** round(np.log2(max(n_rows, 1) / 64)), 64, 256))

    def patience_for(self, n_rows: int) -> int:
        """Epochs to wait for a better validation loss on a table of `n_rows`."""
        return self.patience or int(np.clip(400 * self.batch_for(n_rows) // max(n_rows, 1), 5, 60))
