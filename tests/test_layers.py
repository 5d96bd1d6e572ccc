"""The layers of the package, read from the import statements: also from those inside functions."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "src"

LAYERS = (
    ("rules", "datasets", "native"),
    ("tables", "export", "scores", "made"),
    ("model", "network"),
    ("learning", "plots", "progress", "torch"),
    ("report",),
    ("checks",),
    ("classifier",),
    ("compose", "large"),
    ("cli", "dask"),
)
"""Each part may import itself and the parts of the lines before it, nothing else."""


UPWARDS = {("nln.rules.program", "nln.export")}
"""Calls upwards that are meant: `LogicProgram.export` finds the exporters when it is used."""


def modules():
    """Path of each module by its dotted name."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def is_for_types(node):
    """Whether an `if` holds imports for type checkers only."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports(tree):
    """Import statements of a syntax tree, those of functions included, those for type checkers not."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            if isinstance(node.args[0], ast.Constant):
                yield ast.Import([ast.alias(node.args[0].value)])
        elif is_for_types(node):
            yield from imports(ast.Module(node.orelse, []))
        else:
            yield from imports(node)


def imported(name):
    """Modules of the package that a module imports."""
    for node in imports(ast.parse(MODULES[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif node.module in MODULES:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (module if module in MODULES else node.module for module in inside)


GRAPH = {
    name: {other for other in imported(name) if other != name and (name, other) not in UPWARDS} for name in MODULES
}


def test_the_calls_upwards_are_there():
    assert all(other in imported(name) for name, other in UPWARDS)


def part(module):
    """Package or file right below `nln` that a module belongs to."""
    return module.split(".")[1] if "." in module else ""


def test_every_part_of_the_package_has_its_layer():
    listed = [name for layer in LAYERS for name in layer]
    assert sorted(listed) == sorted({part(module) for module in MODULES} - {""})


@pytest.mark.parametrize("name", [name for layer in LAYERS for name in layer])
def test_imports_point_to_lower_layers_only(name):
    place = next(i for i, layer in enumerate(LAYERS) if name in layer)
    allowed = {name, "", *(below for layer in LAYERS[:place] for below in layer)}
    wrong = {
        f"{module} imports {other}"
        for module, others in GRAPH.items()
        if part(module) == name
        for other in others
        if part(other) not in allowed
    }
    assert not wrong


def test_no_module_imports_itself_by_way_of_others():
    """Take away modules that import none, or are imported by none, of those left: what remains lies on cycles."""
    left = set(GRAPH)
    while True:
        used = {other for name in left for other in GRAPH[name]}
        free = {name for name in left if name not in used or not GRAPH[name] & left}
        if not free:
            break
        left -= free
    assert not {name: sorted(GRAPH[name] & left) for name in sorted(left)}
