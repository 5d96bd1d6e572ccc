"""What a table looks like: the features that rules may ask about and the target that a program decides.

A schema is plain data that every layer shares. `nln.tables` infers it from a data frame; the rule language, the model
file and the evaluation of a program check against it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast, get_args

import numpy as np

from nln.rules.readings import NumberReading, Reading

if TYPE_CHECKING:
    from nln.rules.children.table import ChildTable
    from nln.rules.derived.kinds import Derived

Value: TypeAlias = str | bool | int | float
"""A category, class or label as the user wrote it."""

FeatureKind = Literal["binary", "categorical", "ordinal", "continuous", "periodic", "probability"]
TargetKind = Literal["binary", "multiclass", "multilabel"]

DEFAULT_THRESHOLD = 0.5

MOST_BITS = 8192
"""Of an integer that is a value: Python writes integers of more than some 14,000 bits only on request."""

LARGEST_WHOLE = 2.0**53 - 1
"""The largest whole number that 64 bits tell from its neighbours."""

FEATURE_KINDS: tuple[FeatureKind, ...] = get_args(FeatureKind)
TARGET_KINDS: tuple[TargetKind, ...] = get_args(TargetKind)

_NUMERIC: tuple[FeatureKind, ...] = ("continuous", "periodic", "probability")
_ORDERED: tuple[FeatureKind, ...] = ("continuous", "periodic", "ordinal")


@dataclass(frozen=True, slots=True)
class Feature:
    """One column of the table.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : {"binary", "categorical", "ordinal", "continuous", "periodic", "probability"}
        What conditions may ask: whether the value is in a set (binary, categorical), in a range of ordered values
        (ordinal), in intervals of numbers (continuous) or in arcs of a circle (periodic). A probability has the values
        0 and 1, and its column holds the probability of 1.
    values : tuple of str, bool, int or float, default=()
        The known values, in order for an ordinal feature; empty for a continuous or periodic feature, `(0, 1)` for a
        probability.
    period : float, default=None
        Length of the circle of a periodic feature: 24 for hours, 360 for degrees. Numbers count modulo the period.
    reading : NumberReading, DateReading or PrefixReading, default=None
        How cells become the feature's numbers or values, where they are text such as `$1,020.00`, dates, or codes of
        which the first characters count. A feature that is read from dates or codes has a name of its own; a table may
        also hold its values under this name.
    whole : bool, default=False
        Whether a continuous feature holds whole numbers, so that conditions on it may read `x <= 1`, `x = 3` and
        `x in 1 to 3`. A fraction counts as its whole part, as in ages: `x <= 1` is `x < 2`.
    range : tuple of float, default=None
        The least and the largest number of a continuous feature in training, if known. Suggestions stay within it;
        evaluation does not ask for it, and it does not count in comparisons.
    derived : Arithmetic, Same, Count or ChildCount, default=None
        How the feature is calculated from other features of the schema, or from the rows of a child table; a table need
        not hold it. A name other than the text of the calculation is one that a person gave, and conditions are written
        with it.

    Examples
    --------
    >>> Feature("colour", "categorical", ("blue", "red")).is_numeric
    False
    >>> Feature("hour", "periodic", period=24).period
    24.0
    """

    name: str
    kind: FeatureKind
    values: tuple[Value, ...] = ()
    period: float | None = None
    reading: Reading | None = None
    whole: bool = False
    range: tuple[float, float] | None = field(default=None, compare=False)
    derived: Derived | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"A feature's name is a string, not {self.name!r}.")
        check_unicode(self.name, "The name of a feature")
        if self.kind not in FEATURE_KINDS:
            raise ValueError(f"Feature {self.name!r} has kind {self.kind!r}; allowed: {', '.join(FEATURE_KINDS)}.")
        if self.derived is not None:
            self._check_derived(self.derived)
        if self.kind == "probability" and self.values in ((), (0, 1)):
            object.__setattr__(self, "values", (0, 1))
        elif self.is_numeric and self.values:
            allowed = "lists the values 0 and 1 or none" if self.kind == "probability" else "cannot list values"
            raise ValueError(f"Feature {self.name!r} is {self.kind} and {allowed}.")
        object.__setattr__(self, "period", _checked_period(self.name, self.kind, self.period))
        object.__setattr__(self, "values", plain_values(self.values, f"Feature {self.name!r}"))
        if self.reading is not None and self.kind not in self.reading.kinds:
            fitting = " or ".join(self.reading.kinds)
            raise ValueError(f"Feature {self.name!r} is {self.kind}, but {self.reading.what} it is {fitting}.")
        object.__setattr__(self, "whole", bool(self.whole))
        if self.kind != "continuous" and (self.whole or self.range is not None):
            said = "holds no whole numbers" if self.whole else "has no range"
            raise ValueError(f"Feature {self.name!r} is {self.kind} and {said}; only a continuous feature may.")
        object.__setattr__(self, "range", _checked_range(self.name, self.range))
        if len(set(self.values)) != len(self.values):
            raise ValueError(
                f"Feature {self.name!r} lists a value twice: {self.values!r}; values must differ, and 1 equals True."
            )

    def _check_derived(self, derived: Derived) -> None:
        if self.kind != derived.kind or self.values not in ((), derived.values):
            raise ValueError(
                f"Feature {self.name!r} is {self.kind}, but {derived.text!r}, which it is calculated by, is "
                f"{derived.kind}{f' with the values {list(derived.values)}' if derived.values else ''}."
            )
        if self.reading is not None or (self.whole and not derived.whole):
            said = "has no reading" if self.reading is not None else "holds no whole numbers of the table"
            raise ValueError(f"Feature {self.name!r} is calculated from others and {said}.")
        object.__setattr__(self, "values", derived.values)
        object.__setattr__(self, "whole", derived.whole)

    @property
    def is_numeric(self) -> bool:
        """Whether a column holds numbers (and not one of the known values)."""
        return self.kind in _NUMERIC

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the feature is read from: its own, or those that its reading names; none if derived."""
        if self.derived is not None:
            return ()
        return (self.name,) if self.reading is None or isinstance(self.reading, NumberReading) else self.reading.columns

    @property
    def is_named(self) -> bool:
        """Whether conditions are written with the name: of a table's column, or that a person gave a calculation."""
        return self.derived is None or self.name != self.derived.text

    @property
    def is_ordered(self) -> bool:
        """Whether conditions are ranges (of continuous, periodic and ordinal features) and not value sets."""
        return self.kind in _ORDERED


