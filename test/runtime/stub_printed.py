"""Programs that run on the stub driver: which tests they have, and what they printed."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple


class Printed(NamedTuple):
    """What a program printed."""

    passed: list[str]
    """Names of tests."""
    wrong: str
    """What went wrong."""
    status: int


def names_of(program: str) -> list[str]:
    """The names of the tests of a program in this folder, each a function."""
    body = ast.parse(Path(__file__).with_name(program).read_text(encoding="utf-8")).body
    return [node.name for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
