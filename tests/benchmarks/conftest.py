"""Tests of networks in PyTorch are skipped where it is absent; where all tools are required, it must be there."""

from importlib import import_module

from tests.tools import REQUIRED

if REQUIRED:
    import_module("torch")
