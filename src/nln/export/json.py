"""Programs as JSON."""

from __future__ import annotations

import json

from nln.rules.program import LogicProgram


def to_json(program: LogicProgram, *, indent: int | None = 2) -> str:
    """Write the JSON form, which `LogicProgram.from_dict` takes after `json.loads`.

    Parameters
    ----------
    program : LogicProgram
        The program to write.
    indent : int or None, default=2
        Spaces per level; None puts everything on one line.

    Returns
    -------
    str
        A JSON document.

    Examples
    --------
    >>> from nln.rules import LogicProgram, Schema, Target
    >>> program = LogicProgram(Schema((), Target("class", "binary", ("no", "yes"))), (), (0.0,), (0.5,))
    >>> LogicProgram.from_dict(json.loads(to_json(program))) == program
    True
    """
    return json.dumps(program.to_dict(), indent=indent, allow_nan=False)
