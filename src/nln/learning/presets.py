"""Presets: what the parameters of `NLNClassifier` that are left at None mean."""

from __future__ import annotations

from dataclasses import dataclass, field

from nln.learning.options import LanguageOptions
from nln.network.training import TrainingOptions


@dataclass(frozen=True)
class Preset:
    """Defaults of a way of learning.

    Parameters
    ----------
    starts : int or None
        Networks trained; None lets the number of rows decide.
    threshold : str
        How the decision threshold is chosen.
    discretization : str
        How a network becomes rules.
    training, language : TrainingOptions, LanguageOptions
        How networks are trained, and what rules may say.
    """

    starts: int | None = None
    threshold: str = "f1"
    discretization: str = "coordinate"
    training: TrainingOptions = field(default_factory=TrainingOptions)
    language: LanguageOptions = field(default_factory=LanguageOptions)


PAPER_TRAINING = TrainingOptions(
    learning_rate=1e-3,
    batch_size=128,
    epochs=3000,
    rows_per_epoch=2**40,
    patience=500,
    intervals=33,
    bins=254,
    most_features=None,
    non_empty=0.1,
    l1=1e-3,
    module_penalties=True,
    retrain_epochs=1000,
    retrain_patience=100,
)
"""The authors' settings."""

PRESETS: dict[str, Preset] = {
    "default": Preset(),
    "paper": Preset(starts=1, threshold="accuracy", discretization="descending", training=PAPER_TRAINING),
}
"""Presets by name."""
