"""The text of a random program being written: lines at an indentation, fresh names, and what may be read where."""

from __future__ import annotations

import random
from collections.abc import Generator
from contextlib import contextmanager
from typing import ClassVar


class ProgramText:
    """What the writers of programs have in common."""

    SCOPES: ClassVar[tuple[str, ...]] = ()
    """The attributes that list names: those that are bound under a header are not read behind it."""
    BEFORE_NUMBER: ClassVar[str] = ""
    """What stands between the word of a fresh name and its number."""

    def __init__(self, rng: random.Random, indent: int = 0):
        self.rng = rng
        self.lines: list[str] = []
        self.indent = indent
        self.fresh = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def name(self, word: str) -> str:
        self.fresh += 1
        return f"{word}{self.BEFORE_NUMBER}{self.fresh}"

    @contextmanager
    def block(self, header: str) -> Generator[None]:
        """What stands under a header."""
        kept = {names: list(getattr(self, names)) for names in self.SCOPES}
        self.line(header)
        self.indent += 1
        yield
        self.indent -= 1
        for names, before in kept.items():
            setattr(self, names, before)