@dataclass(frozen=True, slots=True)
class Target:
    """What the program decides.

    Parameters
    ----------
    name : str
        Name of the target column, as in `THEN name = label`; it is not used for a multi-label target.
    kind : {"binary", "multiclass", "multilabel"}
        Two classes, several classes of which one holds, or several labels that hold independently.
    labels : tuple of str, bool, int or float
        The classes in sorted order (binary: negative, positive), or the names of the labels.

    Examples
    --------
    >>> Target("class", "binary", ("notckd", "ckd")).outputs
    ('ckd',)
    """

    name: str
    kind: TargetKind
    labels: tuple[Value, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise TypeError(f"A target's name is a string, not {self.name!r}.")
        check_unicode(self.name, "The name of the target")
        if self.kind not in TARGET_KINDS:
            raise ValueError(f"Target {self.name!r} has kind {self.kind!r}; allowed: {', '.join(TARGET_KINDS)}.")
        object.__setattr__(self, "labels", plain_values(self.labels, f"Target {self.name!r}"))
        if len(set(self.labels)) != len(self.labels):
            raise ValueError(f"Target {self.name!r} lists a label twice: {self.labels!r}.")
        least = 1 if self.kind == "multilabel" else 2
        allowed = {"binary": "2 labels", "multiclass": "at least 2 labels", "multilabel": "at least 1 label"}
        if len(self.labels) < least or (self.kind == "binary" and len(self.labels) > least):
            raise ValueError(f"A {self.kind} target has {allowed[self.kind]}, not {len(self.labels)}: {self.labels!r}.")

    @property
    def outputs(self) -> tuple[Value, ...]:
        """The labels that rules conclude: the positive class alone for a binary target, else all."""
        return self.labels[1:] if self.kind == "binary" else self.labels

    @property
    def default_thresholds(self) -> tuple[float, ...]:
        """The thresholds of a program that chooses none: 0.5 for each output; none for several classes."""
        return () if self.kind == "multiclass" else (DEFAULT_THRESHOLD,) * len(self.outputs)


@dataclass(frozen=True, slots=True)
class Schema:
    """The features and the target of a table.

    Parameters
    ----------
    features : tuple of Feature
        In the order of the table's columns.
    target : Target
        What is decided.
    tables : tuple of ChildTable, default=()
        Tables whose rows belong to rows of this one, and which conditions may count.

    Examples
    --------
    >>> schema = Schema((Feature("x", "continuous"),), Target("y", "binary", (0, 1)))
    >>> schema["x"].kind
    'continuous'
    """

    features: tuple[Feature, ...]
    target: Target
    tables: tuple[ChildTable, ...] = ()
    by_name: Mapping[str, Feature] = field(init=False, repr=False, compare=False)
    """The features by their names, in order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        object.__setattr__(self, "tables", tuple(self.tables))
        if len({table.name for table in self.tables}) < len(self.tables):
            raise ValueError("Two child tables have one name. Rename one.")
        object.__setattr__(self, "by_name", {feature.name: feature for feature in self.features})
        if len(self.by_name) < len(self.features):
            times = Counter(feature.name for feature in self.features)
            twice = sorted(name for name in times if times[name] > 1)
            raise ValueError(f"Feature names must differ; given twice: {', '.join(map(repr, twice))}.")
        for feature in self.features:
            if feature.derived is not None:
                self._check_derived(feature.name, feature.derived)

    def _check_derived(self, name: str, derived: Derived) -> None:
        absent = [parent for parent in derived.features if parent not in self.by_name]
        if absent:
            raise ValueError(
                f"Feature {name!r} is calculated from {', '.join(map(repr, absent))}, which the schema lacks."
            )
        derived.check(self.features_for(derived))

    def table(self, name: str) -> ChildTable:
        """Return the child table of a name."""
        found = next((table for table in self.tables if table.name == name), None)
        if found is None:
            known = ", ".join(repr(table.name) for table in self.tables) or "none"
            raise ValueError(f"There is no child table {name!r}; known tables: {known}.")
        return found

    def features_for(self, derived: Derived) -> Mapping[str, Feature]:
        """Return the features that a calculation asks about: those of its child table, or those of this table."""
        table: str | None = getattr(derived, "table", None)
        return self.by_name if table is None else self.table(table).by_name

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features, in order."""
        return tuple(self.by_name)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the table that features are read from, in order, and those that keys of children repeat."""
        read = (column for feature in self.features for column in feature.columns)
        return tuple(dict.fromkeys([*read, *(link for table in self.tables for link in table.links)]))

    def plain(self, names: Iterable[str]) -> tuple[Feature, ...]:
        """Return the features that a table must hold for these: of derived ones, those that they are made of."""
        found = self.behind(names)
        return tuple(feature for feature in self.features if feature.derived is None and feature.name in found)

    def behind(self, names: Iterable[str]) -> set[str]:
        """Return the names of these features and of all that they are calculated from."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            if (name := waiting.pop()) not in found:
                found.add(name)
                derived = self[name].derived
                waiting.extend(() if derived is None else derived.features)
        return found

    def extra(self, name: str) -> int:
        """Return how many literals a condition on a feature costs beside its own: those of an unnamed calculation."""
        feature = self[name]
        if feature.derived is None or feature.is_named:
            return 0
        nested = sum(self.extra(parent) for parent in feature.derived.features)
        return feature.derived.extra + nested

    def with_features(self, features: Iterable[Feature]) -> Schema:
        """Return the schema with further features, but those that it has already."""
        new = [feature for feature in dict.fromkeys(features) if self.by_name.get(feature.name) != feature]
        return replace(self, features=(*self.features, *new)) if new else self

    def __getitem__(self, name: str) -> Feature:
        feature = self.by_name.get(name)
        if feature is None:
            raise KeyError(f"There is no feature {name!r}; known features: {', '.join(map(repr, self.names))}.")
        return feature


class _Values(tuple[Value, ...]):
    """A tuple that finds a value at once, so that a program with thousands of values or classes is read in no time."""

    def __contains__(self, value: object) -> bool:
        return self._place(value) is not None

    def index(self, value: Any, *within: Any) -> int:
        place = None if within else self._place(value)
        return super().index(value, *within) if place is None else place

    def _place(self, value: Any) -> int | None:
        places = self.__dict__.get("places")
        if places is None:
            places = self.__dict__["places"] = {known: place for place, known in reversed([*enumerate(self)])}
        try:
            return cast("int | None", places.get(value))
        except TypeError:  # what cannot be hashed is no value
            return None

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)


