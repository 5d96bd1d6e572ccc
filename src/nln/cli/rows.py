"""What programs ask of a table file."""

from __future__ import annotations

from collections.abc import Sequence

from nln.cli.inputs import users_mistakes
from nln.rules import LogicProgram, Schema


def used_schema(*programs: LogicProgram, also: Sequence[str] = ()) -> Schema:
    """Join the schemas of programs for one target, with the features that some rule asks about.

    Parameters
    ----------
    *programs : LogicProgram
        The programs.
    also : sequence of str
        Names of features to keep though no rule asks about them.

    Examples
    --------
    >>> from nln.rules import Feature, Target
    >>> schema = Schema((Feature("x", "continuous"), Feature("z", "continuous")), Target("y", "binary", (0, 1)))
    >>> used_schema(LogicProgram.parse("IF z < 3 THEN y = 1", schema=schema)).names
    ('z',)
    """
    from nln.compose.core.schemas import join_schemas

    with users_mistakes():
        joined = join_schemas([program.schema for program in programs])
    wanted = {*also, *(name for program in programs for name in program.features_used)} & {*joined.names}
    wanted = wanted or {*joined.names[:1]}  # rows are counted by some column
    return Schema(tuple(feature for feature in joined.features if feature.name in wanted), joined.target)
