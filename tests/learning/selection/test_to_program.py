import numpy as np

from nln.learning.draft import Draft
from nln.learning.learn import Learned
from nln.learning.selection.dial import Stage
from nln.learning.selection.to_program import to_program
from nln.rules import Feature, Schema, Target
from nln.tables.encoding import make_encoding


def test_rules_that_faded_are_not_written():
    features = (Feature("on", "binary", (False, True)), Feature("up", "binary", (False, True)))
    columns = {"on": np.array([0, 1, 1], np.int32), "up": np.array([1, 0, 1], np.int32)}
    encoding = make_encoding(features, columns, np.ones(3))
    draft = Draft(
        np.array([[0.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0]]), np.array([0.9, 4e-4]), np.zeros(2, int), np.ones(1) / 9
    )
    learned = Learned((Stage(draft, {}),), 0, np.ones(1), np.ones(1), {}, True, (), np.ones(1, int), encoding=encoding)
    program = to_program(learned.stages[0], learned, Schema(features, Target("y", "binary", ("no", "yes"))))
    assert [[c.feature for c in rule.conditions] for rule in program.rules] == [["on"]]
