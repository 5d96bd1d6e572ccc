"""What is known before learning: constraints on the rules, and rules to begin with."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from nln.learning.constraints import Constraints
from nln.learning.descent.boundaries import FeatureBoundaries
from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import Limits
from nln.learning.draft import Draft
from nln.learning.from_program import from_program, named_places, pin_boundaries
from nln.learning.options import LearningSettings
from nln.rules import Feature, LogicProgram, Rule, Schema, Value
from nln.rules.adopt import adopt
from nln.tables.encoding import Encoding


@dataclass(frozen=True)
class Prior:
    """Constraints and initial rules over the schema of a table; nothing of either by default."""

    constraints: Constraints = field(default_factory=Constraints)
    schema: Schema | None = None
    program: LogicProgram | None = None

    @property
    def named(self) -> dict[str, tuple[Value, ...]]:
        """Values and boundaries that the encoding must tell apart."""
        return named_places(self.program)

    @property
    def fixed(self) -> tuple[Rule, ...]:
        """Rules whose conditions stay."""
        return self.program.rules if self.program and self.constraints.fixed_rules else ()

    def allowed(self, features: tuple[Feature, ...]) -> tuple[Feature, ...]:
        """Features that rules may ask about."""
        return tuple(feature for feature in features if feature.name not in self.constraints.forbidden)

    def limits(self, encoding: Encoding) -> Limits | None:
        """Constraints as the descent takes them; None if there are none."""
        return None if self.schema is None else self.constraints.limits(encoding, self.schema.target)

    def most_rules(self) -> dict[int, int]:
        """Most rules of each output that has a limit, by its number."""
        if self.schema is None:
            return {}
        target = self.schema.target
        return {target.outputs.index(label): n for label, n in self.constraints.most_rules(target).items()}

    def draft(
        self, encoding: Encoding, boundaries: dict[int, FeatureBoundaries]
    ) -> tuple[Draft | None, dict[int, FeatureBoundaries]]:
        """Initial rules as a draft, and the boundaries of the features with theirs among them."""
        if self.program is None or not self.program.rules:
            return None, boundaries
        boundaries = pin_boundaries(self.program, encoding, boundaries)
        draft, _ = from_program(self.program, encoding, boundaries)
        return draft._replace(n_fixed=len(self.fixed)), boundaries


def make_prior(
    constraints: Constraints | None,
    initial: LogicProgram | str | None,
    schema: Schema,
    columns: Collection[str],
    settings: LearningSettings,
) -> Prior:
    """Check constraints and initial rules against all columns of a table, each other and the settings."""
    n_rules, max_rules = settings.n_rules, settings.language.max_rules
    checked = constraints or Constraints()
    checked.check(schema, columns)
    if initial is None:
        if checked.fixed_rules:
            raise ValueError("Constraints: fixed_rules keeps the rules of initial_program, but none is given.")
        return Prior(checked, schema)
    program = adopt(initial, schema, columns)
    # Rules that may move are made to keep to all but the features that learning does not even see.
    strict = checked if checked.fixed_rules else Constraints(forbidden=checked.forbidden)
    breaches = strict.violations(program)
    if breaches:
        raise ValueError(f"initial_program breaks the constraints. {breaches[0]}")
    if program.n_rules > n_rules:
        raise ValueError(
            f"initial_program has {program.n_rules} rules, but a network has n_rules={n_rules} modules: raise n_rules."
        )
    prior = Prior(checked, schema, program)
    if max_rules is not None and len(prior.fixed) > max_rules:
        raise ValueError(f"initial_program has {len(prior.fixed)} rules that stay, but max_rules is {max_rules}.")
    return prior


def limit_rules(
    descent: Descent, most: int | None, by_output: Mapping[int, int], price: float, rng: np.random.Generator
) -> None:
    """Drop the rules that are worth least until no more are left than allowed, in all and for each output.

    They are dropped a few at a time, and the others adapt.
    """
    while True:
        excess = {k: int((descent.draft.output == k).sum()) - allowed for k, allowed in by_output.items()}
        over = {k: count for k, count in excess.items() if count > 0}
        for k, count in over.items():
            descent.drop_weakest(max(1, count // 4), k)
        left = 0 if most is None else descent.draft.n_rules - most
        if not over and left <= 0:
            return
        if left > 0:
            descent.drop_weakest(max(1, left // 4))
        descent.run(price, rng)
