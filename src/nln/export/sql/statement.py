"""Programs as one SELECT statement that scores a table where it lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nln.rules.program import LogicProgram
from nln.rules.validate import listed


def to_sql(
    program: LogicProgram,
    *,
    dialect: str = "sqlite",
    table: str | Sequence[str] = "data",
    tables: Mapping[str, str | Sequence[str]] | None = None,
) -> str:
    """Write a query that scores a table.

    The query returns all columns of the table and, for each output, its probability `p_<label>` as in `predict_proba`;
    `decision` as in `predict`; and `rule`, the number (from 1) of the rule of the decided label that contributes most,
    or NULL if no rule does. For a multi-label target there are `decision_<label>` and `rule_<label>`.

    Parameters
    ----------
    program : LogicProgram
        The program to write.
    dialect : {"sqlite", "duckdb", "postgres", "spark"}, default="sqlite"
        The database. Spark compares names without regard to case unless `spark.sql.caseSensitive` is true.
    table : str or sequence of str, default="data"
        Name of the table or view, or the parts of a qualified name: `("schema", "table")`.
    tables : mapping of str to str or sequence of str, default=None
        The same for child tables whose rows the rules count; by default they have the names that the rules call them.

    Returns
    -------
    str
        One SELECT without a semicolon, so that it can be a view or part of another query.

    Raises
    ------
    ImportError
        If sqlglot is not installed.
    ValueError
        If a name or a value cannot be written in SQL.

    Examples
    --------
    >>> import sqlite3
    >>> from nln.rules import Feature, LogicProgram, Schema, Target
    >>> schema = Schema((Feature("x", "continuous"),), Target("class", "binary", ("no", "yes")))
    >>> program = LogicProgram.parse("IF x < 3 THEN class = yes (weight 0.75)", schema=schema)
    >>> query = to_sql(program, table="patients")
    >>> database = sqlite3.connect(":memory:")
    >>> database.executescript("CREATE TABLE patients (x REAL); INSERT INTO patients VALUES (2), (3)").close()
    >>> database.execute(query).fetchall()
    [(2.0, 0.75, 'yes', 1), (3.0, 0.0, 'no', None)]
    >>> database.close()
    """
    try:
        from nln.export.sql.dialects import DIALECTS
        from nln.export.sql.query import scoring_query
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sqlglot":
            raise
        raise ImportError('SQL is written with sqlglot, which is not installed: pip install "nln[export]".') from error
    if dialect not in DIALECTS:
        raise ValueError(f"There is no dialect {dialect!r}; known: {listed(tuple(DIALECTS))}.")
    named = {child.name: child.name for child in program.schema.tables} | dict(tables or {})
    parts = {name: (each,) if isinstance(each, str) else tuple(each) for name, each in named.items()}
    return scoring_query(program, DIALECTS[dialect], (table,) if isinstance(table, str) else tuple(table), parts)
