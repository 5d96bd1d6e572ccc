"""The scoring query of a program: cleaned columns, then contributions, then probabilities, then the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from nln.export.names import result_names
from nln.export.sql.dialects import DIALECTS, INPUTS, SOURCE, Dialect, Layer
from nln.export.sql.inputs import cleaned
from nln.export.sql.results import OUTPUTS, RULES, contributions, probabilities, results

if TYPE_CHECKING:
    from nln.rules.program import LogicProgram

__all__ = ["DIALECTS", "scoring_query"]


def scoring_query(program: LogicProgram, dialect: Dialect, table: tuple[str, ...]) -> str:
    """Write the query.

    Parameters
    ----------
    program : LogicProgram
        What to write.
    dialect : Dialect
        The database.
    table : tuple of str
        The parts of the table's name, at most three.
    """
    _check_characters(program, table)
    features = [program.schema[name] for name in program.features_used if dialect.cleans(program.schema[name])]
    steps: list[Layer] = [
        (INPUTS, {dialect.input(feature).name: cleaned(feature, dialect) for feature in features}),
        (RULES, contributions(program, dialect)),
        (OUTPUTS, probabilities(program, dialect)),
    ]
    answer = results(program, result_names(program.schema), dialect)
    query = dialect.assemble(_table(table), [step for step in steps if step[1]], answer)
    return query.sql(dialect=dialect.name, pretty=True, identify=True)


def _table(parts: tuple[str, ...]) -> exp.Table:
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"A table's name has one to three parts, not {len(parts)}: {parts!r}.")
    names = [exp.to_identifier(part, quoted=True) for part in reversed(parts)]
    result = exp.Table(**dict(zip(("this", "db", "catalog"), names, strict=False)))
    result.set("alias", exp.TableAlias(this=exp.to_identifier(SOURCE, quoted=True)))
    return result


def _check_characters(program: LogicProgram, table: tuple[str, ...]) -> None:
    for text in _texts(program, table):
        if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
            raise ValueError(f"SQL cannot hold the character NUL or half of a surrogate pair, as in {text!r}.")


def _texts(program: LogicProgram, table: tuple[str, ...]) -> Iterator[str]:
    yield from table
    yield from (label for label in program.schema.target.labels if isinstance(label, str))
    for name in program.features_used:
        yield name
        yield from (value for value in program.schema[name].values if isinstance(value, str))
