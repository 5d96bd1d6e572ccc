"""Run the attacks for a while with new seeds: `python -m tests.fuzz --seconds 3600`.

It prints how many inputs of each kind were tried and how many failed, writes the same to a JSON file, and ends with
code 1 if there was a failure. The seed of an input gives it again: `python -m tests.fuzz --again "rule texts" 1234`.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.fuzz.attacks import ATTACKS


def attack(name: str, seed: int) -> str | None:
    """Try one input; return what failed and where, None if nothing did."""
    try:
        ATTACKS[name].try_one(Random(seed))
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
    return None


class Tally:
    """What has been tried so far."""

    def __init__(self, first: int) -> None:
        self.first, self.began = first, time.monotonic()
        self.tried = Counter[str]()
        self.failures = {name: Counter[str]() for name in ATTACKS}
        self.examples: dict[str, int] = {}

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self.began

    def add(self, name: str, seed: int, problem: str | None) -> None:
        """Count an input."""
        self.tried[name] += 1
        if problem is not None:
            self.failures[name][problem] += 1
            self.examples.setdefault(f"{name}: {problem}", seed)

    def write(self, file: Path) -> None:
        """Store the counts."""
        attacks = {n: {"inputs": self.tried[n], "failures": dict(self.failures[n])} for n in ATTACKS}
        found = {
            "first seed": self.first,
            "seconds": round(self.seconds),
            "attacks": attacks,
            "examples": self.examples,
        }
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")

    def lines(self) -> Iterator[str]:
        """Yield the counts as text."""
        for name, wrong in self.failures.items():
            yield f"{name:<12} {self.tried[name]:>8} inputs {wrong.total():>6} failures"
            for problem, times in wrong.most_common():
                yield f"    {times:>6}  {problem}  (seed {self.examples[f'{name}: {problem}']})"
        yield f"{self.tried.total()} inputs, {self.n_failures} failures"

    @property
    def n_failures(self) -> int:
        """How many inputs failed."""
        return sum(wrong.total() for wrong in self.failures.values())


def main() -> int:
    """Attack until the time is over."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--out", type=Path, default=Path("fuzz.json"))
    parser.add_argument("--only", choices=ATTACKS, action="append", help="kind to try; may be repeated")
    parser.add_argument("--again", nargs=2, metavar=("ATTACK", "SEED"))
    given = parser.parse_args()
    if given.again:
        ATTACKS[given.again[0]].try_one(Random(int(given.again[1])))
        return 0
    seed = given.seed if given.seed is not None else secrets.randbits(48)
    tally = Tally(seed)
    while tally.seconds < given.seconds:
        for name in given.only or ATTACKS:
            for _ in range(ATTACKS[name].portion):
                seed += 1
                tally.add(name, seed, attack(name, seed))
        tally.write(given.out)  # after every round, so that a crash of a library loses nothing
    sys.stdout.write("\n".join(tally.lines()) + "\n")
    return int(tally.n_failures > 0)


if __name__ == "__main__":
    sys.exit(main())
