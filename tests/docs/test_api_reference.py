"""The API reference describes what the public packages list in `__all__`: all of it, once, and nothing else."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import nln
from tests.docs.pages import load

API = Path(__file__).parents[2] / "docs/api"
PACKAGE = Path(nln.__file__).parent
api = load("api_reference")


def described(text: str) -> list[str]:
    """Names that have their entry in a reference."""
    (package,) = set(re.findall(r"currentmodule:: (\S+)", text))
    directives = r"\.\. (?:autoclass|autofunction|autoexception|py:data):: (\S+)"
    return [f"{package}.{name}" for name in re.findall(directives, text)]


def test_each_public_package_has_one_page():
    pages = [re.findall(r"<!-- api: (\S+) -->", page.read_text(encoding="utf-8")) for page in API.glob("*.md")]
    assert sorted(pages) == sorted([package] for package in api.PAGES)


def test_names_that_a_package_lists_are_in_the_reference():
    public = {f"{package}.{name}" for package in api.PACKAGES for name in import_module(package).__all__}
    for path in PACKAGE.rglob("__init__.py"):
        package = ".".join(("nln", *path.parent.relative_to(PACKAGE).parts))
        if package in api.PAGES and package not in api.PACKAGES:
            continue  # it needs a library that is not here
        outer = next(home for home in sorted(api.PACKAGES, key=len, reverse=True) if package.startswith(home))
        for name in getattr(import_module(package), "__all__", []):
            if (package, name) != ("nln.cli", "main"):  # the command, which has its own page
                assert f"{outer}.{name}" in public, f"{package} lists {name}, but {outer} does not offer it"
                assert getattr(import_module(outer), name) is getattr(import_module(package), name)


def test_reference_and_lists_of_names_agree():
    entries = [name for package in api.PACKAGES for name in described(api.reference(package))]
    assert len(entries) == len(set(entries))
    assert set(entries) == api.public_names()


@pytest.mark.parametrize("package", api.PACKAGES)
def test_tables_list_every_name_with_what_it_is(package):
    rows = re.findall(r"^\| \{py:\w+\}`([\w.]+).*?` \| (.+) \|$", api.reference(package), re.MULTILINE)
    assert [name.rpartition(".")[2] for name, _ in rows] == import_module(package).__all__
    for name, text in rows:
        assert text.endswith("."), f"{package}.{name}: {text}"


def callables():
    """Public functions, classes and methods by name."""
    for package in api.PACKAGES:
        for name in import_module(package).__all__:
            if api.home(package, name) != package:
                continue
            thing = getattr(import_module(package), name)
            yield f"{package}.{name}", thing
            for method, found in inspect.getmembers(thing, inspect.isroutine) if inspect.isclass(thing) else ():
                if not method.startswith("_") and str(getattr(found, "__module__", "")).startswith("nln"):
                    yield f"{package}.{name}.{method}", found


def described_parameters(thing) -> dict[str, str]:
    """What a docstring says of the type of each parameter; nothing if it has no such section."""
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)", inspect.getdoc(thing) or "", re.MULTILINE | re.DOTALL
    )
    lines = re.findall(r"^(\w[\w, ]*) : (.+)$", section[1], re.MULTILINE) if section else []
    return {name.strip(): kind for names, kind in lines for name in names.split(",")}


def test_parameters_are_described_with_their_defaults():
    checked = 0
    for name, thing in callables():
        if not callable(thing) or not (found := described_parameters(thing)):
            continue
        for parameter in inspect.signature(thing).parameters.values():
            if parameter.name == "self" or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                continue
            assert parameter.name in found, f"{name} does not describe {parameter.name}"
            if parameter.default is not parameter.empty:
                assert "default=" in found[parameter.name], f"{name}: {parameter.name} : {found[parameter.name]}"
            checked += 1
    assert checked > 300
