"""Options of learning: what the rules may say, the presets, and the settings that one call of `fit` comes down to."""

from __future__ import annotations

import numbers
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, get_args

import numpy as np

from nln.network.callbacks import Callback
from nln.network.options import TrainingOptions
from nln.rules.schema import Target
from nln.rules.thresholds import USUAL

STARTS, STARTS_LONG, LONG_TABLE, LONG_TARGETS = 5, 3, 10_000, 100_000
"""Default number of starts, that for long tables, and the numbers of distinct rows, and of targets (rows times
outputs), above which a table is long."""
STARTS_COMMITTEE = 10
"""Default number of starts whose rules form a committee, on tables of every length."""
MOST_MENTIONS, MOST_MEMBERS = 4, 8
"""Most mentions of columns in an expression and most members of a count, where the language allows them."""
CALCULATED_COLUMNS, CALCULATED_OUTPUTS = 64, 10
"""Most columns, and most classes or labels, of a table whose rules calculate and count unless they are told not to."""
MODULES, MODULES_PER_CLASS, MOST_MODULES = 128, 12, 512
"""Rule modules of a network unless told otherwise: at least so many, more for many classes, and at most so many."""
MIN_FOLDS = 5
"""Fewest folds; with more starts there are as many folds as starts."""
ROWS_PER_START = 8192
"""Most rows on which a single start descends; the pooled descent sees all rows."""
MOST_SEARCHED_ROWS = 8192
"""Most rows, imagined ones included, on which the local search runs."""


@dataclass(frozen=True)
class LanguageOptions:
    """Limits on what rules and conditions may say.

    Parameters
    ----------
    max_rules : int or None, default=None
        Most rules of the program. The rules that are worth least are dropped, and the others adapt. None sets no limit.
    max_conditions : int or None, default=None
        Most conditions of a rule, each on a different feature. None sets no limit.
    min_rows : int or None, default=None
        Fewest rows that a rule must cover. None asks for more rows the noisier the table is: for log N / log 1/e of N
        rows, where e is the probability that the label of a row is a surprise. Fewer rows would be together by chance
        somewhere in the table. That is one row where rules explain everything, 10 of 1,000 rows where nothing
        explains two equal classes, and 2 where the label is rare.
    negation : bool, default=True
        Whether conditions may list exceptions: `!=` and `not in`.
    unions : bool, default=True
        Whether a condition may be a union of intervals: `x < 3 or 5 <= x < 8`.
    fuzzy : bool, default=True
        Whether boundaries may be fuzzy: `x < 14.9 ± 0.3`. False allows crisp boundaries only.
    partial_missing : bool, default=True
        Whether a missing value may satisfy a condition in part: `x < 3 or missing (0.62)`. False allows `or missing`
        and nothing only.
    rounding : float, default=0.05
        Squared error, in rows, that a boundary may cost for each digit by which it becomes shorter. With 0, digits cost
        nothing, and boundaries stay where they fit the rows best.

    arithmetic : bool, int or None, default=None
        Whether rules may calculate: `weight / height / height >= 30`, `left * a > right * b`, `a1 is a2`. Every start
        looks for sums, differences, products and ratios of columns of numbers, and for columns of values that are the
        same, and they stay only if rows left out say so. An integer is the most mentions of columns in an expression;
        True means 4. None means True for tables of at most 64 columns and 10 classes or labels, and False for larger
        ones, where the search takes long. Nothing is looked for with an initial program, nor with constraints that name
        pairs, required or monotone features, or price factors.
    counts : bool, int or None, default=None
        Whether rules may count: `at least 2 of {temp >= 38; pulse > 90; breaths > 20; wbc > 12}`. An integer is the
        most members of a count; True means 8. None means the same as for arithmetic.

    Examples
    --------
    >>> LanguageOptions(max_rules=5, negation=False).unions
    True
    """

    max_rules: int | None = None
    max_conditions: int | None = None
    min_rows: int | None = None
    negation: bool = True
    unions: bool = True
    fuzzy: bool = True
    partial_missing: bool = True
    rounding: float = 0.05
    arithmetic: bool | int | None = None
    counts: bool | int | None = None

    def __post_init__(self) -> None:
        for name, least in (("arithmetic", 2), ("counts", 3)):
            limit = getattr(self, name)
            if isinstance(limit, bool | None) or (isinstance(limit, numbers.Integral) and int(limit) >= least):
                continue
            raise ValueError(
                f"LanguageOptions: {name} must be True, False, None or an integer of at least {least}, not {limit!r}."
            )
        for name in ("max_rules", "max_conditions", "min_rows"):
            limit = getattr(self, name)
            if limit is not None and not (isinstance(limit, numbers.Integral) and int(limit) >= 1):
                raise ValueError(f"LanguageOptions: {name} must be an integer of at least 1 or None, not {limit!r}.")
        if not 0 <= self.rounding < float("inf"):
            raise ValueError(f"LanguageOptions: rounding must be a number of at least 0, not {self.rounding!r}.")

    def settled(self, n_columns: int, n_outputs: int) -> Self:
        """Decide what was left open, for a table of so many columns and classes or labels."""
        calculates = n_columns <= CALCULATED_COLUMNS and n_outputs <= CALCULATED_OUTPUTS
        chosen = {name: calculates for name in ("arithmetic", "counts") if getattr(self, name) is None}
        return replace(self, **chosen)

    @property
    def most_mentions(self) -> int:
        """The most mentions of columns in an expression; 0 if rules may not calculate, or if that is still open."""
        return MOST_MENTIONS if self.arithmetic is True else int(self.arithmetic or 0)

    @property
    def most_members(self) -> int:
        """The most members of a count; 0 if rules may not count, or if that is still open."""
        return MOST_MEMBERS if self.counts is True else int(self.counts or 0)

    @classmethod
    def plain(cls, **options: Any) -> Self:
        """Return the options of the plain style, for rules that read as people write them.

        Boundaries are crisp, a condition is one interval, a rule has at most three conditions, and a missing value
        satisfies a condition or not.

        Parameters
        ----------
        **options : dict
            Other options, or other values of these.

        Returns
        -------
        LanguageOptions

        Examples
        --------
        >>> LanguageOptions.plain(max_rules=5).fuzzy
        False
        """
        return cls(**({"max_conditions": 3, "unions": False, "fuzzy": False, "partial_missing": False} | options))


