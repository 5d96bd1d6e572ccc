"""Results as Markdown: goals first, then one table for each part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

MET = {True: "met", False: "**not met**", None: "not measured"}


def to_markdown(content: Mapping[str, Any]) -> str:
    """Render the record of a run."""
    lines = [f"# Benchmark: {content['benchmark']}", "", *_where(content), ""]
    if content["quick"]:
        lines += ["Quick form: it shows that the benchmark runs; the numbers mean little.", ""]
    for sentence in content.get("protocol", []):
        lines += [sentence, ""]
    if content["goals"]:
        lines += [*table([{**goal, "met": MET[goal["met"]]} for goal in content["goals"]]), ""]
    for name, part in content["parts"].items():
        if shown := _part(part):  # a part may hold nothing but what others are made of
            lines += [f"## {name}", "", *shown]
    return "\n".join(lines).rstrip() + "\n"


def table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines of a table with the keys of the rows as header, in the order in which they first occur."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = ["| " + " | ".join(names) + " |", "|" + " --- |" * len(names)]
    return head + ["| " + " | ".join(cell(row.get(name)) for name in names) + " |" for row in rows]


def _part(part: Mapping[str, Any]) -> list[str]:
    blocks = [[f"Measured {_sentence(part['environment'])}."]] if "environment" in part else []
    blocks += [[f"{note}"] for note in part["notes"]] + [[f"Skipped: {reason}"] for reason in part["skipped"]]
    if part["status"] == "unfinished":
        blocks.append([f"Not finished: {len(part['cells'])} measurements so far."])
    if part["table"]:
        blocks.insert(0, table(part["table"]))
    return [line for block in blocks for line in (*block, "")]


def _where(content: Mapping[str, Any]) -> list[str]:
    return [f"Seed {content['seed']}; {_sentence(content['environment'])}."]


def _sentence(found: Mapping[str, Any]) -> str:
    machine = found["machine"]
    packages = ", ".join(f"{name} {number}" for name, number in found["packages"].items())
    return (
        f"{found['date']}; {machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB, {machine['system']}; "
        f"Python {found['python']}, {packages}; sources {found['sources']}"
    )


def cell(value: Any) -> str:
    """One entry of a table: numbers short, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value).replace("|", "\\|")
