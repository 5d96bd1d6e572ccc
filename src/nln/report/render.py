"""The page: one template per section, a style sheet and a script, all in one file that loads nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from nln.export.javascript import evaluator_source
from nln.rules.language.words import number, percent

Summary = Mapping[str, Any]

SCRIPTS = (
    "state", "scores", "words", "draw", "conditions", "cards", "save", "what_if", "dial", "features", "change", "case",
    "calibration", "errors", "start",
)  # fmt: skip
"""Files of `page/` in the order in which they make up the script."""


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page.

    Parameters
    ----------
    name : str
        Its anchor, and the name of its template in `page/sections/`.
    title : str
        Its heading.
    shown : callable, default=always
        Takes a summary and says whether the page has this section.
    """

    name: str
    title: str
    shown: Callable[[Summary], bool] = lambda _: True


SECTIONS = (
    Section("rules", "Rules"),
    Section("case", "Try a case"),
    Section("scores", "Scores"),
    Section("dial", "Simplicity", lambda summary: summary["dial"] is not None),
    Section("coverage", "Coverage", lambda summary: bool(summary["errors"]["rules"])),
    Section("features", "Features"),
    Section("errors", "Errors"),
    Section("table", "Table"),
    Section("audit", "Audit", lambda summary: summary["audit"] is not None),
)
"""The sections of the page, in order. A new one needs an entry here and a template."""

SCORE_WORDS = {
    "accuracy": ("Accuracy", "rows decided correctly"),
    "f1": ("F1", "of the positive class"),
    "macro_f1": ("Macro F1", "mean F1 of the labels"),
    "balanced_accuracy": ("Balanced accuracy", "mean recall of the classes"),
    "auc": ("AUC", "area under the ROC curve"),
    "log_loss": ("Log-loss", "lower is better"),
    "brier": ("Brier score", "lower is better"),
}
"""Title and meaning of each score."""


def render(summary: Summary) -> str:
    """Write the page of a summary.

    Parameters
    ----------
    summary : dict
        The result of `summarize`.

    Returns
    -------
    str
        HTML. The page's content security policy forbids all requests, and all scripts except its own.

    Examples
    --------
    >>> import numpy as np
    >>> from nln.report import summarize
    >>> from nln.rules import LogicProgram, Schema, Target
    >>> program = LogicProgram(Schema((), Target("class", "binary", ("no", "yes"))), (), (0.25,), (0.5,))
    >>> render(summarize(program, {}, np.array([[True], [False]]), title="<b>"))[:15]
    '<!doctype html>'
    """
    script = page_script()
    page: str = (
        _environment()
        .get_template("page.html")
        .render(
            **summary,
            sections=[section for section in SECTIONS if section.shown(summary)],
            score_words=SCORE_WORDS,
            style=_file("page.css"),
            script=script,
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            data=script_json({**summary, "score_words": SCORE_WORDS}),
        )
    )
    return page


def page_script() -> str:
    """Return the script of the page: the evaluator of the JavaScript export and the files of `SCRIPTS`."""
    parts = [evaluator_source(), *(_file(f"{name}.js") for name in SCRIPTS)]
    return "\n(() => {\n" + '"use strict";\n' + "\n".join(parts) + "})();\n"


def script_json(data: Any) -> str:
    """Write JSON that cannot end the script element around it."""
    # In ASCII, U+2028, U+2029 and lone surrogates are escaped as well.
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _environment() -> Any:
    try:
        import jinja2
    except ModuleNotFoundError:
        raise ImportError('A report needs jinja2, which is not installed: pip install "nln[report]".') from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("nln.report", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(count="{:,}".format, rows=_rows, number=number, percent=percent, score=_score)
    return environment


def _file(name: str) -> str:
    return files("nln.report").joinpath("page", name).read_text(encoding="utf-8")


def _rows(count: int) -> str:
    return f"{count:,} {'row' if count == 1 else 'rows'}"


def _score(value: float | None, name: str) -> str:
    """Write a score: shares in percent, losses with three digits."""
    if value is None:
        return "not defined"
    return f"{value:.3f}" if name in ("log_loss", "brier", "auc") else f"{100 * value:.1f} %"
