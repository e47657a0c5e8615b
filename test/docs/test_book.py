"""Every block of Python in the README and the book is run, and prints what the page says it prints."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from before import BASICS, BEFORE, NOT_RUN
from book import ROOT, TYPED, WHOLE, blocks, pages, run
from figures import kept

import freehold as fh

IN_DOCSTRINGS = {"plot_roofline", "plot_timeline", "record_launches"}
"""They need matplotlib or a GPU; test/runtime/test_plots.py runs them."""

TUTORIAL = ROOT / "docs" / "tutorial"
OF_CODE = {"deployment", "extern", "sass"}
"""Pages that show what is done with machine code; the others show at most figures of it."""


@pytest.mark.parametrize("page", pages(), ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore:The given NumPy array is not writable")
def test_a_page_runs(
    page: Path, golden: Callable[[Path, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with nullcontext() if page.stem in OF_CODE else kept():
        shows(page, golden, tmp_path, monkeypatch)


def shows(page: Path, golden: Callable[[Path, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compares what is printed with what the page says."""
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    scope: dict[str, Any] = {"__name__": "__main__"}
    whole = page.parent.name in WHOLE
    if not whole and page.name not in TYPED:
        run(BASICS, f"{page.stem}-before.py", scope)
    said: list[tuple[tuple[int, int], str]] = []
    for block in blocks(text):
        which = (page.name, block.number)
        if which in NOT_RUN:
            compile(block.code, page.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            continue
        assert which not in BEFORE or page.name not in TYPED
        run(BEFORE.get(which, ""), f"{page.stem}-{block.number}-before.py", scope)
        printed = run(block.code, f"{page.stem}-{block.number}.py", scope)
        if block.place is not None:
            said.append((block.place, printed))
        elif whole:
            assert not printed, f"block {block.number} prints, and the page does not say what"
    for (start, end), printed in reversed(said):
        text = text[:start] + "".join(f"{line.rstrip()}\n" for line in printed.splitlines()) + text[end:]
    golden(page, text)


def test_what_is_not_run_is_there() -> None:
    there = {(page.name, block.number) for page in pages() for block in blocks(page.read_text(encoding="utf-8"))}
    assert NOT_RUN.keys() <= there
    assert BEFORE.keys() <= there


@pytest.mark.parametrize("folder", WHOLE)
def test_every_page_of_a_folder_is_in_the_book_and_in_its_list(folder: str) -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs" / folder).glob("*.md"):
        assert f"- {folder}/{page.name}\n" in nav, page


def test_every_public_name_stands_in_a_block_that_is_run() -> None:
    """In the README or the book; a type that users are given and do not name may do so in its docstring."""
    run_here = {
        word
        for page in pages()
        for block in blocks(page.read_text(encoding="utf-8"))
        if (page.name, block.number) not in NOT_RUN
        for word in re.findall(r"\w+", block.code)
    }
    left = [name for name in fh.__all__ if name not in run_here and name not in IN_DOCSTRINGS]
    assert left == []
    for name in IN_DOCSTRINGS:
        assert re.search(rf"`[^`]*\b{name}\([^`]*`", getattr(fh, name).__doc__), name


def test_the_tutorial_has_ten_chapters() -> None:
    chapters = sorted(p.name for p in TUTORIAL.glob("*.md"))
    assert [name[:2] for name in chapters] == [f"{n:02}" for n in range(1, 11)]
    for name in chapters:
        found = [*blocks((TUTORIAL / name).read_text(encoding="utf-8"))]
        assert any(block.printed for block in found), f"{name} shows nothing of what it prints"
