"""Calculations with names, as features of a schema."""

from __future__ import annotations

from collections.abc import Mapping

from nln.rules.schema import Schema


def define_features(schema: Schema, definitions: Mapping[str, str]) -> Schema:
    """Return a schema with features that are calculated from others, each with a name.

    Parameters
    ----------
    schema : Schema
        The features to calculate from.
    definitions : mapping of str to str
        For each name an expression, as `weight / height / height`, a question, as `a is b`, or a count, as
        `count of {temp > 38; pulse > 90}` or `number of visits (dept = ER)`, in the rule language. Later ones may use
        earlier ones.

    Returns
    -------
    Schema
        The schema with the new features at its end. Conditions on them are written with their names.

    Raises
    ------
    RuleSyntaxError
        If a definition breaks the grammar or names what the schema does not know; the message shows the place.

    Examples
    --------
    >>> from nln.rules import Feature, LogicProgram, Target
    >>> columns = (Feature("weight", "continuous"), Feature("height", "continuous"))
    >>> schema = Schema(columns, Target("obese", "binary", ("no", "yes")))
    >>> schema = define_features(schema, {"bmi": "weight / height / height"})
    >>> program = LogicProgram.parse("IF bmi >= 30 THEN obese = yes", schema=schema)
    >>> program.predict({"weight": [100, 60], "height": [1.7, 1.7]}).tolist()
    ['yes', 'no']
    """
    from nln.rules.language.definitions import define

    return define(definitions, schema)
