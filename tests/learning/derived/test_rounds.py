"""What calculations must show on left-out rows before they are taken."""

import numpy as np
import pytest

from nln.learning.derived.rounds import is_better

BEFORE = np.array([0.10, 0.11, 0.12, 0.10, 0.11])


@pytest.mark.parametrize(
    ("after", "sizes", "taken"),
    [
        (BEFORE - 0.02, (10, 10), True),
        (BEFORE - 0.005, (10, 10), False),  # less than a tenth of the loss
        (BEFORE - 0.007, (10, 5), True),  # half of that is enough for a much shorter program
        (BEFORE, (10, 5), True),  # and so is the same loss
        (BEFORE, (10, 7), False),
        (BEFORE - 0.02, (10, 11), False),  # longer
        (BEFORE - [0.05, 0.05, 0.05, -0.01, 0.05], (10, 10), True),  # one start may lose
        (BEFORE - [0.06, 0.06, 0.06, -0.01, -0.01], (10, 10), False),
        (BEFORE - [0.09, 0.0, 0.0, 0.0, 0.0], (10, 10), False),  # within 1.5 standard errors
    ],
)
def test_nearly_every_start_must_gain(after, sizes, taken):
    assert is_better(BEFORE, after, *sizes, plain_loss=0.25) == taken
