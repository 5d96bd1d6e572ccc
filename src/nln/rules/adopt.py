"""Rules that somebody wrote, or that were learned elsewhere, as rules over the schema of a table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from nln.rules.children.reading import needed_keys
from nln.rules.program import LogicProgram
from nln.rules.schema import Schema


def adopt(given: LogicProgram | str, schema: Schema, columns: Collection[str] = ()) -> LogicProgram:
    """Read a program over any schema, or the text of one, as a program over the schema of a table.

    `columns` are all columns of the table: one that is not in the schema has no two different values.
    """
    if isinstance(given, str):
        return LogicProgram.parse(given, schema=schema)
    used = given.schema.behind(given.features_used)
    if counted := [table for table in needed_keys(given.schema, used) if table not in {t.name for t in schema.tables}]:
        raise ValueError(
            f"initial_program counts rows of {counted[0]!r}. Learning begins with rules about columns of the table "
            "only. Leave out the rules that count."
        )
    asked = given.schema.plain(given.features_used)
    for name in (feature.name for feature in asked):
        if name in columns and name not in schema.names:
            raise ValueError(f"initial_program asks about {name!r}, which has no two different values in X.")
        feature = given.schema[name]
        if feature.kind == "ordinal" and name in schema.names and schema[name].values != feature.values:
            raise ValueError(
                f"initial_program knows the ordinal feature {name!r} with the values {feature.values!r}, X with "
                f"{schema[name].values!r}; list them in feature_types."
            )
    biases = (0.0,) * len(schema.target.outputs)
    rules = tuple(replace(rule, coverage=None, starts=None) for rule in given.rules)
    try:
        calculated = [given.schema[name] for name in given.features_used if given.schema[name].derived is not None]
        needed = (given.schema[name] for f in calculated if f.derived for name in f.derived.features)
        schema = schema.with_features([*(feature for feature in needed if feature.derived is not None), *calculated])
        return LogicProgram(schema, rules, biases, schema.target.default_thresholds)
    except ValueError as error:
        raise ValueError(f"initial_program does not fit the table. {error}") from error
