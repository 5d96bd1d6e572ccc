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
from pathlib import Path
from random import Random

from tests.fuzz.targets import ATTACKS

PORTION = 20
"""Inputs of one kind before the next kind has its turn."""


def attack(name: str, seed: int) -> str | None:
    """Try one input; return what failed and where, None if nothing did."""
    try:
        ATTACKS[name](Random(seed))
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__} in {Path(place.filename).name}:{place.lineno}"
    return None


def main() -> int:
    """Attack until the time is over."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--out", type=Path, default=Path("fuzz.json"))
    parser.add_argument("--again", nargs=2, metavar=("ATTACK", "SEED"))
    given = parser.parse_args()
    if given.again:
        ATTACKS[given.again[0]](Random(int(given.again[1])))
        return 0
    first = given.seed if given.seed is not None else secrets.randbits(48)
    tried, failures = Counter[str](), dict[str, Counter[str]]()
    examples: dict[str, int] = {}
    began, seed = time.monotonic(), first
    while time.monotonic() - began < given.seconds:
        for name in ATTACKS:
            for _ in range(PORTION):
                seed += 1
                problem = attack(name, seed)
                tried[name] += 1
                if problem is not None:
                    failures.setdefault(name, Counter())[problem] += 1
                    examples.setdefault(f"{name}: {problem}", seed)
    found = {
        "first seed": first,
        "seconds": round(time.monotonic() - began),
        "attacks": {n: {"inputs": tried[n], "failures": dict(failures.get(n, {}))} for n in ATTACKS},
        "examples": examples,
    }
    given.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    for name in ATTACKS:
        wrong = failures.get(name, Counter())
        sys.stdout.write(f"{name:<12} {tried[name]:>8} inputs {wrong.total():>6} failures\n")
        for problem, times in wrong.most_common():
            sys.stdout.write(f"    {times:>6}  {problem}  (seed {examples[f'{name}: {problem}']})\n")
    sys.stdout.write(f"{tried.total()} inputs, {sum(w.total() for w in failures.values())} failures\n")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
