"""The book's code: what stands in the blocks of a page, in order, and what comes of running it."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final, NamedTuple

import freehold as fh

ROOT = Path(__file__).resolve().parents[2]
WHOLE = ("tutorial", "recipes", "migration")
"""Folders of `docs/` whose pages have all that they need, and say what they print."""
TYPED: Final = ("quickstart.md",)
"""Other pages that have all that they need: what is typed from their beginning on runs."""
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """One block of code, and the block of text behind it, if that is what it prints."""

    number: int
    code: str
    printed: str | None
    place: tuple[int, int] | None
    """Where in the page the printed text stands."""


def pages() -> list[Path]:
    """The pages that people read: the README and the book, without what is generated."""
    found = [
        ROOT / "README.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *(page for folder in WHOLE for page in sorted((ROOT / "docs" / folder).glob("*.md"))),
    ]
    return [p for p in found if "```python" in p.read_text(encoding="utf-8")]


def blocks(text: str) -> Iterator[Block]:
    """The blocks of Python in a page. What a block prints stands in a block of `text` directly behind it."""
    fences = [*_FENCE.finditer(text)]
    number = 0
    for n, found in enumerate(fences):
        if found[1] != "python":
            continue
        number += 1
        after = fences[n + 1] if n + 1 < len(fences) else None
        shown = after is not None and after[1] == "text" and not text[found.end() : after.start()].strip()
        if shown:
            assert after is not None
            yield Block(number, found[2], after[2], (after.start(2), after.end(2)))
        else:
            yield Block(number, found[2], None, None)


def run(code: str, name: str, scope: dict[str, Any]) -> str:
    """Runs a block, with `await` where it stands outside of functions; returns what it prints."""
    fh.register_source(name, code)
    compiled = compile(code, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    printed = StringIO()
    with redirect_stdout(printed):
        if compiled.co_flags & inspect.CO_COROUTINE:
            waits: Callable[[], Any] = eval(compiled, scope)  # a coroutine, which is not run yet
            asyncio.run(waits)  # pyright: ignore[reportArgumentType] -- as `compile` says
        else:
            exec(compiled, scope)
    return printed.getvalue()
