"""The workflows call make's targets, and every version of Python that is promised."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path: Path) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_jobs_wait_for_jobs_that_exist_and_every_step_does_one_thing(path: Path) -> None:
    jobs = read(path)["jobs"]
    for name, job in jobs.items():
        needs = job.get("needs", [])
        assert {needs} <= jobs.keys() if isinstance(needs, str) else set(needs) <= jobs.keys(), name
        if called := job.get("uses"):
            assert (ROOT / called).is_file(), called
            continue
        assert job["runs-on"], name
        for step in job["steps"]:
            assert ("run" in step) != ("uses" in step), (name, step)


def test_versions_are_tried_locked_oldest_and_newest() -> None:
    jobs = read(ROOT / ".github" / "workflows" / "ci.yml")["jobs"]
    said = {name: " ".join(step.get("run", "") for step in job["steps"]) for name, job in jobs.items()}
    assert "CONSTRAINTS=constraints.txt" in said["locked"]
    assert "--upgrade-strategy eager" in said["newest"]
    needed = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (oldest,) = re.findall(r'"xdsl>=([0-9.]+),', needed)
    assert f"xdsl=={oldest}.*" in said["oldest"]


def test_a_release_has_its_book() -> None:
    docs = read(ROOT / ".github" / "workflows" / "release.yml")["jobs"]["docs"]
    assert docs["needs"] == "publish"
    assert [step["run"].split()[2] for step in docs["steps"] if "run" in step] == ["docs", "docs-version"]


def test_the_conda_recipe_has_the_version_and_the_dependencies() -> None:
    recipe = read(ROOT / "packaging" / "conda" / "recipe.yaml")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert recipe["context"]["version"] == project["version"]
    wanted = {"__linux": "", "python": project["requires-python"]}
    for text in project["dependencies"]:
        needed = Requirement(text)
        if needed.name != "nvidia-cuda-tileiras":  # of PyPI alone, as the recipe says
            wanted[needed.name.replace("ml-dtypes", "ml_dtypes")] = str(needed.specifier)
    found = {name: text for name, _, text in (line.partition(" ") for line in recipe["requirements"]["run"])}
    assert {n: SpecifierSet(v) for n, v in found.items()} == {n: SpecifierSet(v) for n, v in wanted.items()}


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
