"""Calculated columns as Excel formulas; an empty text is a missing value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nln.export.xlsx.formulas import Listed, membership_formula, number
from nln.rules.condition import Condition
from nln.rules.schema import Feature, Value


def calculation_formula(
    said: dict[str, Any],
    cells: Mapping[str, str],
    list_values: Callable[[Sequence[Value]], Listed],
) -> str:
    """Write a calculation that `nln.export.calculations.calculation` describes."""
    if "members" in said:
        return _count(said["members"], cells, list_values)
    if "same" in said:
        one, other = (cells[name] for name in said["same"])
        return _same(one, other, list_values(said["values"]))
    return _quotient(said["above"], said["below"], cells)


def _quotient(above: Any, below: Any, cells: Mapping[str, str]) -> str:
    """Write a sum of products divided by others: empty if a column is missing or a divisor is 0, #N/A for text."""
    names = dict.fromkeys(name for _, terms in (above, *below) for _, factors in terms for name in factors)
    empty = ",".join(f'{cells[name]}=""' for name in names)
    texts = ",".join(f"ISTEXT({cells[name]})" for name in names)
    result = "/".join([f"({_sum(above, cells)})", *(f"({_sum(divisor, cells)})" for divisor in below)])
    return f'=IF(OR({empty}),"",IF(OR({texts}),NA(),IFERROR({result},"")))'


def _sum(asked: Any, cells: Mapping[str, str]) -> str:
    """Write a sum of products; one that only rounding keeps from 0 is 0."""
    tolerance, terms = asked
    products = [(sign, "*".join(f"N({cells[name]})" for name in names)) for sign, names in terms]
    total = "".join(("+" if sign > 0 else "-") + product for sign, product in products).removeprefix("+")
    if not tolerance:
        return total
    size = "+".join(f"ABS({product})" for _, product in products)
    return f"IF(ABS({total})<{number(tolerance)}*({size}),0,{total})"


def _same(one: str, other: str, listed: Listed) -> str:
    """Write whether two cells hold the same value, one that the features list: 1, 0, or empty if one is missing."""
    known = [f"ISTEXT({one})*SUMPRODUCT(--EXACT({one},{listed.texts}))"] if listed.texts else []
    known += [f"NOT(ISTEXT({one}))*SUMPRODUCT(--({listed.numbers}=N({one})))"] if listed.numbers else []
    equal = f"IF(ISTEXT({one}),EXACT({one},{other}),N({one})=N({other}))"
    test = f"AND(ISTEXT({one})=ISTEXT({other}),{equal},{'+'.join(known)}>0)"
    return f'=IF(OR({one}="",{other}=""),"",IF({test},1,0))'


def _count(
    members: Sequence[tuple[Condition, Feature]],
    cells: Mapping[str, str],
    list_values: Callable[[Sequence[Value]], Listed],
) -> str:
    formulas = []
    for condition, feature in members:
        listed = list_values(getattr(condition, "values", ()))
        formulas.append(membership_formula(condition, feature, cells[feature.name], listed).removeprefix("="))
    return "=" + "+".join(f"({formula})" for formula in formulas)
