"""`python -m benchmarks NAME`: run a benchmark, store its results, print them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import boolean, intervals, listing, peers, recovery, speed, tabular
from benchmarks.record import Record
from benchmarks.settings import Settings, say

RESULTS = Path(__file__).parent / "results"

BENCHMARKS: dict[str, Callable[[Settings, Record], None]] = {
    "boolean": boolean.run,
    "intervals": intervals.run,
    "listing": listing.run,
    "peers": peers.run,
    "recovery": recovery.run,
    "speed": speed.run,
    "tabular": tabular.run,
}
"""A benchmark calls `record.part` for each part, then `record.judge` with its goals."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark named on the command line."""
    given = _parser().parse_args(arguments)
    settings = Settings(given.data, given.seed, given.quick, tuple(given.part or ()), given.env)
    path = given.out
    if path is None and not given.quick:
        path = RESULTS / f"{given.name}.json"
    record = Record(given.name, settings, path, fresh=given.fresh)
    BENCHMARKS[given.name](settings, record)
    print(record.markdown())
    if path is not None:
        say(f"stored in {path} and {path.with_suffix('.md').name}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Run a benchmark of nln.")
    parser.add_argument("name", choices=sorted(BENCHMARKS), help="which benchmark")
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder with data files (default: $NLN_DATA)")
    parser.add_argument(
        "--out",
        type=_json_path,
        metavar="FILE",
        help="JSON file of the results; a Markdown table goes beside it "
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


def _json_path(text: str) -> Path:
    path = Path(text)
    if path.suffix != ".json":
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .json")
    return path


if __name__ == "__main__":
    raise SystemExit(main())
