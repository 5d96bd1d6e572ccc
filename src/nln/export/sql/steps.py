"""The steps of a query, put together as each database takes them.

All give the columns of the table followed by the results. What a query may not do is to name the columns of the table,
of which it knows only those that rules ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from sqlglot import exp

SOURCE = "source"
"""Alias of the table that is scored."""

INPUTS = "inputs"
"""Alias of the step that cleans the features' columns, where there is something to clean."""

Columns: TypeAlias = Mapping[str, exp.Expression]
Step: TypeAlias = tuple[str, Columns]
"""A step of the computation: its alias, and its columns computed from those of earlier steps."""

MOST_COPIES = 1000
"""Columns of steps that a query of SQLite may hold, where each result has steps of its own."""


def column(name: str, step: str) -> exp.Column:
    """Name a column of a step, quoted."""
    return exp.column(name, table=step, quoted=True)


def lateral_joins(table: exp.Table, steps: Sequence[Step], results: Columns) -> exp.Select:
    """Join each step to the table and the steps before, as PostgreSQL can without cost."""
    query = exp.Select(expressions=[_everything(SOURCE), *_aliased(results)]).from_(table, copy=False)
    for alias, columns in steps:
        inner = exp.Subquery(this=exp.Select(expressions=_aliased(columns)))
        lateral = exp.Lateral(this=inner, alias=_table_alias(alias))
        query.append("joins", exp.Join(this=lateral, kind="CROSS"))
    return query


def nested_rows(
    table: exp.Table, steps: Sequence[Step], results: Columns, *, pack: str = 'STRUCT_PACK(*COLUMNS("{}".*))'
) -> exp.Select:
    """Nest the steps, which hand on the row as a structure: DuckDB plans many columns of lateral joins slowly.

    `pack` is how the database makes a structure of all columns of a table.
    """
    row = "row"
    while any(row in columns for _, columns in steps):
        row += "_"
    packed = exp.Var(this=pack.format(SOURCE))
    inner: exp.Table | exp.Subquery = table
    below = ""
    for alias, select in _nested(steps, results.values()):
        for cell in [c for c in select.find_all(exp.Column) if below and c.table == SOURCE]:
            cell.replace(exp.Dot(this=column(row, below), expression=cell.this.copy()))
        kept = _aliased({row: column(row, below) if below else packed})
        select.set("expressions", [*kept, *select.expressions])
        inner, below = exp.Subquery(this=select.from_(inner, copy=False), alias=_table_alias(alias)), alias
    shown = {name: _redirected(result, steps, below) for name, result in results.items()}
    return exp.Select(expressions=[_everything(row), *_aliased(shown)]).from_(inner, copy=False)


def nested_values(table: exp.Table, steps: Sequence[Step], results: Columns) -> exp.Select:
    """Nest the steps in one scalar query per result, since SQLite has no lateral joins; long ones are joined."""
    needed = {name: _needed(steps, result) for name, result in results.items()}
    if sum(len(columns) for own in needed.values() for _, columns in own) > MOST_COPIES:
        return _joined_values(table, steps, results)
    scored: dict[str, exp.Expression] = {}
    for name, result in results.items():
        inner: exp.Subquery | None = None
        below = ""
        for alias, select in _nested(needed[name], [result]):
            inner, below = exp.Subquery(this=_from(select, inner), alias=_table_alias(alias)), alias
        answer = exp.Select(expressions=[_redirected(result, needed[name], below)])
        scored[name] = exp.Subquery(this=_from(answer, inner))
    return exp.Select(expressions=[_everything(SOURCE), *_aliased(scored)]).from_(table, copy=False)


def _needed(steps: Sequence[Step], result: exp.Expression) -> list[Step]:
    """Return of each step the columns that a result needs."""
    aliases = [alias for alias, _ in steps]
    wanted, found = set(_asked([result], aliases)), list[Step]()
    for alias, columns in reversed(steps):
        own = {name: expression for name, expression in columns.items() if name in wanted}
        wanted.update(_asked(own.values(), aliases))
        found += [(alias, own)] if own else []
    return found[::-1]


