"""The attacks with fixed seeds, as many as fit into the tests of every change."""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.fuzz.targets import ATTACKS

INPUTS = 200 * (5 if os.environ.get("NLN_HYPOTHESIS") == "full" else 1)

FOUND: dict[str, tuple[int, ...]] = {
    "rule texts": (157751995716014,),
    "table files": (1000064, 106563234574338),
    "tables": (106563234575769,),
}
"""Seeds of inputs that once failed."""


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.filterwarnings("ignore")
def test_nothing_but_a_clear_refusal_follows(name):
    for seed in (*FOUND.get(name, ()), *range(INPUTS)):
        try:
            ATTACKS[name](Random(seed))
        except Exception as error:
            error.add_note(f'Again: python -m tests.fuzz --again "{name}" {seed}')
            raise
