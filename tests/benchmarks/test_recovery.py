from __future__ import annotations

from benchmarks.recovery_codes import evaluate


def test_a_chapter_of_codes_is_not_listed_group_by_group():
    # Here levels change, the descent gives up two groups more, and only then the chapter says the rest.
    program = evaluate("hierarchy", 0)["program"]
    assert "icd_first_1 = K" in program and "K00" not in program
