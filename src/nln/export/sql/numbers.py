"""Numbers as each database reads them back to the same bits."""

from __future__ import annotations

import math

from sqlglot import exp

_POWER = 49
"""2**49 has 15 digits, which every reader of decimals gets right."""


def sqlite_number(value: float) -> exp.Expression:
    """Write a number; far from 1, where SQLite's reader is a bit off, as an integer times powers of two.

    Examples
    --------
    >>> sqlite_number(14.9).sql("sqlite"), sqlite_number(2.0**70).sql("sqlite")
    ('14.9', '4503599627370496.0 * 262144.0')
    """
    if value == 0 or 1e-15 < abs(value) < 1e15:
        return _signed(value, repr(abs(value)))
    fraction, exponent = math.frexp(value)
    whole, exponent = int(fraction * 2**53), exponent - 53
    result = _signed(whole, repr(float(abs(whole))))
    while exponent:
        step = min(abs(exponent), _POWER)
        power = exp.Literal.number(repr(float(2**step)))
        result = (
            exp.Mul(this=result, expression=power)
            if exponent > 0
            else exp.Div(this=result, expression=power, typed=True)
        )
        exponent -= step if exponent > 0 else -step
    return result


def duckdb_number(value: float) -> exp.Expression:
    """Write a number with an exponent, which makes it a DOUBLE and not a DECIMAL.

    Examples
    --------
    >>> duckdb_number(14.9).sql("duckdb")
    '14.9e0'
    """
    text = repr(abs(value))
    return _signed(value, text if "e" in text else f"{text}e0")


def postgres_number(value: float) -> exp.Expression:
    """Write a number as an exact decimal; beside a double precision number it becomes one, rightly rounded.

    Examples
    --------
    >>> postgres_number(14.9).sql("postgres")
    '14.9'
    """
    return _signed(value, repr(abs(value)))


def _signed(value: float, text: str) -> exp.Expression:
    # sqlglot would write a negative number anew, without its exponent.
    number = exp.Literal.number(text)
    return exp.Neg(this=number) if value < 0 else number
