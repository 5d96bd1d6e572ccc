"""Programs, explanations and tables of numbers as HTML for notebooks.

The HTML is small and stands alone: styles are inline, colours are shades of the page's own, light or dark, and nothing
is loaded. `element` is the one place that escapes: whatever is not `Html` already is text.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from nln.rules.language.text import closing_text, conclusion_text, condition_texts
from nln.rules.language.words import counted, number, percent, spelled

if TYPE_CHECKING:
    from nln.rules.explain.explanations import Explanation, OutputExplanation, RuleCheck
    from nln.rules.program import LogicProgram
    from nln.rules.rule import Rule

MOST_RULES = 50
"""Rules shown; longer lists make a notebook slow and are not read there."""

_FAINT = "opacity:.65"
_LINE = "1px solid rgba(128,128,128,.35)"
_CELL = f"padding:.25em .8em .25em 0;border:0;border-top:{_LINE};vertical-align:top;background:none;"
_LEFT, _RIGHT = f"{_CELL}text-align:left", f"{_CELL}text-align:right;white-space:nowrap"
_CODE = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.95em"


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Content: TypeAlias = "Html | str"


def element(tag: str, *content: Content, style: str = "") -> Html:
    """Write an element. Content that is not HTML is escaped."""
    inside = "".join(part if isinstance(part, Html) else escape(part) for part in content)
    styled = f' style="{escape(style)}"' if style else ""
    return Html(f"<{tag}{styled}>{inside}</{tag}>")


def table(head: Sequence[str], rows: Sequence[Sequence[Content]], right: Sequence[int]) -> Html:
    """Write a table; the columns of `right` hold numbers."""

    def line(cells: Sequence[Content], tag: str, also: str = "") -> Html:
        styles = (_RIGHT if place in right else _LEFT for place in range(len(cells)))
        return element(
            "tr",
            *(element(tag, c, style=s + also) for c, s in zip(cells, styles, strict=True)),
            style="background:none",
        )

    top = element("thead", line(head, "th", f";border-top:0;font-weight:normal;{_FAINT}"))
    body = element("tbody", *(line(row, "td") for row in rows))
    scrolled = element("table", top, body, style="border-collapse:collapse;border:0;margin:.3em 0;color:inherit")
    return element("div", scrolled, style="overflow-x:auto")


def program_html(program: LogicProgram) -> Html:
    """Write a table of the rules and the OTHERWISE sentence."""
    target, rows = program.schema.target, []
    for place, rule in enumerate(program.rules[:MOST_RULES], 1):
        covered = rule.coverage
        counts = ["", "", ""]
        if covered is not None:
            precision = percent(covered.hits / covered.rows) if covered.rows else ""
            counts = [str(covered.rows), precision, f"{covered.hits} of {covered.of_hits}"]
        label = conclusion_text(target, rule.label)
        rows.append([str(place), _conditions(rule, program), element("b", label), *counts, number(rule.weight)])
    head = ("rule", "IF", "THEN", "rows", "precision", "of its label", "weight")
    parts = [element("div", _title(program), style=_FAINT)]
    parts += [table(head, rows, right=(0, 3, 4, 5, 6))] if rows else []
    if program.n_rules > MOST_RULES:
        more = f"{counted(program.n_rules - MOST_RULES, 'more rule')}; print the program to see all."
        parts.append(element("div", more, style=_FAINT))
    parts.append(element("div", closing_text(program), style=_CODE))
    return element("div", *parts, style="line-height:1.4")


def explanation_html(explanation: Explanation) -> Html:
    """Write the decision, and for each output its probability, the rules that fired, and the nearest miss."""
    target, decision = explanation.target, explanation.decision
    if isinstance(decision, tuple):
        said = ", ".join(map(spelled, decision)) or "no label"
    else:
        said = conclusion_text(target, decision)
    head = element("div", "Decided ", element("b", said))
    # The classes that were not decided add little: of many, those that some rule speaks for.
    shown = [one for one in explanation.outputs if one.holds or one.fired or len(explanation.outputs) == 1]
    parts = [_output(output, conclusion_text(target, output.label), target.kind) for output in shown]
    return element("div", head, *parts, style="line-height:1.4")


def _title(program: LogicProgram) -> str:
    target = program.schema.target
    about = conclusion_text(target, target.labels[-1]) if target.kind == "binary" else spelled(target.name)
    return f"{counted(program.n_rules, 'rule')} for {about}"


def _conditions(rule: Rule, program: LogicProgram) -> Html:
    texts = condition_texts(rule, program.schema) or ["always"]
    joined: list[Content] = [element("span", texts[0], style=_CODE)]
    for text in texts[1:]:
        joined += [Html("<br>"), element("span", "AND ", style=_FAINT), element("span", text, style=_CODE)]
    return element("span", *joined)


def _output(output: OutputExplanation, label: str, kind: str) -> Html:
    threshold = None if kind == "multiclass" else output.threshold
    shown = output.normalized if kind == "multiclass" else output.probability
    limit = "" if threshold is None else f", decided from {number(threshold)}"
    line = element("div", f"P({label}) = {percent(shown)}{limit} ", _bar(shown, threshold))
    items = [element("li", *_check(check)) for check in output.fired]
    if not output.fired:
        items.append(element("li", "No rule fired.", style=_FAINT))
    if output.missed:
        items.append(element("li", "Nearest miss: ", *_check(output.missed[0]), style=_FAINT))
    return element(
        "div", line, element("ul", *items, style="margin:.2em 0 .6em;padding-left:1.4em"), style="margin-top:.4em"
    )


def _check(check: RuleCheck) -> list[Content]:
    asked = check.conditions if check.fired else check.failed
    share = f" (share {percent(check.share)})" if check.share else ""
    parts: list[Content] = [f"rule {check.number}{share}: "]
    for place, condition in enumerate(asked):
        said = str(condition) if check.fired else condition.failure()
        parts += [", " if place else "", element("span", said, style=_CODE)]
    return parts if asked else [*parts, "always"]


def _bar(share: float, threshold: float | None) -> Html:
    """Draw a probability as a bar, with a line at the threshold."""
    inside = "position:absolute;"
    filled = f"{inside}left:0;top:0;bottom:0;width:{100 * share:.1f}%;background:rgba(50,130,200,.75)"
    marks = [element("span", style=filled)]
    if threshold is not None:
        place = f"left:calc({100 * threshold:.1f}% - 1px);top:-2px;bottom:-2px;width:2px"
        marks.append(element("span", style=f"{inside}{place};background:currentColor"))
    frame = "position:relative;display:inline-block;width:12em;height:.7em;margin-left:.5em"
    return element("span", *marks, style=f"{frame};background:rgba(128,128,128,.25)")
