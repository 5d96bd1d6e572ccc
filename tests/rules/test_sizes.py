"""A megabyte of rules or of a model is read in seconds: no step may compare everything with everything.

Each case runs in a process whose processor time is limited, far above what it takes and far below what it took when it
was quadratic. A limit of processor time does not depend on what else the machine does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import nln

SECONDS = 40
START = """
import resource
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
from nln.model import model_from_dict
from nln.rules import Feature, LogicProgram, Rule, Schema, Target, ValueCondition
target = Target("y", "binary", ("no", "yes"))
def document(features, rules=()):
    return dict(format="nln-program", version=3, target=dict(name="y", kind="binary", labels=["no", "yes"]),
                features=features, outputs=[dict(label="yes", bias=0.1, threshold=0.5)], rules=[*rules])
def number(i):
    return dict(name=f"f{{i}}", kind="continuous")
"""

CASES = {
    "a model of many features": """
n = 20_000
program = document([*map(number, range(n))])
columns = [f"f{i}" for i in range(n)]
model = model_from_dict(dict(format="nln-model", version=3, columns=columns, named=True, class_type="object",
                             program=program))
assert len(model.names) == n
""",
    "many features of one name": """
try:
    model_from_dict(document([*map(number, range(20_000)), number(7)]))
except ValueError as error:
    assert "'f7'" in str(error)
else:
    raise AssertionError
""",
    "a condition on many values": """
values = tuple(f"v{i}" for i in range(30_000))
schema = Schema((Feature("c", "categorical", values),), target)
program = LogicProgram.parse("IF c in {" + ", ".join(values) + "} THEN y = yes", schema=schema)
assert model_from_dict(program.to_dict()).program_ == program == program.simplify()
""",
    "many rules on many values": """
n = 8_000
values = tuple(f"v{i}" for i in range(n))
schema = Schema((Feature("c", "categorical", values), Feature("x", "continuous")), target)
text = " ".join(f"IF c = v{i} AND x < {i} THEN y = yes" for i in range(n))
assert LogicProgram.parse(text, schema=schema).simplify().n_rules == n
""",
    "many classes": """
labels = tuple(f"k{i}" for i in range(15_000))
schema = Schema((), Target("y", "multiclass", labels))
program = LogicProgram(schema, tuple(Rule((), label, 0.5) for label in labels), (0.0,) * len(labels), ())
assert model_from_dict(program.to_dict()).program_ == program
""",
    "many calculations": """
n = 2_000
schema = Schema(tuple(Feature(f"f{i}", "continuous") for i in range(n)), target)
text = " ".join(f"IF f{i} * f{(i + 1) % n} < 3 THEN y = yes" for i in range(n))
assert LogicProgram.parse(text, schema=schema).n_rules == n
""",
}


@pytest.mark.skipif(os.name != "posix", reason="limits of processor time are those of POSIX")
@pytest.mark.parametrize("name", CASES)
def test_a_large_program_is_read_in_proportion_to_its_size(name):
    done = subprocess.run(
        [sys.executable, "-c", START.format(seconds=SECONDS) + CASES[name]],
        env={**os.environ, "PYTHONPATH": str(Path(nln.__file__).parents[1])},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:] or f"it took more than {SECONDS} s"
