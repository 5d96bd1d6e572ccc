"""Build hook: compiles the kernels of nln, for wheels and for editable installs alike.

Without a C compiler the package `ziglang`, which is one, joins the requirements of the build.
"""

from __future__ import annotations

import importlib.util
import os
import sysconfig
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ZIG = "ziglang>=0.13"


def _building() -> ModuleType:
    """Load the package's own module, which needs nothing but the standard library; nln itself needs NumPy."""
    path = Path(__file__).parent / "src" / "nln" / "native" / "building.py"
    spec = importlib.util.spec_from_file_location("nln_building", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class KernelsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the compiled kernels into a wheel, which is then one for a platform and for every Python."""

    def dependencies(self) -> list[str]:
        """Requirements of the build besides hatchling."""
        return [] if self.target_name != "wheel" or _building().find_compiler() else [ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and say what the wheel holds. An editable install finds the library beside its sources."""
        if self.target_name != "wheel":
            return
        building = _building()
        library = building.LIBRARIES / building.library_name()
        if not library.is_file():
            building.build_library(building.LIBRARIES)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"
        if version == "standard":
            build_data["force_include"][str(library)] = f"nln/native/lib/{library.name}"


def _platform() -> str:
    """Platform in the wheel's name; NLN_WHEEL_PLATFORM overrides it where a wheel is built for others to install."""
    found = os.environ.get("NLN_WHEEL_PLATFORM") or sysconfig.get_platform()
    return found.replace("-", "_").replace(".", "_")
