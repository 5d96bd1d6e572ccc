"""All probabilities that a crisp program can give, as a diagram of states that its rules lead through.

The rules of an output are asked in turn. A state is the product of 1 - weight over the rules that fired so far,
so the last states carry the very floats that `predict_proba` computes. Equal products share a state: rules that are
certain, and rules with equal weights, add few.
"""

from __future__ import annotations

from dataclasses import dataclass

from nln.export.plain import rules_by_output
from nln.rules.program import LogicProgram

MOST_STATES = 20_000
"""With more states the file would be too large to be of use."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """States of all outputs."""

    starts: tuple[int, ...]  # the first state of each output
    steps: tuple[tuple[int, int, int, int], ...]  # state, rule (from 1), state if the rule fires, state if not
    ends: tuple[tuple[int, int, float], ...]  # last state, output, probability


def diagram(program: LogicProgram) -> Diagram:
    """Follow the crisp rules of each output through all combinations that may fire."""
    starts: list[int] = []
    steps: list[tuple[int, int, int, int]] = []
    ends: list[tuple[int, int, float]] = []
    count = 0
    for output, rules in enumerate(rules_by_output(program)):
        states = {1.0 - program.biases[output]: count}
        starts.append(count)
        count += 1
        for i in rules:
            reached: dict[float, int] = {}
            for absent, state in states.items():
                fired = reached.setdefault(absent * (1.0 - program.rules[i].weight), count + len(reached))
                steps.append((state, i + 1, fired, reached.setdefault(absent, count + len(reached))))
            states, count = reached, count + len(reached)
            if count > MOST_STATES:
                raise ValueError(
                    f"The program's {len(program.rules)} rules can give more than {MOST_STATES} different "
                    f"probabilities, which a solver without fractions cannot take. Export fewer rules, or export to "
                    f"SQL, Python or Prolog."
                )
        ends.extend((state, output, 1.0 - absent) for absent, state in states.items())
    return Diagram(tuple(starts), tuple(steps), tuple(ends))