def _joined_values(table: exp.Table, steps: Sequence[Step], results: Columns) -> exp.Select:
    """Compute every step once for each combination of cells that the rules ask about, and join the rows to it."""
    steps, results, first = _renamed(table, steps, results)
    asked = _asked([e for _, columns in steps for e in columns.values()], [SOURCE])
    keys = {name: f"key {place}" for place, name in enumerate(asked, 1)}
    cells = {keys[name]: _exactly(column(name, SOURCE)) for name in asked} or {"key 0": exp.Literal.number(1)}
    rows = exp.Select(expressions=_aliased(cells), distinct=exp.Distinct()).from_(table.copy(), copy=False)
    ctes, below = [_cte(first, rows)], first
    for alias, select in _nested(steps, results.values()):
        for cell in [c for c in select.find_all(exp.Column) if c.table == SOURCE]:
            cell.replace(column(keys[cell.name], below))
        select.set("expressions", [*_aliased({key: column(key, below) for key in cells}), *select.expressions])
        ctes.append(_cte(alias, select.from_(exp.Table(this=_quoted(below)), copy=False)))
        below = alias
    shown = {name: _redirected(result, steps, below) for name, result in results.items()}
    query = exp.Select(expressions=[_everything(SOURCE), *_aliased(shown)]).from_(table, copy=False)
    same = [exp.Is(this=cell.copy(), expression=column(key, below)) for key, cell in cells.items()]
    query.append("joins", exp.Join(this=exp.Table(this=_quoted(below)), side="LEFT", on=_balanced(same)))
    query.set("with_", exp.With(expressions=ctes))
    return query


def _renamed(table: exp.Table, steps: Sequence[Step], results: Columns) -> tuple[list[Step], Columns, str]:
    """Give the steps names that no table has, and one more for the step before: they would stand for the tables."""
    expressions = [e for _, columns in steps for e in columns.values()]
    tables = {each.name.casefold() for e in (table, *expressions) for each in e.find_all(exp.Table)}
    prefix = "nln"
    while any(name.startswith(prefix) for name in tables):
        prefix += "_"
    renamed = {alias: f"{prefix} {alias}" for alias, _ in steps}

    def moved(columns: Columns) -> Columns:
        found = {name: expression.copy() for name, expression in columns.items()}
        for cell in [c for e in found.values() for c in e.find_all(exp.Column) if c.table in renamed]:
            cell.set("table", _quoted(renamed[cell.table]))
        return found

    return [(renamed[alias], moved(columns)) for alias, columns in steps], moved(results), f"{prefix} cells"


def _balanced(tests: Sequence[exp.Expression]) -> exp.Expression:
    """Join tests by AND, half by half, since SQLite limits how deep an expression may be."""
    if len(tests) == 1:
        return tests[0]
    middle = len(tests) // 2
    return exp.Paren(this=exp.And(this=_balanced(tests[:middle]), expression=_balanced(tests[middle:])))


def _exactly(cell: exp.Expression) -> exp.Expression:
    """Compare text as it is, whatever the table says of its column."""
    return exp.Collate(this=cell, expression=exp.Var(this="BINARY"))


def _cte(alias: str, select: exp.Select) -> exp.CTE:
    return exp.CTE(this=select, alias=_table_alias(alias), materialized=True)


def _nested(steps: Sequence[Step], results: Iterable[exp.Expression]) -> Iterator[tuple[str, exp.Select]]:
    """Yield each step as a query about the one before, which hands on what later ones ask for."""
    aliases = [alias for alias, _ in steps]
    wanted = [set(_asked(results, aliases))]  # of each step: what later ones ask for
    for _, columns in reversed(steps[1:]):
        wanted.insert(0, wanted[0] | set(_asked(columns.values(), aliases)))
    known: list[str] = []
    below = ""
    for place, (alias, columns) in enumerate(steps):
        handed = {name: column(name, below) for name in known if name in wanted[place]}
        own = {name: _redirected(e, steps[:place], below) for name, e in columns.items()}
        yield alias, exp.Select(expressions=_aliased({**handed, **own}))
        known, below = [*handed, *own], alias


def _asked(expressions: Iterable[exp.Expression], aliases: Sequence[str]) -> list[str]:
    """Return which columns of some steps are asked for, each once: a step hands them on to those around it."""
    found = (cell for expression in expressions for cell in expression.find_all(exp.Column))
    return list(dict.fromkeys(cell.name for cell in found if cell.table in aliases))


def _redirected(expression: exp.Expression, steps: Sequence[Step], below: str) -> exp.Expression:
    """Take the columns of all earlier steps from the one below, which hands them on."""
    result = expression.copy()
    aliases = {alias for alias, _ in steps}
    for cell in [cell for cell in result.find_all(exp.Column) if cell.table in aliases]:
        cell.set("table", _quoted(below))
    return result


def _from(query: exp.Select, inner: exp.Subquery | None) -> exp.Select:
    return query if inner is None else query.from_(inner, copy=False)


def _everything(alias: str) -> exp.Expression:
    return exp.Column(this=exp.Star(), table=_quoted(alias))


def _aliased(columns: Columns) -> list[exp.Expression]:
    return [exp.Alias(this=expression, alias=_quoted(name)) for name, expression in columns.items()]


def _table_alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=_quoted(name))


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)
