"""The library of kernels is built from its sources, found again, and never older than they are."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nln.native import building, loading

DAMAGED = "int no_end( {"


def source(number):
    """A library with one function."""
    return f"""
#ifdef _WIN32
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
int number(void) {{ return {number}; }}
"""


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A small library's sources, and no library yet."""
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "kernels.c").write_text(source(1))
    monkeypatch.setattr(building, "SOURCES", folder)
    monkeypatch.setattr(building, "units", lambda: {"baseline": ()})
    return folder


@pytest.fixture
def folders(sources, tmp_path, monkeypatch):
    """Where libraries may lie: beside the sources, or with the user."""
    monkeypatch.setattr(loading, "LIBRARIES", tmp_path / "lib")
    monkeypatch.setattr(loading, "user_folder", lambda: tmp_path / "user")
    loading.load_library.cache_clear()
    yield tmp_path / "lib", tmp_path / "user"
    loading.load_library.cache_clear()


def files(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def test_the_name_tells_sources_flags_and_levels_apart(sources, monkeypatch):
    names = [building.library_name()]
    (sources / "kernels.c").write_text(source(2))
    names.append(building.library_name())
    monkeypatch.setattr(building, "FLAGS", ("-O0",))
    names.append(building.library_name())
    (sources / "notes.txt").write_text("no source")
    assert len(set(names)) == 3 and building.library_name() == names[-1]


def test_a_library_is_built_once_and_again_when_a_source_changes(folders, sources):
    beside, user = folders
    built = loading.load_library()._name
    assert files(beside) == [Path(built).name] and files(user) == []
    before = Path(built).stat().st_mtime_ns
    loading.load_library.cache_clear()
    assert loading.load_library()._name == built and Path(built).stat().st_mtime_ns == before
    (sources / "kernels.c").write_text(source(7))
    loading.load_library.cache_clear()
    assert loading.load_library().number() == 7
    assert files(beside) == [building.library_name()]  # the old one is gone


def test_where_the_package_cannot_be_written_the_library_lies_with_the_user(folders):
    beside, user = folders
    beside.write_text("a file where the folder should be")
    assert Path(loading.load_library()._name).parent == user


def test_where_nothing_can_be_written_the_library_lives_as_long_as_the_process(folders):
    for folder in folders:
        folder.write_text("a file where the folder should be")
    library = loading.load_library()
    assert library.number() == 1 and not Path(library._name).exists()


def test_a_user_without_a_home_has_no_folder_of_libraries(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert loading.user_folder() is None


def test_several_processes_build_at_the_same_time(sources, tmp_path):
    code = f"""if True:
        from pathlib import Path
        from nln.native import building
        building.SOURCES, building.units = Path({str(sources)!r}), lambda: {{"baseline": ()}}
        building.build_library(Path({str(tmp_path / "lib")!r}))
    """
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [process.wait() for process in running] == [0, 0, 0, 0]
    assert files(tmp_path / "lib") == [building.library_name()]


def test_without_a_compiler_the_error_says_what_to_install(folders, monkeypatch):
    monkeypatch.setattr(building, "find_compiler", lambda: None)
    with pytest.raises(building.NoCompiler, match=r"pip install --only-binary nln nln.*pip install ziglang"):
        loading.load_library()


def test_what_the_compiler_says_is_passed_on(folders, sources):
    (sources / "kernels.c").write_text(DAMAGED)
    with pytest.raises(building.NoCompiler, match=r"(?s)cannot be compiled: .*kernels\.c.*error"):
        loading.load_library()
    assert all(not any(name.startswith("nln-") for name in files(folder)) for folder in folders)


def test_the_compiler_is_that_of_the_environment_the_system_or_ziglang(monkeypatch):
    monkeypatch.setenv("CC", f"{sys.executable} -O1")
    assert building.find_compiler() == [sys.executable, "-O1"]
    monkeypatch.delenv("CC")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert building.find_compiler() is None
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object())
    assert building.find_compiler()[:4] == [sys.executable, "-m", "ziglang", "cc"]
