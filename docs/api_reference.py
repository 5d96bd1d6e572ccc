"""The API reference, made from the `__all__` of each public package.

A line `<!-- api: nln.rules -->` of a page stands for the reference of that package: a table of its public names, then
each name with its docstring. A name that several packages offer is described once, on the page of the first of
`PAGES` that offers it, and the other pages link to it.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin

PAGES = (
    "nln.rules",
    "nln.compose",
    "nln",
    "nln.export",
    "nln.plots",
    "nln.report",
    "nln.datasets",
    "nln.network.theory",
    "nln.dask",
    "nln.torch",
)
"""Public packages; of those that offer the same thing, the first describes it."""

PACKAGES = tuple(package for package in PAGES if package != "nln.torch" or find_spec("torch"))
"""Those that can be described here: one of them needs PyTorch."""

_FIRST = ("NLNClassifier", "LogicProgram")
"""What most readers look for: described first on its page."""

_LINE = re.compile(r"^<!-- api: (\S+) -->$", re.MULTILINE)
_ROUTED = ("fit", "predict", "predict_proba", "score")
_ROUTING = ("get_metadata_routing", *(f"set_{method}_request" for method in _ROUTED))
"""What scikit-learn adds to its estimators."""


def insert_references(text: str) -> str:
    """Put the reference of a package in the place of each line that asks for it."""
    return _LINE.sub(lambda match: reference(match[1]), text)


def setup(app: Any) -> None:
    """Do so for each page that Sphinx reads."""
    app.connect("source-read", lambda _app, _page, source: source.__setitem__(0, insert_references(source[0])))


def reference(package: str) -> str:
    """Write the reference of a package in Markdown."""
    if package not in PACKAGES:
        return "This page was made without PyTorch, which the package needs: `pip install torch`."
    module = import_module(package)
    described = [name for name in _in_reading_order(module) if home(package, name) == package]
    directives = [f".. automodule:: {package}\n   :no-members:", f".. currentmodule:: {package}"]
    rows = [f"| {_link(package, name)} | {_summary(package, name)} |" for name in module.__all__]
    return "\n".join(
        [
            _fenced(directives),
            "\n| name | what it is |\n| --- | --- |",
            *rows,
            "",
            _fenced([f".. currentmodule:: {package}", *(_directive(package, name) for name in described)]),
        ]
    )


def home(package: str, name: str) -> str:
    """Name the package that describes what a package offers under a name."""
    thing = getattr(import_module(package), name)
    return next(other for other in PACKAGES if other == package or _offers(other, name, thing))


def public_names() -> set[str]:
    """Return all that the reference describes, such as `nln.rules.Rule`."""
    return {
        f"{home(package, name)}.{name}"
        for package in PACKAGES
        for name in import_module(package).__all__
        if not inspect.ismodule(getattr(import_module(package), name))
    }


def _offers(package: str, name: str, thing: Any) -> bool:
    module = import_module(package)
    return name in module.__all__ and getattr(module, name) is thing


def _in_reading_order(module: ModuleType) -> list[str]:
    """Keep what one file defines together, functions before classes, and put constants last; leave modules out."""
    things = {name: getattr(module, name) for name in module.__all__ if not inspect.ismodule(getattr(module, name))}
    files = {name: str(getattr(thing, "__module__", "")) for name, thing in things.items()}
    places = {file: place for place, file in enumerate(dict.fromkeys(files.values()))}

    def order(name: str) -> tuple[bool, bool, int, bool]:
        thing = things[name]
        return name not in _FIRST, _is_data(thing), places[files[name]], inspect.isclass(thing)

    return sorted(things, key=order)


def _is_data(thing: Any) -> bool:
    return not (inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing))


def _directive(package: str, name: str) -> str:
    thing = getattr(import_module(package), name)
    if _is_data(thing):
        return f".. py:data:: {name}\n\n   {_data_text(package, name)}"
    if not inspect.isclass(thing):
        return f".. autofunction:: {name}"
    if issubclass(thing, Exception):
        return f".. autoexception:: {name}"
    lines = [f".. autoclass:: {name}", "   :members:"]
    if any(base.__module__.startswith("nln") for base in thing.__bases__):
        lines.append("   :inherited-members: BaseEstimator, ClassifierMixin, Module")
    if hasattr(thing, "get_metadata_routing"):
        lines.append(f"   :exclude-members: {', '.join(_ROUTING)}")
    return "\n".join(lines)


def _link(package: str, name: str) -> str:
    if inspect.ismodule(getattr(import_module(package), name)):
        return f"{{py:mod}}`{package}.{name}`"
    return f"{{py:obj}}`{name} <{home(package, name)}.{name}>`"


def _summary(package: str, name: str) -> str:
    thing = getattr(import_module(package), name)
    text = _data_text(package, name) if _is_data(thing) else inspect.getdoc(thing) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def _data_text(package: str, name: str) -> str:
    value = getattr(import_module(package), name)
    if name in _texts_after_assignments(package):
        return " ".join(_texts_after_assignments(package)[name].split())
    if get_origin(value) is Literal:
        return "One of " + ", ".join(f"`{choice!r}`" for choice in get_args(value)) + "."
    if get_args(value):
        return "Either " + " or ".join(f"`{choice.__name__}`" for choice in get_args(value)) + "."
    return f"A `{type(value).__name__}`."


@cache
def _texts_after_assignments(package: str) -> dict[str, str]:
    """Find the text that follows the assignment of a constant or of a type, anywhere in the package."""
    return {name: text for file in _files(package) for name, text in _documented(ast.parse(file.read_text("utf-8")))}


def _files(package: str) -> Iterator[Path]:
    module = import_module(package)
    yield Path(str(module.__file__))
    for found in pkgutil.iter_modules(module.__path__):
        path = Path(str(module.__path__[0]), f"{found.name}.py")
        if path.exists():
            yield path


def _documented(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for statement, after in zip(tree.body, tree.body[1:], strict=False):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else getattr(statement, "target", None)
        if isinstance(target, ast.Name) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            yield target.id, str(after.value.value)


def _fenced(directives: list[str]) -> str:
    return "```{eval-rst}\n" + "\n\n".join(directives) + "\n```"
