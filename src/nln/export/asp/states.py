"""All probabilities that a crisp program can give, as a diagram of states that its rules lead through.

The rules of an output are asked in turn; a state is what their product has come to, so that the last states carry the
very floats that `predict_proba` computes. Equal products share a state: certain rules, and rules with equal
probabilities, add few.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nln.export.plain import rules_by_output

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

MOST_STATES = 20_000
"""More states than this make no file that anyone would load."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """States of all outputs.

    Parameters
    ----------
    starts : tuple of int
        Per output the first state.
    steps : tuple of (state, rule, state if the rule fires, state if not)
        Rules are counted from 1.
    ends : tuple of (state, output, probability)
        The last states.
    """

    starts: tuple[int, ...]
    steps: tuple[tuple[int, int, int, int], ...]
    ends: tuple[tuple[int, int, float], ...]


def diagram(program: LogicProgram) -> Diagram:
    """Follow the rules of each output through all that may fire.

    Parameters
    ----------
    program : LogicProgram
        A program of crisp rules.

    Raises
    ------
    ValueError
        If there are more than `MOST_STATES` states.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Rule, Schema, Target
    >>> schema = Schema((), Target("class", "binary", ("no", "yes")))
    >>> diagram(LogicProgram(schema, (Rule((), "yes", 0.75),), (0.0,), (0.5,)))
    Diagram(starts=(0,), steps=((0, 1, 1, 2),), ends=((1, 0, 0.75), (2, 0, 0.0)))
    """
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
                fired = reached.setdefault(absent * (1.0 - program.rules[i].probability), count + len(reached))
                steps.append((state, i + 1, fired, reached.setdefault(absent, count + len(reached))))
            states, count = reached, count + len(reached)
            _check_count(count, program)
        ends.extend((state, output, 1.0 - absent) for absent, state in states.items())
    return Diagram(tuple(starts), tuple(steps), tuple(ends))


def _check_count(count: int, program: LogicProgram) -> None:
    if count > MOST_STATES:
        raise ValueError(
            f"The program's {len(program.rules)} rules can give more than {MOST_STATES} different probabilities, which "
            f"a solver without fractions cannot take. Export fewer rules, or export to SQL, Python or Prolog."
        )
