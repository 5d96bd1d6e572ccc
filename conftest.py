"""PyTorch is optional: its tests are skipped where it is absent; where all tools are required, it must be there."""

from importlib import import_module
from importlib.util import find_spec

from tests.tools import REQUIRED

if REQUIRED:
    import_module("torch")

collect_ignore_glob = [] if find_spec("torch") else ["src/nln/torch/*"]
