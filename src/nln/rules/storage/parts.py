"""Files that are being written: their names say which process writes them, so that those of dead ones can go."""

from __future__ import annotations

import os
import platform
import re
import time
import zlib
from contextlib import suppress

STALE = 600.0
"""Seconds for which a file of a dead process was not touched before it is removed: it may run in another container."""

_NAME = re.compile(r"\.nln-([0-9a-f]{8})-([0-9]{1,10})-[0-9a-f]{16}\.part")


def part_name(folder: str) -> str:
    """Name a file in a folder that no other process writes to."""
    return os.path.join(folder, f".nln-{_machine()}-{os.getpid()}-{os.urandom(8).hex()}.part")


def remove_stale_parts(folder: str) -> None:
    """Remove what processes of this machine left when they were killed; what cannot be removed stays."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            name = _NAME.fullmatch(entry.name)
            if name is not None and name[1] == _machine() and _is_dead(int(name[2])):
                with suppress(OSError):
                    if time.time() - entry.stat(follow_symlinks=False).st_mtime > STALE:
                        os.unlink(entry.path)


def _machine() -> str:
    return f"{zlib.crc32(platform.node().encode(errors='replace')):08x}"


def _is_dead(process: int) -> bool:
    if os.name != "posix":  # elsewhere there is no way to ask that does no harm
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # it runs for somebody else, or is no number of a process
        return False
    return False
