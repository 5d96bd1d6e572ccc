"""`python -m benchmarks NAME`: run a benchmark, store its results, print them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import (
    ablation,
    audit,
    boolean,
    cluster,
    counting,
    front,
    gradients,
    independence,
    intervals,
    kdd,
    kidney,
    listing,
    others,
    paper,
    peers,
    rare,
    recovery,
    relations,
    scaling,
    sites,
    spark,
    speed,
    stability,
    tabular,
)
from benchmarks.record import Record
from benchmarks.settings import Settings, say
from benchmarks.suite import benchmark as suite

ALL = "all"
RESULTS = Path(__file__).parent / "results"

BENCHMARKS: dict[str, Callable[[Settings, Record], None]] = {
    "ablation": ablation.run,
    "audit": audit.run,
    "boolean": boolean.run,
    "cluster": cluster.run,
    "counting": counting.run,
    "front": front.run,
    "gradients": gradients.run,
    "independence": independence.run,
    "intervals": intervals.run,
    "kdd": kdd.run,
    "kidney": kidney.run,
    "listing": listing.run,
    "others": others.run,
    "paper": paper.run,
    "peers": peers.run,
    "rare": rare.run,
    "recovery": recovery.run,
    "relations": relations.run,
    "scaling": scaling.run,
    "sites": sites.run,
    "spark": spark.run,
    "speed": speed.run,
    "stability": stability.run,
    "suite": suite.run,
    "tabular": tabular.run,
}
"""A benchmark calls `record.part` for each part, then `record.judge` with its goals."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark named on the command line, or all of them."""
    parser = _parser()
    given = parser.parse_args(arguments)
    settings = Settings(given.data, given.seed, given.quick, tuple(given.part or ()), given.env)
    if given.name != ALL and given.out is not None and given.out.suffix != ".json":
        parser.error(f"argument --out: {str(given.out)!r} does not end in .json")
    for name in BENCHMARKS if given.name == ALL else [given.name]:
        _run(name, settings, _path(given, name), fresh=given.fresh)
    return 0


def _path(given: argparse.Namespace, name: str) -> Path | None:
    """Where the results of a benchmark go; None stores nothing."""
    if given.out is None:
        return None if given.quick else RESULTS / f"{name}.json"
    out: Path = given.out
    return out / f"{name}.json" if given.name == ALL else out


def _run(name: str, settings: Settings, path: Path | None, *, fresh: bool) -> None:
    record = Record(name, settings, path, fresh=fresh)
    BENCHMARKS[name](settings, record)
    print(record.markdown())
    if path is not None:
        say(f"stored in {path} and {path.with_suffix('.md').name}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run a benchmark of nln.")
    parser.add_argument("name", choices=[*sorted(BENCHMARKS), ALL], help="which benchmark")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with data files (default: $NLN_DATA)")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="JSON file of the results; a Markdown table goes beside it; for all, a folder "
        "(default: benchmarks/results/NAME.json, nothing with --quick)",
    )
    parser.add_argument("--quick", action="store_true", help="a small form that shows that everything runs")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of all that is drawn (default: 0)")
    parser.add_argument("--part", action="append", metavar="PART", help="run only this part (may be repeated)")
    parser.add_argument(
        "--env", type=Path, metavar="DIR", help="virtual environment of the peers (default: .benchmarks-venv)"
    )
    parser.add_argument("--fresh", action="store_true", help="run parts again that FILE already has")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
