"""Rows of child tables as correlated sub-queries: EXISTS where rules ask for some or none, COUNT where they count."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from nln.export.calculations import child_conditions
from nln.export.sql.cleaning import cleaned, named_table
from nln.export.sql.conditions import all_of, is_true, wrapped
from nln.export.sql.dialects import Dialect
from nln.export.sql.steps import SOURCE, column
from nln.rules.children.reading import needed_keys
from nln.rules.children.table import FROM_LAST, ChildTable
from nln.rules.condition import Condition, IntervalCondition
from nln.rules.derived.child_count import ChildCount
from nln.rules.program import LogicProgram
from nln.rules.schema import Feature, Value

CHILD, SIBLING = "child", "sibling"
"""Aliases of a child table, and of the same table where its rows are compared."""


def children_query(
    count: ChildCount, program: LogicProgram, dialect: Dialect, tables: Mapping[str, tuple[str, ...]]
) -> exp.Expression:
    """Write how many children of a row count; only whether there are any, if rules ask for no more."""
    table = program.schema.table(count.table)
    if table.is_by_position:
        raise ValueError(
            f"The rows of {table.name!r} belong to rows of the table by their numbers, which a database does not have. "
            "Give both tables a column with a key, and learn with Child(..., key=...)."
        )
    assert table.parent_key is not None
    parts = tables.get(table.name, (table.name,))
    own = exp.EQ(this=column(table.key, CHILD), expression=column(table.parent_key, SOURCE))
    asked = [_test(*pair, table, dialect, parts) for pair in child_conditions(count, program.schema)]
    where = all_of([own, *asked])
    if _asks_only_for_some(count, program):
        some = exp.Select(expressions=[exp.Literal.number(1)]).from_(named_table(parts, CHILD)).where(where)
        one = exp.Case().when(exp.Exists(this=some), exp.Literal.number(1), copy=False)
        return one.else_(exp.Literal.number(0), copy=False)
    return _counted(parts, CHILD, where)


def child_texts(program: LogicProgram) -> list[str]:
    """Names and values of child tables that a query may hold."""
    found: list[str] = []
    for name in needed_keys(program.schema, program.schema.behind(program.features_used)):
        table = program.schema.table(name)
        texts: list[Value | None] = [table.key, table.parent_key, table.order, *table.by_name]
        texts += [value for feature in table.features for value in feature.values]
        found += [text for text in texts if isinstance(text, str)]
    return found


def _asks_only_for_some(count: ChildCount, program: LogicProgram) -> bool:
    """Tell whether no condition tells one child from several."""
    derived = {feature.name: feature.derived for feature in program.schema.features if feature.derived is not None}
    if any(derived.get(name) == count for other in derived.values() for name in other.features):
        return False
    asked = (c for r in program.rules for c in r.conditions if program.schema[c.feature].derived == count)
    return all(
        isinstance(c, IntervalCondition) and all(0 < boundary.value <= 1 for boundary in c.boundaries) for c in asked
    )


def _test(
    condition: Condition, feature: Feature, table: ChildTable, dialect: Dialect, parts: tuple[str, ...]
) -> exp.Expression:
    """Write a condition on a child, with its cleaned cell in the place of the column of the table that is scored."""
    cell = _from_last(table, parts) if feature.name == FROM_LAST and table.order else _cell(feature, dialect)
    place = dialect.input(feature)

    def replaced(node: exp.Expression) -> exp.Expression:
        is_cell = isinstance(node, exp.Column) and node.name == place.name and node.table == place.table
        return wrapped(cell.copy()) if is_cell else node

    return is_true(condition, feature, dialect).transform(replaced)


def _cell(feature: Feature, dialect: Dialect) -> exp.Expression:
    cell = cleaned(feature, dialect) if dialect.cleans(feature) else column(feature.name, SOURCE)
    for each in [node for node in cell.find_all(exp.Column) if node.table == SOURCE]:
        each.set("table", exp.to_identifier(CHILD, quoted=True))
    return cell


def _from_last(table: ChildTable, parts: tuple[str, ...]) -> exp.Expression:
    """Count the siblings that are at least as late; NULL for a child without a place in the order."""
    assert table.order is not None
    same = exp.EQ(this=column(table.key, SIBLING), expression=column(table.key, CHILD))
    later = exp.GTE(this=column(table.order, SIBLING), expression=column(table.order, CHILD))
    return exp.Nullif(this=_counted(parts, SIBLING, all_of([same, later])), expression=exp.Literal.number(0))


def _counted(parts: tuple[str, ...], alias: str, where: exp.Expression) -> exp.Expression:
    counted = exp.Select(expressions=[exp.Count(this=exp.Star())]).from_(named_table(parts, alias)).where(where)
    return exp.Subquery(this=counted)
