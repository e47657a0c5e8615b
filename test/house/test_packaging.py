"""Wheels, sdists and editable installs have the same package in them, and it imports."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("support", "dialects", "frontend", "passes", "backend", "runtime", "audit", "tools", "kernels")
IMPORT_ALL = """
import importlib, pathlib, pkgutil, freehold
for info in pkgutil.walk_packages(freehold.__path__, "freehold."):
    if not info.name.endswith("__main__"):
        importlib.import_module(info.name)
print(pathlib.Path(freehold.__file__).parent)
"""

pytestmark = pytest.mark.slow


def attempt(*command: str, cwd: Path, path: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), **({"PYTHONPATH": str(path)} if path else {}), **more}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def run(*command: str, cwd: Path, path: Path | None = None, **more: str) -> str:
    done = attempt(*command, cwd=cwd, path=path, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and an sdist of this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    backend = folder / "hatchling"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(backend)]
    if subprocess.run([*pip, "hatchling>=1.26"], capture_output=True, check=False).returncode:
        pytest.skip("the build backend cannot be fetched")
    run(sys.executable, "-m", "hatchling", "build", "-d", str(folder), cwd=ROOT, path=backend)
    return folder


def modules() -> set[str]:
    """Every file of the package, by its name in the package."""
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.suffix in (".py", ".json")]
    return {"freehold/__init__.py", "freehold/py.typed"} | {
        f"freehold/{path.relative_to(ROOT).as_posix()}" for path in paths
    }


def compiled(package: Path) -> None:
    """Lets a package have what Python has compiled of the same files here, and their times, by which it knows."""
    for file in package.glob("*/**/*.py"):
        here = ROOT / file.relative_to(package)
        kept = Path(cache_from_source(str(here)))
        if kept.exists() and file.read_bytes() == here.read_bytes():
            there = Path(cache_from_source(str(file)))
            there.parent.mkdir(exist_ok=True)
            shutil.copy(kept, there)
            shutil.copystat(here, file)


def test_the_wheel_has_every_file_and_imports(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert modules() <= set(archive.namelist())
        archive.extractall(tmp_path)
    compiled(tmp_path / "freehold")
    assert run(sys.executable, "-c", IMPORT_ALL, cwd=tmp_path, path=tmp_path) == str(tmp_path / "freehold")


def test_a_wheel_from_the_sdist_has_the_same_files(built: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        if hasattr(tarfile, "data_filter"):  # from 3.11.4 on
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(tmp_path)
    (unpacked,) = tmp_path.iterdir()
    run(
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        str(tmp_path),
        cwd=unpacked,
        path=built / "hatchling",
    )
    (first,), (second,) = built.glob("*.whl"), tmp_path.glob("*.whl")
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as other:
        assert sorted(one.namelist()) == sorted(other.namelist())


def test_what_is_installed_here_imports(tmp_path: Path) -> None:
    assert run(sys.executable, "-W", "error", "-c", IMPORT_ALL, cwd=tmp_path).endswith("freehold")


WHEEL = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d")


def test_a_wheel_without_the_native_module_is_for_every_machine(built: Path, tmp_path: Path) -> None:
    run(*WHEEL, str(tmp_path), cwd=ROOT, path=built / "hatchling", FREEHOLD_NATIVE="0")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith(".so")]


def test_a_release_stops_where_the_native_module_does_not_build(built: Path, tmp_path: Path) -> None:
    done = attempt(*WHEEL, str(tmp_path), cwd=ROOT, path=built / "hatchling", FREEHOLD_NATIVE="1", CC="false")
    assert done.returncode
    assert "FREEHOLD_NATIVE=1 asks for the native module, and there is none: the compiler failed" in done.stderr
    assert not list(tmp_path.glob("*.whl"))


def _project() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_constraints_are_of_versions_that_fit() -> None:
    """Every dependency, and what tests need, has one version there, which pyproject.toml allows."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if not line.startswith("#"))
    project = _project()
    for text in (*project["dependencies"], *project["optional-dependencies"]["test"]):
        needed = Requirement(text)
        if needed.name == "freehold":  # another of its extras
            continue
        if needed.marker is None or needed.marker.evaluate({"sys_platform": "linux", "python_version": "3.12"}):
            assert needed.specifier.contains(pinned[canonicalize_name(needed.name)]), text


def test_the_container_has_a_python_that_freehold_supports() -> None:
    (version,) = re.findall(r"^FROM python:([0-9.]+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert SpecifierSet(_project()["requires-python"]).contains(version)


def test_the_quick_start_names_what_may_be_asked_for() -> None:
    """All but what is for developers, and `mlir`, whose distribution is a placeholder (docs/mlir.md)."""
    text = (ROOT / "docs" / "quickstart.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"More is asked for by name.*?is the first five", text, re.DOTALL)
    names = re.findall(r"`([a-z]+)`", told)
    extras = _project()["optional-dependencies"]
    assert set(names) == set(extras) - {"mlir", "test", "bench", "fuzz"}
    assert extras["all"] == [f"freehold[{','.join(names[:5])}]"]
