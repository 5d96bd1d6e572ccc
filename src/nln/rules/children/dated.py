"""Children up to a date of the row that they belong to: which these are, and how many days before it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nln.rules.cells import Column
from nln.rules.children.bags import Grouping, Integers
from nln.rules.dates import Times, days_between


class Dated(NamedTuple):
    """Children by row and date; a child stands in the bag of each date that it is not later than."""

    grouping: Grouping
    rows: Integers  # (entries,) number of each child in its table
    days: Column  # (entries,) days from the child to the date


def children_until(grouping: Grouping, dates: Times, times: Times) -> Dated:
    """Give each different pair of key and date a bag, with the children whose time is not later than the date.

    Rows without a date have no children, and children without a time belong to no row: it is not known that they were
    there before.
    """
    keyed = (grouping.of_rows >= 0) & ~np.isnat(dates)
    known = (grouping.of_children >= 0) & ~np.isnat(times)
    moments = np.unique(np.concatenate([dates[keyed], times[known]]))
    pair = _ranked(grouping.of_rows[keyed], dates[keyed], moments)
    bags, numbers = np.unique(pair, return_inverse=True)
    of_rows = np.full(len(dates), -1, np.int64)
    of_rows[keyed] = numbers
    children = np.flatnonzero(known)
    ranked = _ranked(grouping.of_children[known], times[known], moments)
    order = np.argsort(ranked, kind="stable")
    ranked, children = ranked[order], children[order]
    first = np.searchsorted(ranked, bags - bags % max(len(moments), 1))
    size = np.searchsorted(ranked, bags, side="right") - first
    of_entries = np.repeat(np.arange(len(bags)), size)
    rows = children[np.arange(len(of_entries)) + np.repeat(first - (np.cumsum(size) - size), size)]
    until = moments[bags % len(moments)] if len(moments) else dates[:0]
    return Dated(Grouping(of_rows, of_entries), rows, days_between(times[rows], until[of_entries]))


def _ranked(keys: Integers, times: Times, moments: Times) -> Integers:
    """Number pairs of a key and a point of time, in their order."""
    return np.asarray(keys * len(moments) + np.searchsorted(moments, times), np.int64)
