"""What is known before learning: constraints on the rules, and rules to begin with, which become a draft.

Training can go on from rules that somebody wrote or that were learned before. An encoding made with `named_places` has
a bin edge at each of their boundaries and a slot for each of their values, so nothing is lost where training rows can
tell the difference; `pin_boundaries` keeps the numbers as they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nln.learning.constraints import Constraints
from nln.learning.descent.boundaries import Boundaries
from nln.learning.descent.layout import Limits
from nln.learning.draft import Draft
from nln.learning.options import LearningSettings
from nln.rules import Condition, Feature, LogicProgram, Rule, Schema, Value, ValueCondition, membership
from nln.rules.adopt import adopt
from nln.rules.cells import MISSING, UNSEEN, Column
from nln.tables.encoding import Encoding, Floats, Slots


@dataclass(frozen=True)
class Prior:
    """Constraints and initial rules over the schema of a table; nothing of either by default."""

    constraints: Constraints = field(default_factory=Constraints)
    schema: Schema | None = None
    program: LogicProgram | None = None

    @property
    def fixed(self) -> tuple[Rule, ...]:
        """Rules whose conditions stay."""
        return self.program.rules if self.program and self.constraints.fixed_rules else ()

    def asked(self) -> frozenset[str]:
        """Features that some rule must be able to ask about."""
        return frozenset((*self.constraints.required, *(self.program.features_used if self.program else ())))

    def allowed(self, features: tuple[Feature, ...]) -> tuple[Feature, ...]:
        """Features that rules may ask about."""
        forbidden = set(self.constraints.forbidden)
        return tuple(feature for feature in features if not forbidden & {feature.name, *feature.columns})

    def limits(self, encoding: Encoding) -> Limits | None:
        """Constraints as the descent takes them; None if there are none."""
        return None if self.schema is None else self.constraints.limits(encoding, self.schema.target)

    def most_rules(self) -> dict[int, int]:
        """Most rules of each output that has a limit, by its number."""
        if self.schema is None:
            return {}
        target = self.schema.target
        return {target.outputs.index(label): n for label, n in self.constraints.most_rules(target).items()}

    def draft(self, encoding: Encoding, boundaries: Boundaries) -> tuple[Draft | None, Boundaries]:
        """Initial rules as a draft, and the boundaries of the features with theirs among them."""
        if self.program is None or not self.program.rules:
            return None, boundaries
        boundaries = pin_boundaries(self.program, encoding, boundaries)
        return from_program(self.program, encoding)._replace(n_fixed=len(self.fixed)), boundaries


def make_prior(
    constraints: Constraints | None,
    initial: LogicProgram | str | None,
    schema: Schema,
    columns: Sequence[str],
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
    if calculated := [name for name in program.features_used if program.schema[name].derived is not None]:
        raise ValueError(
            f"initial_program asks about {calculated[0]!r}, which is calculated from columns. Learning begins with "
            "rules about columns of the table only."
        )
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


def named_places(program: LogicProgram | None) -> dict[str, tuple[Value, ...]]:
    """Values and boundaries that a program names, by feature: what its encoding must tell apart."""
    found: dict[str, set[Value]] = {}
    for condition in (c for rule in (program.rules if program else ()) for c in rule.conditions):
        found.setdefault(condition.feature, set()).update(_places(condition))
    return {name: tuple(places) for name, places in found.items()}


def _places(condition: Condition) -> tuple[Value, ...]:
    if isinstance(condition, ValueCondition):
        return condition.values
    return tuple(boundary.value for boundary in condition.boundaries)


def pin_boundaries(program: LogicProgram, encoding: Encoding, boundaries: Boundaries) -> Boundaries:
    """Put the program's numbers in the place of boundaries that the training rows cannot tell from them.

    If several numbers lie in one gap between values, the first one counts.
    """
    pinned = dict(boundaries)
    for j, offered in boundaries.items():
        slots = encoding.slots[j]
        values, penalties, taken = offered.values.copy(), offered.penalties.copy(), set[int]()
        conditions = (c for rule in program.rules for c in rule.conditions if c.feature == slots.feature.name)
        for number in (place for condition in conditions for place in _places(condition)):
            cut = int(np.searchsorted(slots.lows, number))
            if 0 < cut < slots.n_known and cut not in taken and slots.highs[cut - 1] < number:
                taken.add(cut)
                values[cut], penalties[cut] = number, 0.0
        if taken:
            pinned[j] = replace(offered, values=values, penalties=penalties)
    return pinned


def from_program(program: LogicProgram, encoding: Encoding) -> Draft:
    """Write a program's rules as a draft: memberships at the centre of a bin, at a value, for a missing value."""
    outputs = program.schema.target.outputs
    place = {slots.feature.name: j for j, slots in enumerate(encoding.slots)}
    tables = np.ones((program.n_rules, encoding.n_slots))
    for i, rule in enumerate(program.rules):
        for condition in rule.conditions:
            j = place[condition.feature]
            part = slice(encoding.offsets[j], encoding.offsets[j + 1])
            tables[i, part] = _slot_memberships(condition, encoding.slots[j])
    bias = np.array([rule.weight for rule in program.rules], np.float64)
    output = np.array([outputs.index(rule.label) for rule in program.rules], np.int64)
    return Draft(tables, bias, output, np.array(program.biases, np.float64))


def _slot_memberships(condition: Condition, slots: Slots) -> Floats:
    """How far each slot of a feature satisfies a condition, (slots,)."""
    missing = [np.nan if slots.feature.is_numeric else MISSING] * slots.has_missing
    known = slots.centers if slots.is_ordered else slots.values
    entries = [*known.tolist(), *[UNSEEN] * slots.has_other, *missing]
    column: Column = np.array(entries, np.float64) if slots.feature.is_numeric else np.array(entries, np.int32)
    return membership(condition, column, slots.feature)
