"""Several starts, one program: train networks, choose the price, pool the rules, descend once more, soften boundaries.

The rows are cut into folds, as many as there are starts (at least five). Start s trains and descends without fold s,
which stops the training and scores that start's path from many rules to few. The mean scores choose the price. The
rules of all starts one step below that price are pooled, and the descent on all rows keeps those that earn their price.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from nln.learning.derived.derive import derive
from nln.learning.derived.table import TableRows
from nln.learning.descent.boundaries import Boundaries
from nln.learning.descent.descent import Descent
from nln.learning.descent.layout import SlotLayout
from nln.learning.descent.levels import find_levels
from nln.learning.descent.orders import find_orders
from nln.learning.draft import Draft, pool_drafts, with_initial_rules
from nln.learning.options import ROWS_PER_START, LearningSettings, Size
from nln.learning.packed import Drafts, pack
from nln.learning.parted.rows import AllRows, PartedLeastRows
from nln.learning.prior import Prior
from nln.learning.selection.committee import committee_sizes, form_committee
from nln.learning.selection.dial import Dial, Stage
from nln.learning.selection.from_network import IMAGINED_WEIGHT, with_imagined
from nln.learning.selection.least_rows import LeastRows, find_least_rows
from nln.learning.selection.path import LEAST_GAIN, Choice, LeftOut, choose, mean_rules, price_ladders
from nln.learning.selection.runner import Threads
from nln.learning.selection.sow import sow
from nln.learning.selection.starts import Starts, losses_of
from nln.learning.selection.steadiness import starts_that_found
from nln.learning.task import LearningTask, prepare_task, sample_rows
from nln.network.callbacks import announce
from nln.network.training import Network
from nln.rules import Feature, LogicProgram, Rule
from nln.tables.encoding import EncodedRows, Encoding, Floats, Integers


@dataclass(frozen=True)
class Learned:
    """The outcome of learning: the rules at every price, and all that is needed to write them as programs."""

    stages: tuple[Stage, ...]  # from many rules to few
    chosen: int  # number of the stage that is taken
    prices: Floats  # of each stage
    validation_losses: Floats  # mean squared error on the left-out rows, of each stage
    boundaries: Boundaries
    negation: bool  # whether conditions may list exceptions
    networks: tuple[Network, ...]  # one per start
    least_rows: Integers  # (outputs,) fewest rows that a rule must cover
    left_out: tuple[LeftOut, ...] = ()  # rows that tell how good decisions are, by stage; without any, all rows
    fixed: tuple[Rule, ...] = ()  # rules whose conditions were given and stay: the first ones of each draft
    # of the columns that were looked at, with the calculations that were found
    encoding: Encoding = field(default_factory=lambda: Encoding(()))

    @property
    def calculated(self) -> tuple[Feature, ...]:
        """Features of the calculations that were found, those that some stage asks about."""
        found = []
        for j, slots in enumerate(self.encoding.slots):
            part = slice(self.encoding.offsets[j], self.encoding.offsets[j + 1])
            is_found = slots.feature.derived is not None and not slots.feature.is_named
            if is_found and any((stage.draft.tables[:, part] != 1.0).any() for stage in self.stages):
                found.append(slots.feature)
        return tuple(found)

    def covers_enough(self, program: LogicProgram, rows: Integers) -> npt.NDArray[np.bool_]:
        """Which rules of a program cover enough rows of the table, given how many each covers.

        The descent sees a number as the centre of its bin, so a few rows may be on the other side of a fuzzy boundary.
        """
        least = dict(zip(program.schema.target.outputs, self.least_rows.tolist(), strict=True))
        given = {rule.conditions for rule in replace(program, rules=self.fixed).simplify().rules}
        wide = [r.conditions in given or n >= least[r.label] for r, n in zip(program.rules, rows, strict=True)]
        return np.array(wide, np.bool_)


def learn(
    encoding: Encoding,
    rows: EncodedRows,
    settings: LearningSettings,
    prior: Prior | None = None,
    table: TableRows | None = None,
    everything: AllRows | None = None,
) -> Learned:
    """Learn rules from encoded rows; calculations are searched for where the language allows and the table is given.

    If the rows are a sample, `everything` has all: networks and price are chosen on the sample, the rules on all rows.
    """
    prior = prior or Prior()
    rng = np.random.default_rng(settings.seed)
    n_starts = settings.starts_for(*rows.targets.shape)
    children = [np.random.default_rng(child) for child in settings.seed.spawn(n_starts)]
    calculates = table is not None and may_calculate(settings, encoding, prior, table)
    runner = None if everything is None else everything.runner(encoding, settings, prior, children)
    task = prepare_task(encoding, rows, settings, prior, rng, narrow=not calculates and everything is None)
    starts = Starts(task, runner or Threads(task, children, settings.n_jobs))
    networks = starts.train(settings)
    network_loss = float(np.mean([network.validation_loss for network in networks])) * len(task.rows.targets)
    if settings.language.min_rows is not None:
        limit_coverage(starts, network_loss, everything or rows, settings.language.min_rows)
    announce(settings.callbacks, "choosing the price")
    choice = choose_price(starts, networks, settings.price, settings.size)
    n_rows = rows.n_rows if everything is None else everything.n_rows
    best, found, scale = None, None, _price_scale(n_rows) if settings.price is None else 1.0
    if table is not None and calculates:
        announce(settings.callbacks, "counting children" if table.bags else "trying calculations")
        derivation = derive(starts.task, choice, table, settings, scale, prior.constraints.units)
        if derivation is not None:
            task, rows, choice = derivation.task, derivation.rows, derivation.choice
            best, found = derivation.best, derivation.found
            starts.adopt(task)
    unexplained = min(network_loss, float(choice.losses[choice.price]))
    least_rows = limit_coverage(starts, unexplained, everything or rows, settings.language.min_rows)
    announce(settings.callbacks, "pooling the rules")
    prices = choice.prices * scale
    dial = Dial(
        starts.task.layouts[choice.variant.floor]._replace(evidence=choice.variant.evidence),
        task.boundaries,
        choice.variant.floor,
        settings.language.max_rules,
        prior.most_rules(),
        rng,
        least_rows,
        find_orders(task.encoding),
        find_levels(task.encoding),
    )
    stages, at = pool_and_descend(task, choice, networks, dial, prices, best, everything), list(range(len(prices)))
    chosen = choice.price
    if settings.size == "accurate":  # committees stand in the place of the stages at lower prices
        committees = seat_committees(task, choice, dial, prices[choice.price], everything)
        stages = committees + stages[choice.price :]
        at = [choice.price] * len(committees) + at[choice.price :]
    elif dial.max_rules is None and not dial.by_output:  # limits may cost rules that are right
        chosen = explaining_stage(stages, choice, task, dial.layout)
    if len(networks) > 1:
        paths: Sequence[Sequence[Draft]] = found or [path.drafts for path in choice.paths]
        times = starts_that_found([stage.draft for stage in stages], paths, dial.layout, task.counted(rows))
        stages = [stage.found_by(counts) for stage, counts in zip(stages, times, strict=True)]
    left_out = tuple(map(choice.left_out, at)) if task.is_small else ()
    shared = task.boundaries, settings.language.negation, networks, least_rows.least, left_out, prior.fixed
    return Learned(tuple(stages), at.index(chosen), prices[at], choice.losses[at], *shared, task.encoding)


def limit_coverage(
    starts: Starts, loss: float, rows: EncodedRows | AllRows, min_rows: int | None
) -> LeastRows | PartedLeastRows:
    """Find how many rows a rule must cover, and keep the descents from now on to it.

    Without a number that is asked for, `loss` decides: what neither networks nor rules explain of left-out rows. The
    starts are not limited then, because rules that cover few rows and still hold for left-out rows show that there is
    little noise.
    """
    task = starts.task
    unexplained = min(loss / max(task.plain_loss, 1e-300), 1.0)
    found: LeastRows | PartedLeastRows
    if isinstance(rows, AllRows):
        found = rows.least_rows(min_rows, unexplained)
    else:
        found = find_least_rows(min_rows, task.counted(rows), unexplained)
    starts.limit(found.shares)
    return found


def choose_price(starts: Starts, networks: Sequence[Network], price: float | None, size: Size = "balanced") -> Choice:
    """Let all starts try the variants at every price (or at the one given), and choose by their left-out rows."""
    task, is_ordered = starts.task, bool(starts.task.boundaries)
    noise = [network.validation_loss for network in networks]  # of one output, as a rule concludes one
    mean_loss = float(np.mean(noise)) * len(task.rows.targets)
    ladders = [np.array([price])] if price is not None else price_ladders(noise, task.rows.n_rows, is_ordered)
    prices, paths = starts.try_variants(ladders, mean_loss)
    variants, losses = list(paths), losses_of(paths)
    rules, searched = mean_rules(paths.values()), task.is_small and not is_ordered
    chosen, v = choose(losses, variants, task.plain_loss, rules, searched=searched, size=size)
    return Choice(variants[v], prices, chosen, losses[:, :, v].mean(axis=0), paths[variants[v]])


def pool_and_descend(
    task: LearningTask,
    choice: Choice,
    networks: Sequence[Network],
    dial: Dial,
    prices: Floats,
    best: Draft | None = None,
    everything: AllRows | None = None,
) -> list[Stage]:
    """Pool the rules of all starts, and descend from them on all rows, at the chosen price and at the others.

    The descent at the chosen price begins at the `best` rules, if there are any that were pooled before.
    """
    taught, is_whole = choice.variant.taught and everything is None, everything is None
    # The starts, too, began anew at each price where single conditions won.
    sown = sow(task.layouts[0], task.rows, task.encoding) if choice.variant.single else None
    begins = (pool_drafts(choice.drafts_below(p)) if sown is None else sown for p in range(choice.price + 1))
    packed = [pack(with_initial_rules(draft, task.initial)) for draft in begins]
    pools = Drafts(packed if best is None else [*packed[:-1], pack(best)])
    rivals = [with_initial_rules(draft, task.initial) for draft in choice.drafts_below(choice.price)]
    rows = with_imagined(task.rows, networks, dial.rng) if taught else task.rows
    every = np.arange(task.rows.n_rows)
    sample = rows if task.is_small else task.rows.take(sample_rows(every, dial.rng))
    paid = prices * (1.0 + IMAGINED_WEIGHT if taught else 1.0)
    is_searched = task.is_small and is_whole and not choice.variant.single
    return dial.run(everything or rows, sample, pools, paid, rivals if is_searched else None)


def explaining_stage(stages: Sequence[Stage], choice: Choice, task: LearningTask, layout: SlotLayout) -> int:
    """Number of the stage at the chosen price, or of a longer one where too little is left of what the starts found.

    On few rows a start keeps rules at a high price because it found them at a lower one. The descent on all rows, which
    begins anew at each price, may give them up there, although left-out rows say that they are right. So the rules must
    save half of what those of the starts save of left-out rows, less a share of the plain loss that may be noise.
    """
    least = 0.5 * (task.plain_loss - float(choice.losses[choice.price])) - LEAST_GAIN * task.plain_loss
    weight = float(task.rows.weights.sum())
    for at in range(choice.price, -1, -1):
        loss = Descent(layout, task.rows, stages[at].draft, scored=True).error() / weight
        if task.plain_loss - loss >= least:
            return at
    return choice.price


def may_calculate(settings: LearningSettings, encoding: Encoding, prior: Prior, table: TableRows | None = None) -> bool:
    """Whether calculations are searched for: if there are children or the language allows any, and rules are free."""
    is_free = prior.program is None and prior.limits(encoding) is None
    has_children = table is not None and bool(table.bags)
    return is_free and bool(has_children or settings.language.most_mentions or settings.language.most_members)


def seat_committees(
    task: LearningTask, choice: Choice, dial: Dial, price: float, everything: AllRows | None = None
) -> list[Stage]:
    """Keep the rules of all starts at the chosen price side by side, then those of fewer starts."""
    drafts, stages = [path.drafts[choice.price] for path in choice.paths], []
    for members in committee_sizes(len(drafts)):
        committee = with_initial_rules(form_committee(drafts[:members]), task.initial)
        stages.append(replace(dial.keep_all(everything or task.rows, committee, price), members=members))
    return stages


def _price_scale(n_rows: int) -> float:
    """How much higher the price is on all rows than on those that a start saw: between not at all and in proportion.

    Noise that a literal may fit does not grow with the rows; what true literals are worth does. The root keeps programs
    readable on long tables and still lets them grow.
    """
    return float(np.sqrt(max(n_rows / (2 * ROWS_PER_START), 1.0)))
