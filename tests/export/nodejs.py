"""A process of Node that scores rows with exported JavaScript, one line of JSON per case."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nln.export import to_javascript
from nln.export.javascript import literal
from nln.rules import LogicProgram
from tests import tools

DRIVER = """
import { createInterface } from "node:readline";
for await (const line of createInterface({ input: process.stdin })) {
  const { source, rows } = JSON.parse(line);
  const load = (text) => import("data:text/javascript;base64," + Buffer.from(text).toString("base64"));
  const program = await load(source);
  const table = (await load("export default " + rows)).default;
  const place = (decision) => (Array.isArray(decision) ? decision : program.labels.indexOf(decision));
  console.log(JSON.stringify({
    labels: program.labels.length,
    texts: program.rules.map((rule) => rule.text),
    memberships: table.map((row) => program.memberships(row)),
    probabilities: table.map((row) => program.predictProba(row)),
    decisions: table.map((row) => place(program.predict(row))),
  }));
}
"""


@contextmanager
def started() -> Iterator[subprocess.Popen[str]]:
    command = [tools.program("node"), "--input-type=module", "-e", DRIVER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as process:
        yield process
        assert process.stdin
        process.stdin.close()


def entry(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    return literal(value)


def run(node: subprocess.Popen[str], program: LogicProgram, rows: list[dict[str, Any]]) -> Any:
    assert node.stdin and node.stdout
    pairs = (", ".join(f"[{literal(name)}, {entry(value)}]" for name, value in row.items()) for row in rows)
    table = f"[{', '.join(f'Object.fromEntries([{row}])' for row in pairs)}]"
    node.stdin.write(json.dumps({"source": to_javascript(program), "rows": table}) + "\n")
    node.stdin.flush()
    return json.loads(node.stdout.readline())


def printed(script: str) -> str:
    """Run a script and return what it prints."""
    command = [tools.program("node"), "-e", script]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
