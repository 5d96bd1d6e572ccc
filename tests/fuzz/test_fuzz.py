"""The attacks with fixed seeds, as many as fit into the tests of every change."""

from __future__ import annotations

import os
from random import Random

import pytest

from nln.rules import LogicProgram, RuleSyntaxError, Schema
from tests.fuzz.attacks import ATTACKS
from tests.fuzz.programs import FEATURES, TARGETS

INPUTS = 200 * (5 if os.environ.get("NLN_HYPOTHESIS") == "full" else 1)

FOUND: dict[str, tuple[int, ...]] = {
    "model files": (1065, 1932, 509828, 229639266893438, 229639267339615),
    "table files": (1000064, 106563234574338),
    "tables": (106563234575769,),
}
"""Seeds of inputs that once failed."""

REFUSED = ("IF code != 11529215046068 * 6976 THEN class = yes",)
"""Rules that once ended in an error of our own."""


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.filterwarnings("ignore")
def test_nothing_but_a_clear_refusal_follows(name):
    kind = ATTACKS[name]
    for seed in (*FOUND.get(name, ()), *range(min(INPUTS, 8 * INPUTS * kind.portion // 100))):
        try:
            kind.try_one(Random(seed))
        except Exception as error:
            error.add_note(f'Again: python -m tests.fuzz --again "{name}" {seed}')
            raise


@pytest.mark.parametrize("text", REFUSED)
def test_rules_that_were_found_are_refused_with_their_place(text):
    with pytest.raises(RuleSyntaxError, match="Line 1, column"):
        LogicProgram.parse(text, schema=Schema(FEATURES, TARGETS[0]))
