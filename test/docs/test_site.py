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


@pytest.mark.parametrize("leads", [True, False])
def test_a_link_that_leads_nowhere_stops_it(tmp_path: Path, leads: bool) -> None:
    """In a book of three pages that is built as ours is."""
    shutil.copy(ROOT / "mkdocs.yml", tmp_path / "whole.yml")
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "book_hooks.py", tmp_path / "tools" / "book_hooks.py")
    (tmp_path / "docs").mkdir()
    for name, text in {
        "mkdocs.yml": "INHERIT: whole.yml\nnav: [README.md, page.md, CONTRIBUTING.md]\n",
        "README.md": "# A book\n\n[a page](docs/page.md)\n",
        "CONTRIBUTING.md": "# Contributing\n",
        "docs/page.md": f"# A page\n\n[elsewhere]({'../README.md' if leads else 'nowhere.md'})\n",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    built = build(tmp_path, tmp_path / "site")
    assert (built.returncode == 0) == leads, built.stdout + built.stderr
    assert ("nowhere.md" in built.stdout + built.stderr) != leads
