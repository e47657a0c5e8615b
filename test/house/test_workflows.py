"""The workflows call make's targets, and every version of Python that is promised."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_workflows_are_found() -> None:
    assert [path.stem for path in WORKFLOWS] == ["ci", "nightly", "release", "wheels"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_they_call_targets_that_exist(path: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = path.read_text()
    called = {
        word for line in re.findall(r"run: make (.*)", text) for word in line.split() if re.fullmatch(r"[a-z-]+", word)
    }
    matrix = re.search(r"target: \[(.*)\]", text)
    called |= set(matrix[1].split(", ")) if matrix else set()
    assert called <= targets, called - targets


@pytest.mark.parametrize("name", ["ci", "wheels"])
def test_every_promised_python_is_tried(name: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounds = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", project["requires-python"])
    assert bounds
    promised = ", ".join(f'"3.{minor}"' for minor in range(int(bounds[1]), int(bounds[2])))
    assert f"python: [{promised}]" in (ROOT / ".github" / "workflows" / f"{name}.yml").read_text()


def test_the_version_is_said_once_and_cited() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert re.search(rf"^version: {re.escape(version)}$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
