"""The starts of one learning: each trains a network and descends without one fold, on which it is scored.

Every start tries the same variants: crisp boundaries, floors under their widths and, on small tables, the networks as
teachers where they know more than the rules. `nln.learning.learn` chooses among them and pools the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nln.learning.options import ROWS_PER_START, LearningSettings
from nln.learning.selection.path import EVIDENCE, EXPLAINED, LEAST_GAIN, StartPath, Trial, Variant, is_lowest_price_best
from nln.learning.selection.runner import Runner
from nln.learning.task import LearningTask
from nln.learning.view import limited
from nln.network.training import Network
from nln.tables.encoding import Floats

RACES = ((1, 10_000), (2, 1_000))
"""Starts that try a variant before the others do, and how many targets (rows times outputs) they must leave out
together to be trusted; the fewest starts that leave out enough go first."""

Paths = dict[Variant, tuple[StartPath, ...]]
"""The paths of all starts, by the variants that were tried."""


def losses_of(paths: Paths) -> Floats:
    """Losses on the left-out rows, (starts, prices, variants)."""
    starts = zip(*paths.values(), strict=True)
    return np.array([[path.losses for path in of_start] for of_start in starts]).swapaxes(1, 2)


def _curves(paths: Paths) -> list[Floats]:
    """Mean losses of each variant at each price."""
    return [np.mean([path.losses for path in of_variant], axis=0) for of_variant in paths.values()]


def _is_whole(paths: tuple[StartPath, ...], prices: Floats) -> bool:
    """Whether the paths of a variant reach the highest price."""
    return all(len(path.losses) == len(prices) for path in paths)


def _lowest(paths: Paths) -> Floats:
    """Lowest mean loss of each variant, over the prices."""
    lowest: Floats = losses_of(paths).mean(axis=0).min(axis=0)
    return lowest


def _best(paths: Paths, count: int = 1) -> list[Variant]:
    """The variants with the lowest losses, the best one first."""
    variants = list(paths)
    return [variants[v] for v in np.argsort(_lowest(paths), kind="stable")[:count]]


class Starts:
    """All starts of one learning, which a runner runs."""

    def __init__(self, task: LearningTask, runner: Runner) -> None:
        self.task, self.runner = task, runner
        self.numbers = range(len(task.views))

    def train(self, settings: LearningSettings) -> tuple[Network, ...]:
        """Train all networks."""
        return tuple(self.runner.train(settings))

    def limit(self, least_shares: Floats) -> None:
        """Let the rules of each output cover at least a share of the rows."""
        self.task = replace(self.task, layouts=limited(self.task.layouts, least_shares))
        self.runner.limit(least_shares)

    def adopt(self, task: LearningTask) -> None:
        """Go on with a table of more columns."""
        self.task = task

    def try_variants(self, ladders: Sequence[Floats], network_loss: float) -> tuple[Floats, Paths]:
        """Follow the prices of a ladder in all variants; go on to a lower one where its lowest price is best."""
        *higher, lowest = ladders
        for prices in higher:
            paths = self._try_ladder(prices, network_loss, may_leave=True)
            if paths and not is_lowest_price_best(_curves(paths)):
                return prices, paths
        return lowest, self._try_ladder(lowest, network_loss)

    def _try_ladder(self, prices: Floats, network_loss: float, *, may_leave: bool = False) -> Paths:
        """Try crisp boundaries, floors under their widths, and teaching if networks know more than rules.

        Where noise is left, also begin at single conditions alone, and with more evidence against every rule. Teaching
        is for small tables. A ladder that one may leave is left as soon as its lowest price is best; then there are no
        paths.
        """
        is_small, crisp = self.task.is_small, Variant(0)
        floors = [Variant(floor) for floor in self.task.layouts if floor]
        begun = self._begin_race(prices, [crisp], {})
        if may_leave and is_lowest_price_best(_curves(begun)):
            return {}
        if is_small:
            begun = self._begin_race(prices, floors, begun)
        else:
            trial = Trial(float(begun[crisp][0].losses.min()), may_leave)
            begun |= self._try_floors(prices, floors, trial)
        if may_leave and is_lowest_price_best(_curves(begun)):
            return {}
        begun = {variant: paths for variant, paths in begun.items() if _is_whole(paths, prices)}
        paths = self._end_race(prices, list(begun), begun)
        if is_small and network_loss < _lowest(paths).min():
            paths |= self._race(prices, [Variant(v.floor, True) for v in floors or [crisp]], paths)
        if _lowest(paths).min() <= EXPLAINED * self.task.plain_loss:
            return paths
        paths |= self._race(prices, [_best(paths)[0]._replace(single=True)], paths)
        return paths | self._try_evidence(prices, paths)

    def _try_floors(self, prices: Floats, floors: Sequence[Variant], trial: Trial) -> Paths:
        """Let the first start descend under all floors, and the other racers under those whose paths do not end early.

        The left-out rows of one start of a long table are enough to see that a floor is worse than none, at the lowest
        price, where fuzzy conditions pay most.
        """
        begun = self._descend(prices, floors, self.numbers[:1], trial)
        whole = [floor for floor, paths in begun.items() if _is_whole(paths, prices)]
        others = self._descend(prices, whole, self.numbers[1 : self._racers()])
        return {floor: (*paths, *others.get(floor, ())) for floor, paths in begun.items()}

    def _try_evidence(self, prices: Floats, paths: Paths) -> Paths:
        """Raise the evidence against every rule as long as left-out rows prefer it, in the best variants so far."""
        found, most = Paths(), 2 if self.task.is_small else 1
        for evidence in EVIDENCE[1:]:
            lowest = _lowest(paths).min()
            tried = [variant._replace(evidence=evidence) for variant in _best(paths, most)]
            paths = self._race(prices, tried, paths)
            found |= paths
            if not paths or _lowest(paths).min() >= lowest:
                break
        return found

    def _race(self, prices: Floats, variants: Sequence[Variant], rivals: Paths) -> Paths:
        """Descend in each variant, unless the first starts see that it falls behind the best one."""
        return self._end_race(prices, variants, self._begin_race(prices, variants, rivals))

    def _begin_race(self, prices: Floats, variants: Sequence[Variant], rivals: Paths) -> Paths:
        """Let the first starts descend; return their paths in these variants and in those of the rivals."""
        first = self._racers()
        found = {variant: paths[:first] for variant, paths in rivals.items()}
        return found | self._descend(prices, variants, self.numbers[:first])

    def _racers(self) -> int:
        """Number of starts that try a variant before the others do."""
        left_out = np.minimum(np.bincount(self.task.folds)[: len(self.numbers)], ROWS_PER_START)
        targets = np.cumsum(left_out) * len(self.task.rows.targets)
        trusted = (count for count, needed in RACES if count <= len(targets) and targets[count - 1] >= needed)
        return next(trusted, len(self.numbers))

    def _end_race(self, prices: Floats, variants: Sequence[Variant], begun: Paths) -> Paths:
        """Let the other starts descend in the variants that do not fall behind the best one; return these."""
        rest = self.numbers[len(next(iter(begun.values()))) :]
        if not rest:
            return {variant: begun[variant] for variant in variants}
        lowest = _lowest(begun).min()
        behind = lowest + LEAST_GAIN * min(lowest, max(self.task.plain_loss - lowest, 0.0))
        kept = [variant for variant in variants if _lowest({variant: begun[variant]}).min() <= behind]
        ended = self._descend(prices, kept, rest)
        return {variant: (*begun[variant], *ended[variant]) for variant in kept}

    def _descend(
        self, prices: Floats, variants: Sequence[Variant], numbers: Sequence[int], trial: Trial | None = None
    ) -> Paths:
        if not variants or not numbers:
            return {}
        found = self.runner.descend(numbers, prices, variants, trial)
        return dict(zip(variants, zip(*found, strict=True), strict=True))