def plain_values(values: Iterable[object], owner: str) -> tuple[Value, ...]:
    """Turn NumPy scalars into Python ones and refuse what text and JSON cannot hold; errors name the `owner`."""
    return values if isinstance(values, _Values) else _Values(_plain_value(value, owner) for value in values)


def sort_values(values: Iterable[Value]) -> tuple[Value, ...]:
    """Order values: False and True, then numbers, then text, each ascending; whole floats become integers."""
    plain = [int(v) if isinstance(v, float) and v.is_integer() and abs(v) < 2**53 else v for v in values]
    if any(type(v) in (int, float) for v in plain):
        # True equals 1: beside numbers, truth values are numbers.
        plain = [int(v) if isinstance(v, bool) else v for v in plain]
    return tuple(sorted(plain, key=lambda v: (isinstance(v, str), v)))


def _checked_period(name: str, kind: FeatureKind, period: float | None) -> float | None:
    if kind != "periodic":
        if period is not None:
            raise ValueError(f"Feature {name!r} is {kind} and has no period; only a periodic feature has one.")
        return None
    if period is None:
        raise ValueError(f"Feature {name!r} is periodic and needs its period, for example 24 for hours.")
    if isinstance(period, bool) or not isinstance(period, int | float | np.integer | np.floating):
        raise TypeError(f"The period of feature {name!r} must be a number, not {period!r}.")
    if not (math.isfinite(period) and period > 0):
        raise ValueError(f"The period of feature {name!r} must be a finite number above 0, not {period!r}.")
    return float(period)


