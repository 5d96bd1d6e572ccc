"""What each start nominates in a round of child tables: counts of the children that satisfy a conjunction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from nln.learning.derived.conjunctions import BagRows, Conjunction, ConjunctionSearch, Found
from nln.learning.derived.contexts import Context, RulesOnRows
from nln.learning.derived.soft_conjunctions import SoftConjunctions
from nln.learning.derived.state import State, rows_of
from nln.learning.descent.boundaries import crisp_shape, readable_between
from nln.learning.draft import Draft
from nln.learning.selection.to_condition import value_condition
from nln.rules.children.bags import Bags
from nln.rules.children.table import ChildTable
from nln.rules.condition import Boundary, Condition, Interval, IntervalCondition
from nln.rules.derived.child_count import ChildCount
from nln.rules.derived.make import child_count_of, derived_feature
from nln.rules.schema import Feature
from nln.tables.encoding import BYTE_SLOTS, Codes, Integers, make_encoding

SEARCHED_CHILDREN = 65_536
"""Most children that conjunctions are compared on; rows are left out until so many remain."""
MOVED_CHILDREN = 1_000_000
"""Most children on which the boundaries of what was accepted find their places."""
MOST_RULES = 4
"""Most rules of an output that a count is tried in."""
MOST_NOMINEES = 3


class ChildNominations:
    """What the starts nominate of one child table."""

    def __init__(
        self,
        table: ChildTable,
        bags: Bags,
        sample: Integers,
        rng: np.random.Generator,
        most_children: int = SEARCHED_CHILDREN,
    ) -> None:
        self.table = table
        self.encoding = make_encoding(
            table.features, bags.columns, np.ones(len(bags.of_children)), max_slots=BYTE_SLOTS
        )
        codes = self.encoding.codes(bags.columns, len(bags.of_children))
        self.sample = _fewer(bags, sample, rng, most_children)
        self.bags = bag_rows(bags, self.sample, codes)
        self.network = SoftConjunctions(self.encoding, self.bags)

    def nominate(self, rules: RulesOnRows, seen: Integers, price: float) -> list[ChildCount]:
        """Nominate the best counts for the start whose rules are given, on those rows of the sample that it sees."""
        search = ConjunctionSearch(self.encoding, self.bags, price)
        found: dict[ChildCount, float] = {}
        for context, worth in contexts_of(rules):
            whole = _spread(context, seen, len(self.sample))
            best = search.best(whole)
            if best is not None and best.value > worth:
                count = self.count(search, best, whole)
                found[count] = max(found.get(count, 0.0), best.value - worth)
        return _most_worth(found)

    def train(
        self, rules: RulesOnRows, seen: Integers, price: float, rng: np.random.Generator, *, alone: bool
    ) -> list[ChildCount]:
        """Nominate what the soft network finds for a rule beside the others of its output, and, if `alone`, without."""
        search = ConjunctionSearch(self.encoding, self.bags, price)
        found: dict[ChildCount, float] = {}
        for context in _free_places(rules, alone=alone):
            whole = _spread(context, seen, len(self.sample))
            best = search.best_from(self.network.trained(whole, rng), whole)
            if best is not None:
                count = self.count(search, best, whole)
                found[count] = max(found.get(count, 0.0), best.value)
        return _most_worth(found)

    def moved(self, count: ChildCount, rules: RulesOnRows, place: int, price: float) -> ChildCount:
        """Move the boundaries of a count that some rules ask about, as column `place`, to where they are worth most."""
        own = [i for i, conditions in enumerate(rules.conditions) if place in conditions]
        context = max((rules.without(i, {place}) for i in own), key=lambda each: float(each.mass.sum()))
        search = ConjunctionSearch(self.encoding, self.bags, price)
        places = list(self.table.by_name)
        tables = {places.index(c.feature): self._table(c, places.index(c.feature)) for c in count.conditions}
        conjunction = tuple(sorted((j, table.tobytes()) for j, table in tables.items()))
        return self.count(search, search.moved(conjunction, context), context)

    def _table(self, condition: Condition, j: int) -> Codes:
        """The slots of a column that satisfy a condition."""
        slots = self.encoding.slots[j]
        if isinstance(condition, IntervalCondition):
            (interval,) = condition.intervals
            first = 0 if interval.low is None else int(np.searchsorted(slots.lows, interval.low.value))
            last = slots.n_known if interval.high is None else int(np.searchsorted(slots.lows, interval.high.value))
            inside = (np.arange(slots.n_slots) >= first) & (np.arange(slots.n_slots) < last)
            return inside.astype(np.uint8)
        table = np.zeros(slots.n_slots, np.uint8)
        known = [slots.feature.values[v] for v in slots.values]
        table[: slots.n_known] = [(value in condition.values) != condition.negated for value in known]
        table[slots.n_known : slots.n_known + slots.has_other] = condition.negated
        return table

    def count(self, search: ConjunctionSearch, found: Found, context: Context) -> ChildCount:
        """Write a conjunction as the count of the children that satisfy it."""
        conditions = [self._condition(search, found.conjunction, j, context) for j, _ in found.conjunction]
        return child_count_of(conditions, self.table)

    def _condition(self, search: ConjunctionSearch, conjunction: Conjunction, j: int, context: Context) -> Condition:
        slots, table = self.encoding.slots[j], np.frombuffer(dict(conjunction)[j], np.uint8)
        if not slots.is_ordered:
            return value_condition(slots, table.astype(np.float64), 0.0, negation=True)
        shape = crisp_shape(table[: slots.n_known].astype(np.float64))
        ends: list[Boundary] = []
        for cut in shape.cuts.tolist():
            if not slots.feature.is_numeric:
                ends.append(Boundary(float(slots.lows[cut])))
                continue
            first, last = search.zone(conjunction, j, cut, context)
            low, high = float(slots.highs[first - 1]), float(slots.lows[last])
            ends.append(Boundary(readable_between(low, high, whole=slots.feature.whole)))
        low_end, high_end = (None, ends[0]) if shape.starts_inside else (ends[0], ends[1] if len(ends) > 1 else None)
        return IntervalCondition(slots.feature.name, (Interval(low_end, high_end),))


def with_moved_boundaries(
    state: State, used: Sequence[Feature], best: Draft, rng: np.random.Generator
) -> list[Feature]:
    """Give the counts that rules ask about with boundaries that fit all rows, if they differ from what starts found."""
    every, found = np.arange(state.table.n_rows), []
    price = float(state.prices[state.chosen])
    for table in state.table.schema.tables:
        counts = [(f, f.derived) for f in used if isinstance(f.derived, ChildCount) and f.derived.table == table.name]
        if not any(isinstance(c, IntervalCondition) for _, count in counts for c in count.conditions):
            continue
        places = ChildNominations(table, state.table.bags[table.name], every, rng, MOVED_CHILDREN)
        rules = RulesOnRows(best, state.encoding, rows_of(state, places.sample))
        for feature, count in counts:
            moved = derived_feature(places.moved(count, rules, state.place(feature), price))
            found += [moved] if moved.name not in state.table.schema.by_name else []
    return list(dict.fromkeys(found))


def contexts_of(rules: RulesOnRows) -> Iterator[tuple[Context, float]]:
    """Places where a count may stand, each with what stands there already saves.

    For each output these are: the only rule, a rule beside those that there are, and one of these, which it narrows.
    """
    everywhere = np.ones(rules.rows.n_rows)
    for k in range(rules.n_outputs):
        own = np.flatnonzero(rules.draft.output == k).tolist()
        yield rules.alone(k), 0.0
        if own:
            yield rules.beside(k, (), everywhere), 0.0
        for i in own[:MOST_RULES]:
            context = rules.without(i, ())
            hits, mass = float(context.hits.sum()), float(context.mass.sum())
            yield context, max(hits, 0.0) ** 2 / (mass + 0.5)


def _free_places(rules: RulesOnRows, *, alone: bool) -> Iterator[Context]:
    """Contexts of a rule beside those of each output, and of its only rule if `alone` or if there is no other."""
    for k in range(rules.n_outputs):
        has_rules = bool((rules.draft.output == k).any())
        if alone or not has_rules:
            yield rules.alone(k)
        if has_rules:
            yield rules.beside(k, (), np.ones(rules.rows.n_rows))


def _most_worth(found: Mapping[ChildCount, float]) -> list[ChildCount]:
    ranked = sorted(found, key=lambda count: (-round(found[count], 6), count.text))
    return ranked[:MOST_NOMINEES]


def bag_rows(bags: Bags, rows: Integers, codes: Codes) -> BagRows:
    """Give the children of some rows, row by row; `codes` are those of all children, (children, features)."""
    owner = bags.of_rows[rows]
    begins = np.searchsorted(bags.of_children, owner, side="left")
    ends = np.where(owner < 0, begins, np.searchsorted(bags.of_children, owner, side="right"))
    sizes = ends - begins
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    places = np.repeat(begins - first[:-1], sizes) + np.arange(first[-1])
    return BagRows(first, np.ascontiguousarray(codes[places].T))


def _spread(context: Context, seen: Integers, n_rows: int) -> Context:
    """Give the context over all rows of the sample: those that the start does not see have no mass."""
    mass, hits = np.zeros(n_rows), np.zeros(n_rows)
    mass[seen], hits[seen] = context.mass, context.hits
    return Context(mass, hits, context.total)


def _fewer(bags: Bags, sample: Integers, rng: np.random.Generator, most: int) -> Integers:
    """Leave out rows until few enough children remain."""
    sizes = np.append(np.bincount(bags.of_children, minlength=int(bags.of_rows.max(initial=-1)) + 1), 0)
    order = rng.permutation(len(sample))
    total = np.cumsum(sizes[bags.of_rows[sample[order]]])
    kept = order[: max(int((total <= most).sum()), 1)]
    return sample[np.sort(kept)]
