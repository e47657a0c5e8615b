"""docs/checklist.md, docs/language.md and the pages of docs/migration/ name only what exists."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from functools import cache
from pathlib import Path

import pytest

import freehold as fh
from freehold.frontend import language
from freehold.runtime.jit.kernel import Kernel
from freehold.runtime.launch.launch import Launch

DOCS = Path(__file__).resolve().parents[2] / "docs"
OBJECTS: dict[str, type] = {
    "t": fh.Tile,
    "x": fh.Ref,
    "y": fh.Mut,
    "a": fh.Acc,
    "r": fh.Raw,
    "kernel": Kernel,
    "launch": Launch,
    "tensor": fh.Tensor,
}
"""What the letters in the tables stand for."""
NAME = re.compile(r"(?<![\w.])(?P<of>fh|t|x|y|a|r|kernel|launch|tensor)\.(?P<name>[A-Za-z_]\w*)")


@cache
def members(kind: type) -> frozenset[str]:
    """The attributes and methods of a class, those that only type checkers see included."""
    found = set(dir(kind))
    for base in kind.__mro__[:-1]:
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                found.add(node.name)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return frozenset(found)


def spans(page: str) -> list[str]:
    """The code in a page: between backticks, and in blocks."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return blocks + re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


MIGRATION = sorted(f"migration/{path.name}" for path in (DOCS / "migration").glob("*.md"))


@pytest.mark.parametrize("page", ["checklist.md", "language.md", *MIGRATION])
def test_every_name_exists(page: str):
    missing: set[str] = set()
    for code in spans(page):
        for match in NAME.finditer(code):
            of, name = match["of"], match["name"]
            if of == "fh":
                known = hasattr(fh, name) or hasattr(language, name)
            else:
                known = any(name in members(kind) for kind in OBJECTS.values())
            if not known:
                missing.add(match[0])
    assert not missing


def test_the_page_covers_the_language():
    """Whatever the language has is named on the page, or on that of the language."""
    text = (DOCS / "checklist.md").read_text(encoding="utf-8") + (DOCS / "language.md").read_text(encoding="utf-8")
    words = set(re.findall(r"\w+", text))
    names: list[str] = vars(language)["__all__"]  # put together from the room's files
    assert not [n for n in names if n not in words and n[0].islower()]
