"""Time of a training epoch: our compiled network against the same network in eager PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from benchmarks.data import adult, network_rows
from benchmarks.environment import available_cores
from benchmarks.measure import Times, interleave, ratio
from benchmarks.record import Part
from benchmarks.settings import Settings, SkippedError, say
from nln.datasets import load_tic_tac_toe
from nln.network.parameters import NetworkInput, TrainingRows, initial_weights
from nln.network.training import TrainingOptions, train

N_RULES = 128
TOLERANCE = 1e-4
"""How far the losses of both may differ for the same weights."""
NOTES = [
    "Milliseconds an epoch, medians; both train from the same random weights on all rows, in turn. PyTorch runs with one "
    "thread and with all cores; the ratio is against the better. Before timing, both must give the same loss for the same "
    f"weights (to {TOLERANCE:g}); losses are those of the last epoch.",
]


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
        """Return settings that stop after a fixed number of epochs over all rows."""
        n = len(self.rows.targets)
        return TrainingOptions(
            epochs=epochs or self.epochs, batch_size=batch_size or self.batch_size, rows_per_epoch=n, patience=10**9
        )

    def train(self, options: TrainingOptions) -> list[float]:
        """Train our network; the losses of the epochs."""
        every, none = np.arange(len(self.rows.targets)), np.empty(0, np.int64)
        rng = np.random.default_rng(self.seed)
        return train(self.given, self.rows, every, none, N_RULES, options, rng).history.column("loss")


def measure(settings: Settings) -> Part:
    """Compare on tic-tac-toe and adult, with the batch size of the paper and with our default."""
    table: list[dict[str, Any]] = []
    values: dict[str, float] = {}
    skipped: list[str] = []
    try:
        import torch  # noqa: F401, PLC0415  optional
    except ImportError:
        skipped.append("PyTorch is not installed, so only our own times are measured: `pip install torch`.")
    for name, load, epochs in (("tic-tac-toe", _tic_tac_toe, 200), ("adult", adult, 4)):
        try:
            data = load(settings)
        except SkippedError as error:
            skipped.append(str(error))
            continue
        for task in _tasks(name, data, epochs, settings):
            say(f"epoch: {name}, batches of {task.batch_size}")
            row = _compare(task, settings, with_torch=not (skipped and "PyTorch" in skipped[0]))
            table.append(row)
            if "ratio" in row:  # the goal is about the batch size where we do worst
                values[f"{name}_ratio"] = min(row["ratio"], values.get(f"{name}_ratio", np.inf))
    return {"table": table, "values": values, "notes": NOTES, "skipped": skipped}


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
    row = {"data": task.data, "rows": len(task.rows.targets), "batch": task.batch_size}
    if with_torch:
        difference = loss_difference(task)
        if difference > TOLERANCE:
            raise RuntimeError(f"The PyTorch network is not ours: losses differ by {difference:g} on {task.data}.")
        for threads in sorted({1, available_cores()}):
            name = f"PyTorch, {threads} thread{'s' * (threads > 1)}"
            contestants[name] = _keep_last(last, "PyTorch", lambda threads=threads: _train_torch(task, threads))
    times = interleave(contestants, 1 if settings.quick else 3)
    return {**row, **_summary(task, times), **{f"{name} loss": loss for name, loss in last.items()}}


def _keep_last(last: dict[str, float], name: str, run: Callable[[], list[float]]) -> Callable[[], None]:
    def keep() -> None:
        last[name] = run()[-1]

    return keep


def _summary(task: Task, times: dict[str, Times]) -> dict[str, float]:
    found = {f"{name} (ms)": 1e3 * median(t.wall) / task.epochs for name, t in times.items()}
    others = [ratio(t.wall, times["nln"].wall) for name, t in times.items() if name != "nln"]
    return found | ({"ratio": min(others)} if others else {})


def _train_torch(task: Task, threads: int, options: TrainingOptions | None = None) -> list[float]:
    """Train the PyTorch network from the weights and with the batches of ours."""
    import torch  # noqa: PLC0415  optional

    from benchmarks.torch_network import TorchNetwork, train_torch  # noqa: PLC0415

    rng = np.random.default_rng(task.seed)
    weights = initial_weights(task.given, N_RULES, task.rows.targets.shape[1], rng)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)  # products of many small numbers; costs nothing and can only help
    try:
        return train_torch(TorchNetwork(task.given, weights), task.rows, options or task.options(), rng)
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
