"""A model card: one page of Markdown about a model, with what only people can say left to fill in."""

from __future__ import annotations

from collections.abc import Iterator

from nln.export.markdown import escaped, to_markdown
from nln.made import Made
from nln.model import SavedModel
from nln.rules.language.text import LEGEND, conclusion_text
from nln.rules.language.words import counted, number
from nln.rules.schema import Feature
from nln.scores import TITLES

_UNKNOWN = "not recorded"
_MOST_VALUES = 12

_TO_FILL_IN = {
    "Intended use": (
        "Who uses the model, for which decisions, and who decides in the end?",
        "For whom and for what must it not be used?",
    ),
    "Limits": (
        "Whom do the rows stand for, and who is missing among them?",
        "What happens if the model is wrong, and who would notice?",
        "When must it be checked again?",
    ),
    "Contact": ("Who answers questions about the model?",),
}
"""What no file knows, by heading."""


def model_card(model: SavedModel) -> str:
    """Write the model card of a model; the scores are those that `made_` holds."""
    made, target = model.made_ or Made(), model.program_.schema.target
    about = ", ".join(map(str, target.labels)) if target.kind == "multilabel" else target.name
    sections = [
        [f"# Model card: {_line(about)}"],
        [_summary(model)],
        ["## Data", "", *_data(model, made)],
        ["## Learning", "", *_learning(made)],
        ["## Scores", "", *_scores(made)],
        ["## Rules", "", to_markdown(model.program_), "", LEGEND],
    ]
    if model.program_.history:
        sections.append(["## Changes by hand", "", *_history(model)])
    for heading, asked in _TO_FILL_IN.items():
        sections.append([f"## {heading}", "", *(f"- *{question}* (to fill in)" for question in asked)])
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def _summary(model: SavedModel) -> str:
    program, target = model.program_, model.program_.schema.target
    decided = [_line(conclusion_text(target, label)) for label in target.outputs]
    used = counted(len(program.features_used), "feature")
    rules = f"{counted(program.n_rules, 'rule')} about {used} for {', '.join(decided)}"
    return f"{rules}. The rules are the model: there is nothing else."


def _data(model: SavedModel, made: Made) -> Iterator[str]:
    yield f"- Table: {_UNKNOWN if made.table is None else _line(made.table)}"
    yield f"- Rows learned from: {_UNKNOWN if made.rows is None else made.rows}"
    yield f"- Columns: {len(model.names)}, of which rules may ask about {len(model.program_.schema.columns)}"
    yield from (f"- Note: {_line(note)}" for note in made.notes)
    yield from ("", "| feature | kind | values | asked about in |", "|---|---|---|---:|")
    for feature in model.program_.schema.features:
        asked = sum(feature.name in {c.feature for c in rule.conditions} for rule in model.program_.rules)
        rules = counted(asked, "rule") if asked else ""
        yield f"| {_line(feature.name)} | {feature.kind} | {_line(_values(feature))} | {rules} |"


def _values(feature: Feature) -> str:
    if feature.derived is not None:
        return f"calculated: {feature.derived.text}" if feature.is_named else "calculated"
    if feature.is_numeric:
        return "numbers"
    if not feature.values:
        return "not kept: no rule asks about them"
    shown = ", ".join(map(str, feature.values[:_MOST_VALUES]))
    return shown if len(feature.values) <= _MOST_VALUES else f"{shown} and {len(feature.values) - _MOST_VALUES} more"


def _learning(made: Made) -> Iterator[str]:
    yield f"- Date: {made.date or _UNKNOWN}"
    yield f"- Seed: {_UNKNOWN if made.seed is None else made.seed}"
    versions = ", ".join(f"{name} {version}" for name, version in made.versions.items())
    yield f"- Versions: {_line(versions) or _UNKNOWN}"


def _scores(made: Made) -> Iterator[str]:
    names = list(dict.fromkeys(name for found in made.scores.values() for name in found))
    if not names:
        yield "Not recorded. `nln card MODEL.json DATA` measures them on a table."
        return
    yield f"| rows | {' | '.join(_line(TITLES.get(name, name)) for name in names)} |"
    yield f"|---|{'---:|' * len(names)}"
    for where, found in made.scores.items():
        cells = [f"{found[name]:.3f}" if name in found else "" for name in names]
        yield f"| {_line(where)} | {' | '.join(cells)} |"
    yield ""
    yield "Scores on the rows learned from are too good; those on other rows tell what to expect."


def _history(model: SavedModel) -> Iterator[str]:
    for edit in model.program_.history:
        said = ", ".join(_line(part) for part in (edit.author, edit.reason) if part)
        yield f"- {edit.time}: {edit.action} rule {number(edit.rule)}{f' ({said})' if said else ''}"


def _line(text: str) -> str:
    """Write text on one line, so that none of it is a mark of Markdown."""
    return escaped(" ".join(text.split()))
