"""The dial between accuracy and simplicity: a program for every price, from many rules to few."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nln.rules.language.words import number
from nln.rules.notebook import table
from nln.rules.program import LogicProgram
from nln.rules.schema import Schema
from nln.rules.storage.programs import read_rules, rules_to_dict
from nln.rules.storage.reading import Node


@dataclass(frozen=True)
class PathPoint:
    """One stage of the dial between accuracy and simplicity."""

    price: float  # squared error that a literal had to save
    validation_loss: float  # mean squared error of the starts' rules at this price on their left-out rows
    program: LogicProgram
    members: int = 1  # of a committee: programs of one start each whose rules stand side by side; the loss is theirs

    def __post_init__(self) -> None:
        if self.members < 1:
            raise ValueError(f"members must be at least 1, not {self.members}.")

    @property
    def n_rules(self) -> int:
        """Number of rules."""
        return self.program.n_rules

    @property
    def size(self) -> float:
        """Mean size of the rules."""
        return self.program.size

    @property
    def price_text(self) -> str:
        """The price and, of a committee, the number of its members."""
        price = number(float(f"{self.price:.3g}"))
        return price if self.members == 1 else f"{price}, {self.members} starts"

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON form as plain data, without the schema, which is that of the model."""
        members = {"members": self.members} if self.members > 1 else {}
        about = {"price": self.price, "validation_loss": self.validation_loss}
        return {**about, **members, **rules_to_dict(self.program)}


class DialPath(tuple[PathPoint, ...]):
    """The stages of the dial, from many rules to few; notebooks show a table of them."""

    __slots__ = ()

    def at(self, n_rules: int) -> LogicProgram:
        """Return the program with the most rules up to a number; of several, the one with the smallest loss."""
        if not self:
            raise ValueError(
                "There is no path: only discretization='coordinate' learns programs at several prices, and model files "
                "of version 1 and of programs made by hand have none."
            )
        small = [point for point in self if point.n_rules <= n_rules]
        if not small:
            fewest = min(point.n_rules for point in self)
            raise ValueError(f"The shortest program on the path has {fewest} rules; n_rules={n_rules!r} is below that.")
        return max(small, key=lambda point: (point.n_rules, -point.validation_loss)).program

    @property
    def features_used(self) -> set[str]:
        """Names of the features that the rules of any stage ask about."""
        return {name for point in self for name in point.program.features_used}

    def _repr_html_(self) -> str:
        head = ("rules", "mean size", "loss on left-out rows", "price")
        rows = [
            (str(point.n_rules), f"{point.size:.2f}", f"{point.validation_loss:.4f}", point.price_text)
            for point in self
        ]
        return table(head, rows, right=range(4))


def read_path(node: Node, schema: Schema) -> DialPath:
    """Read the JSON form of the stages; every error names the place."""
    return DialPath(_read_point(item, schema) for item in node.items())


def _read_point(node: Node, schema: Schema) -> PathPoint:
    fields = node.fields(("price", "validation_loss", "outputs", "rules"), ("members",))
    parts = read_rules(fields, schema)
    with node.located():
        about = fields["price"].number(), fields["validation_loss"].number()
        return PathPoint(*about, LogicProgram(*parts), fields["members"].count() if "members" in fields else 1)
