"""The book is built, and a link that leads nowhere stops it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from subprocess import CompletedProcess, run

import pytest
from book import ROOT

pytest.importorskip("material")


def build(root: Path, site: Path) -> CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(site)]
    env = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return run(command, cwd=root, capture_output=True, text=True, check=False, env=env)


@pytest.mark.slow
def test_the_book_is_built_and_has_every_page(tmp_path: Path) -> None:
    built = build(ROOT, tmp_path)
    assert built.returncode == 0, built.stdout + built.stderr
    assert "WARNING" not in built.stdout + built.stderr
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix("")
        folder = tmp_path / (name.parent if name.name == "README" else name)
        assert (folder / "index.html").is_file(), name
    front = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "GPU tile kernels in Python that cannot contain a data race" in front
    assert (tmp_path / "source" / "examples" / "quickstart.py.txt").is_file()


@pytest.mark.slow
def test_a_link_that_leads_nowhere_stops_it(tmp_path: Path) -> None:
    root = tmp_path / "book"
    (root / "tools").mkdir(parents=True)
    for name in ("mkdocs.yml", "README.md", "CONTRIBUTING.md", "tools/book_hooks.py"):
        shutil.copy(ROOT / name, root / name)
    shutil.copytree(ROOT / "docs", root / "docs")
    page = root / "docs" / "tensors.md"
    page.write_text(page.read_text(encoding="utf-8") + "\n[nowhere](nowhere.md)\n", encoding="utf-8")
    built = build(root, tmp_path / "site")
    assert built.returncode != 0
    assert "nowhere.md" in built.stdout + built.stderr
