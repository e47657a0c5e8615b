"""Lets the tests here import the examples, which are not installed, before others of that name, and what they share."""

import sys
from pathlib import Path
from typing import Any

import pytest

from freehold.runtime.jit.kernel import Kernel
from freehold.runtime.launch import launch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(1, str(Path(__file__).resolve().parent))


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[Kernel, Any]]:
    """
    The kernels that a test launches, each with a specialisation.

    No launch is done as one before it was, which would not ask for the kernel: whatever ran before, all are seen.
    """
    found: dict[str, tuple[Kernel, Any]] = {}
    interpreted = Kernel.interpreted

    def watched(self: Kernel, specialisation: Any, *rest: Any) -> Any:
        found.setdefault(self.__name__, (self, specialisation))
        return interpreted(self, specialisation, *rest)

    monkeypatch.setattr(Kernel, "interpreted", watched)
    monkeypatch.setattr(launch, "likeness", unlike)
    return found


def unlike(signature: object, arguments: object) -> None:
    """Says of a launch's arguments that it cannot be told what they look like."""
