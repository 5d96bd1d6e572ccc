"""Time of a training epoch: our compiled network against the same network in eager PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from benchmarks.data import adult, network_rows
from benchmarks.environment import available_cores
from benchmarks.measure import Times, interleave, ratio
from benchmarks.record import Part
from benchmarks.settings import Settings, SkippedError, say
from nln.datasets import load_tic_tac_toe
from nln.network.layout import NetworkInput, TrainingRows, initial_weights
from nln.network.options import TrainingOptions
from nln.network.training import train

N_RULES = 128
TOLERANCE = 1e-4
"""How far the losses of both may differ for the same weights."""
NOTES = [
    "Milliseconds an epoch, medians; both train from the same random weights on all rows, in turn. PyTorch is tried "
    "with one thread and with all cores, and the better runs against us. `ratio` is of wall times, `CPU ratio` of CPU "
    "times, which depend less on what else the machine does. Before timing, both must give the same loss for the same "
    f"weights (to {TOLERANCE:g}); the losses shown are those of the last epoch.",
]
TRIED_STEPS = 20
"""Steps over which the number of PyTorch's threads is chosen: threads that wait for a busy core can be very slow."""
NO_TORCH = "PyTorch is not installed, so only our own times are measured: `pip install torch`."


@dataclass(frozen=True)
class Task:
    """A data set, a batch size, and how many epochs one repeat has."""

    data: str
    given: NetworkInput
    rows: TrainingRows
    batch_size: int
    epochs: int
    seed: int

    def options(self, epochs: int | None = None, batch_size: int | None = None) -> TrainingOptions:
        """Return settings that stop after a fixed number of epochs over all rows.

        No weight begins at 0, where the L1 penalty has no gradient and both take another step.
        """
        n, epochs, batch = len(self.rows.targets), epochs or self.epochs, batch_size or self.batch_size
        return TrainingOptions(epochs=epochs, batch_size=batch, rows_per_epoch=n, patience=10**9, most_features=None)

    def train(self, options: TrainingOptions) -> list[float]:
        """Train our network; the losses of the epochs."""
        every, none = np.arange(len(self.rows.targets)), np.empty(0, np.int64)
        rng = np.random.default_rng(self.seed)
        return train(self.given, self.rows, every, none, N_RULES, options, rng).history.column("loss")


def measure(settings: Settings) -> Part:
    """Compare on tic-tac-toe and adult, with the batch size of the paper and with our default."""
    table: list[dict[str, Any]] = []
    values: dict[str, float] = {}
    skipped = [] if has_torch() else [NO_TORCH]
    for name, load, epochs in (("tic-tac-toe", _tic_tac_toe, 100), ("adult", adult, 4)):
        try:
            data = load(settings)
        except SkippedError as error:
            skipped.append(str(error))
            continue
        for task in _tasks(name, data, epochs, settings):
            say(f"epoch: {name}, batches of {task.batch_size}")
            row = _compare(task, settings, with_torch=NO_TORCH not in skipped)
            table.append(row)
            if "ratio" in row:  # the goal is about the batch size where we do worst
                values[f"{name}_ratio"] = min(row["ratio"], values.get(f"{name}_ratio", np.inf))
    return {"table": table, "values": values, "notes": NOTES, "skipped": skipped}


def has_torch() -> bool:
    """Whether PyTorch can be imported."""
    try:
        import torch  # noqa: F401 - optional
    except ImportError:
        return False
    return True


def _tic_tac_toe(_: Settings) -> tuple[Any, Any]:
    return load_tic_tac_toe(backend="pandas")


def _tasks(name: str, data: tuple[Any, Any], epochs: int, settings: Settings) -> Iterator[Task]:
    given, rows = network_rows(*data)
    sizes = {128, TrainingOptions().batch_for(len(rows.targets))}
    for batch_size in sorted(sizes)[: 1 if settings.quick else None]:
        yield Task(name, given, rows, batch_size, 2 if settings.quick else epochs, settings.seed)


def _compare(task: Task, settings: Settings, *, with_torch: bool) -> dict[str, Any]:
    last: dict[str, float] = {}
    contestants: dict[str, Callable[[], Any]] = {"nln": _keep_last(last, "nln", lambda: task.train(task.options()))}
    row: dict[str, Any] = {"data": task.data, "rows": len(task.rows.targets), "batch": task.batch_size}
    if with_torch:
        difference = loss_difference(task)
        if difference > TOLERANCE:
            raise RuntimeError(f"The PyTorch network is not ours: losses differ by {difference:g} on {task.data}.")
        tried = _try_threads(task)
        threads = min(tried, key=tried.__getitem__)
        contestants["PyTorch"] = _keep_last(last, "PyTorch", lambda: _train_torch(task, threads, task.options()))
        row["threads tried (ms a step)"] = ", ".join(f"{n}: {ms:.3g}" for n, ms in tried.items())
    times = interleave(contestants, 1 if settings.quick else 5)
    return {**row, **_summary(task, times), **{f"{name} loss": loss for name, loss in last.items()}}


def _try_threads(task: Task) -> dict[int, float]:
    """Milliseconds of a step of PyTorch with one thread and with all cores, over a few batches."""
    steps = min(TRIED_STEPS, -(-len(task.rows.targets) // task.batch_size))
    few = replace(task, rows=TrainingRows(*(array[: steps * task.batch_size] for array in task.rows)))
    options = few.options(epochs=1)
    tried = {n: partial(_train_torch, few, n, options) for n in sorted({1, available_cores()})}
    return {n: 1e3 * median(t.wall) / steps for n, t in interleave(tried, 3).items()}


def _keep_last(last: dict[str, float], name: str, run: Callable[[], list[float]]) -> Callable[[], None]:
    def keep() -> None:
        last[name] = run()[-1]

    return keep


def _summary(task: Task, times: dict[str, Times]) -> dict[str, float]:
    found = {f"{name} (ms)": 1e3 * median(t.wall) / task.epochs for name, t in times.items()}
    if "PyTorch" not in times:
        return found
    nln, other = times["nln"], times["PyTorch"]
    return found | {"ratio": ratio(other.wall, nln.wall), "CPU ratio": ratio(other.cpu, nln.cpu)}


def _train_torch(task: Task, threads: int, options: TrainingOptions) -> list[float]:
    """Train the PyTorch network from the weights and with the batches of ours."""
    import torch

    from benchmarks.torch_network import TorchNetwork, train_torch

    rng = np.random.default_rng(task.seed)
    weights = initial_weights(task.given, N_RULES, task.rows.targets.shape[1], rng)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)  # products of many small numbers; costs nothing and can only help
    try:
        return train_torch(TorchNetwork(task.given, weights), task.rows, options, rng)
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(before)


def loss_difference(task: Task) -> float:
    """How far the losses of both are apart for the same weights.

    The loss of an epoch of a single batch is that of the weights before the step, so the first epoch compares the loss
    of the initial weights and the second that of the weights after both have stepped once.
    """
    options = task.options(epochs=2, batch_size=len(task.rows.targets))
    return float(np.max(np.abs(np.subtract(task.train(options), _train_torch(task, 1, options)))))
