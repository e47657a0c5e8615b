"""Programs that run on the stub driver: which tests they have, and what they printed."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import pytest


class Printed(NamedTuple):
    """What a program printed."""

    passed: list[str]
    """Names of tests; `:skipped` stands behind those that did not run."""
    wrong: str
    """What went wrong."""
    status: int

    def ran(self, name: str) -> bool:
        """Whether a test passed. Where it was skipped, whoever asks is skipped, too."""
        if f"{name}:skipped" in self.passed:
            pytest.skip("so it was on the stub")
        return name in self.passed


def names_of(program: str) -> list[str]:
    """The names of the tests of a program in this folder, each a function."""
    body = ast.parse(Path(__file__).with_name(program).read_text(encoding="utf-8")).body
    return [node.name for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
