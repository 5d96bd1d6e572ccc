"""A reader of plain data that checks everything; its errors name the place, as `rules[3].conditions[1].values[0]`."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from nln.rules.schema import Value


class ModelFormatError(ValueError):
    """A file or a dictionary that is not a program or a model in the JSON form.

    Attributes
    ----------
    problem : str
        What is wrong.
    place : str
        Where, as a path from the root; empty if it is the whole.

    Examples
    --------
    >>> print(ModelFormatError("must be a number, not 'high'.", "rules[0].weight"))
    rules[0].weight: must be a number, not 'high'.
    """

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(f"{place}: {problem}" if place else problem)
        self.problem = problem
        self.place = place


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of plain data and the place where it stands."""

    data: Any
    place: str = ""  # the path from the root of the document

    def error(self, problem: str) -> ModelFormatError:
        """Make an error about this place."""
        return ModelFormatError(problem, self.place)

    def wrong(self, allowed: str) -> ModelFormatError:
        """Make the error that something else is needed here."""
        return self.error(f"must {allowed}, not {reprlib.repr(self.data)}.")

    @contextmanager
    def located(self) -> Iterator[None]:
        """Turn an error about what was built from this data into one that names its place."""
        try:
            yield
        except ModelFormatError:
            raise
        except (ValueError, TypeError) as error:
            raise self.error(str(error)) from None

    def fields(self, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, Node]:
        """Read an object with exactly these keys; an optional one may be left out."""
        if not isinstance(self.data, Mapping):
            raise self.wrong("be an object")
        for key in self.data:
            if key not in required and key not in optional:
                allowed = ", ".join([*required, *optional])
                raise self.error(f"has the unknown key {reprlib.repr(key)}; allowed: {allowed}.")
        for key in required:
            if key not in self.data:
                raise self.error(f"lacks the key {key!r}.")
        return {key: Node(data, f"{self.place}.{key}" if self.place else key) for key, data in self.data.items()}

    def entries(self) -> dict[str, Node]:
        """Read an object whose keys are names that somebody chose."""
        if not isinstance(self.data, Mapping):
            raise self.wrong("be an object")
        return {Node(key, self.place).text(): Node(data, f"{self.place}.{key}") for key, data in self.data.items()}

    def items(self) -> list[Node]:
        """Read an array."""
        if not isinstance(self.data, list | tuple):
            raise self.wrong("be an array")
        return [Node(data, f"{self.place}[{i}]") for i, data in enumerate(self.data)]

    def text(self) -> str:
        """Read text."""
        if not isinstance(self.data, str):
            raise self.wrong("be text")
        try:
            self.data.encode()
        except UnicodeEncodeError:
            raise self.error(
                "holds half of a surrogate pair, which is not Unicode text; write the whole character."
            ) from None
        return str(self.data)

    def choice(self, allowed: Sequence[str]) -> str:
        """Read one of some words."""
        if not isinstance(self.data, str) or self.data not in allowed:
            raise self.wrong(f"be one of {', '.join(map(repr, allowed))}")
        return str(self.data)

    def flag(self) -> bool:
        """Read true or false."""
        if not isinstance(self.data, bool):
            raise self.wrong("be true or false")
        return self.data

    def count(self) -> int:
        """Read a whole number of at least 0."""
        if isinstance(self.data, bool) or not isinstance(self.data, int) or self.data < 0:
            raise self.wrong("be a whole number of at least 0")
        return int(self.data)

    def number(self) -> float:
        """Read a finite number."""
        if isinstance(self.data, bool) or not isinstance(self.data, int | float):
            raise self.wrong("be a number")
        try:
            result = float(self.data)
        except OverflowError:
            result = math.inf
        if not math.isfinite(result):
            raise self.error("must be a finite number that fits 64 bits.")
        return result

    def probability(self) -> float:
        """Read a number in [0, 1]."""
        result = self.number()
        if not 0.0 <= result <= 1.0:
            raise self.wrong("lie in [0, 1]")
        return result

    def value(self) -> Value:
        """Read a category, class or label with the type that it has."""
        if isinstance(self.data, str):
            return self.text()
        if isinstance(self.data, bool | int):
            return self.data
        if isinstance(self.data, float):
            return self.number()
        raise self.wrong("be text, a number, true or false")

    def values(self) -> tuple[Value, ...]:
        """Read an array of values."""
        return tuple(item.value() for item in self.items())