def _checked_range(name: str, ends: tuple[float, float] | None) -> tuple[float, float] | None:
    if ends is None:
        return None
    low, high = (float(end) for end in ends)
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise ValueError(f"The range of feature {name!r} must be two finite numbers in order, not {ends!r}.")
    return low, high


def check_unicode(text: str, owner: str) -> None:
    """Refuse half of a surrogate pair, which no file can hold."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError(
                f"{owner} holds half of a surrogate pair, which is not Unicode text: {text[:40]!a}. Correct it."
            ) from None


def _plain_value(value: object, owner: str) -> Value:
    plain = value.item() if isinstance(value, np.generic) else value
    if not isinstance(plain, str | bool | int | float):
        kind = type(value).__name__
        raise TypeError(f"{owner} has a value of type {kind}: {value!r}; allowed: str, bool, int, float.")
    if isinstance(plain, str):
        check_unicode(plain, owner)
    if isinstance(plain, int) and plain.bit_length() > MOST_BITS:
        raise ValueError(f"{owner} has an integer of {plain.bit_length()} bits; at most {MOST_BITS} are allowed.")
    if isinstance(plain, float) and not math.isfinite(plain):
        raise ValueError(f"{owner} has the value {plain!r}; numbers must be finite, and a missing value is not listed.")
    return plain
