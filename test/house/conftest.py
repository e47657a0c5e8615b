"""The files that the rules of the house are about."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = {".git", ".venv", "build", "dist", "__pycache__", ".ruff_cache", ".pytest_cache", ".hypothesis"}


@pytest.fixture(scope="session")
def tracked() -> list[Path]:
    """Every file in the repository, links left out. Without git, as in an sdist: every file but the built ones."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if path.is_file() and not BUILT & set(path.parts)]
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())