COORDINATE = "coordinate"
"""The way of discretization that is not the paper's: logic coordinate descent."""

Size = Literal["short", "balanced", "accurate"]
"""Which program of the dial is taken: a short one, one of few rules that is about as good as any, or a committee."""
SIZES: tuple[Size, ...] = get_args(Size)


@dataclass(frozen=True)
class Preset:
    """What the parameters of `NLNClassifier` that are left at None mean."""

    starts: int | None = None  # None lets the size of the table decide
    threshold: str = USUAL
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
    learned_intervals=True,
    feature_units=True,
    module_penalties=True,
    retrain_epochs=1000,
    retrain_patience=100,
)
"""The settings of the paper's authors."""

PRESETS: dict[str, Preset] = {
    "default": Preset(),
    "paper": Preset(starts=1, threshold="accuracy", discretization="descending", training=PAPER_TRAINING),
}
"""Presets by name."""


@dataclass(frozen=True)
class LearningSettings:
    """How to learn: the parameters of `NLNClassifier`, checked and completed by the preset."""

    n_rules: int  # rule modules of each network
    seed: np.random.SeedSequence  # every start draws from its own child, so that threads do not change the result
    starts: int | None = None  # None lets the size of the table decide
    price: float | None = None  # None chooses it on the left-out rows
    size: Size = "balanced"
    discretization: str = "coordinate"
    training: TrainingOptions = field(default_factory=TrainingOptions)
    language: LanguageOptions = field(default_factory=LanguageOptions)
    callbacks: tuple[Callback, ...] = ()
    n_jobs: int = 1  # threads
    grows: bool = False  # whether networks for many classes have more rule modules

    def for_target(self, target: Target) -> LearningSettings:
        """The same, with as many rule modules as the classes need; labels are learned as well with few."""
        if not self.grows or self.discretization != COORDINATE or target.kind != "multiclass":
            return self
        return replace(self, n_rules=int(np.clip(MODULES_PER_CLASS * len(target.labels), self.n_rules, MOST_MODULES)))

    def starts_for(self, n_rows: int, n_outputs: int) -> int:
        """Number of starts for a table of so many distinct rows and outputs."""
        usual = STARTS if n_rows <= LONG_TABLE and n_rows * n_outputs <= LONG_TARGETS else STARTS_LONG
        return self.starts or (STARTS_COMMITTEE if self.size == "accurate" else usual)

    def for_table(self, n_columns: int, n_outputs: int) -> LearningSettings:
        """The same, with everything settled that depends on the table."""
        return replace(self, language=self.language.settled(n_columns, n_outputs))
