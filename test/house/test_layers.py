"""Who may import whom (layers.py), of every file of the product."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from layers import MAY_IMPORT, ONLY_IN, ROOT, from_above, imports_of, out_of_place, past_the_package


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_types_of_a_room_are_checked(room: str):
    """basedpyright leaves out links that it comes upon, so that each has to be named."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pyright"]
    assert f"src/freehold/{room}" in settings["include"]


def files_of(room: str) -> list[Path]:
    return sorted((ROOT / room).rglob("*.py"))


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_rooms_import_only_what_is_below_them(room: str) -> None:
    assert files_of(room)
    assert not from_above(room, files_of(room)), f"{room} may import {sorted(MAY_IMPORT[room]) or 'nothing of ours'}"


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_are_absolute_and_through_the_package(room: str) -> None:
    assert not past_the_package(files_of(room))


@pytest.mark.parametrize("package", ONLY_IN)
def test_packages_are_imported_where_they_belong(package: str) -> None:
    files = [path for room in MAY_IMPORT for path in files_of(room)]
    assert not out_of_place(package, files), f"{package} belongs into {ONLY_IN[package]}"


def test_the_cache_uses_only_the_program_cache_of_cuda() -> None:
    path = ROOT / "backend" / "cache.py"
    names = [name for _, name in imports_of(path) if name.split(".")[0] == "cuda"] if path.exists() else []
    assert all("cache" in name.lower() for name in names), names


def test_the_rules_can_fail(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text("import cuda.core\ndef f():\n    from freehold.tools import explain\n    from . import x\n")
    assert tuple(imports_of(path)) == ((1, "cuda.core"), (3, "freehold.tools.explain"), (4, "..x"))
    assert from_above("passes", [path], tmp_path) == ["k.py:3: freehold.tools.explain"]
    assert past_the_package([path], tmp_path) == ["k.py:4: ..x"]
    assert out_of_place("cuda", [path], tmp_path) == ["k.py:1: cuda.core"]
