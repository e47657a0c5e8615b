"""Where the assembler may be: the package by its metadata, a file by its name, a program on a path."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from freehold.backend.places import locate


def program(path: Path, mode: int = 0o755) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    path.chmod(mode)
    return str(path)


def package(folder: Path, *names: str, binary: bool = True) -> str:
    """A folder of packages with these names in it, and the program of NVIDIA's."""
    for name in names:
        (folder / name).mkdir(parents=True)
    return program(folder / "nvidia" / "cu13" / "bin" / "tileiras") if binary else ""


@pytest.mark.parametrize(
    ("names", "release"),
    [
        (["nvidia_cuda_tileiras-13.5.37.dist-info"], "13.5.37"),
        (["nvidia_cuda_tileiras-13.5.37.dist-info", "another-1.0.dist-info"], "13.5.37"),
        (["nvidia_cuda_tileiras", "nvidia_cuda_tileiras-13.5.37.dist-info"], "13.5.37"),
        (["nvidia_cuda_tileiras-13.5.37.dist-info.old"], None),
        (["nvidia_cuda_tileiras-13.5.37.egg-info"], None),
        (["nvidia_cuda_tileiras"], None),
        (["another-1.0.dist-info"], None),
        ([], None),
    ],
)
def test_the_package_is_known_by_its_metadata(tmp_path: Path, names: list[str], release: str | None) -> None:
    binary = package(tmp_path, *names)
    found = locate([str(tmp_path)], None, None, None)
    assert found == (None if release is None else (binary, release))


def test_the_first_folder_that_has_it_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are not there, or have metadata without a program, are passed over; the empty one is where we are."""
    package(tmp_path / "cut", "nvidia_cuda_tileiras-13.5.1.dist-info", binary=False)
    first = package(tmp_path / "first", "nvidia_cuda_tileiras-13.5.2.dist-info")
    package(tmp_path / "second", "nvidia_cuda_tileiras-13.5.3.dist-info")
    program(tmp_path / "file")
    folders = [str(tmp_path / name) for name in ("missing", "file", "cut", "first", "second")]
    assert locate(folders, None, None, None) == (first, "13.5.2")
    assert locate(folders[:3], None, None, None) is None
    monkeypatch.chdir(tmp_path / "second")
    assert locate([""], None, None, None) == (os.path.join("nvidia", "cu13", "bin", "tileiras"), "13.5.3")


def test_each_place_counts_before_the_next(tmp_path: Path) -> None:
    packaged = package(tmp_path / "site", "nvidia_cuda_tileiras-13.5.2.dist-info")
    named, on_path = program(tmp_path / "named"), program(tmp_path / "bin" / "tileiras")
    home = program(tmp_path / "cuda" / "bin" / "tileiras")
    site, path, cuda = str(tmp_path / "site"), str(tmp_path / "bin"), str(tmp_path / "cuda")
    assert locate([site], named, path, cuda) == (packaged, "13.5.2")
    assert locate([], named, path, cuda) == (named, None)
    assert locate([], str(tmp_path / "missing"), path, cuda) is None  # whoever names one wants no other
    assert locate([], str(tmp_path), path, cuda) is None
    assert locate([], None, path, cuda) == (on_path, None)
    assert locate([], "", str(tmp_path / "empty"), cuda) == (home, None)
    assert locate([], None, str(tmp_path / "empty"), str(tmp_path / "empty")) is None
    assert locate([], None, str(tmp_path / "empty"), None) is None
    os.chmod(on_path, 0o644)
    assert locate([], None, path, None) is None  # on the path is what can be run
