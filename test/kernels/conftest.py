"""Lets the tests here import the examples, which are not installed, before others of that name, and what they share."""

import sys
from pathlib import Path
from typing import Any

import pytest

from freehold.runtime.jit.kernel import Kernel

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(1, str(Path(__file__).resolve().parent))


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[Kernel, Any]]:
    """The kernels that a test launches, each with a specialisation."""
    found: dict[str, tuple[Kernel, Any]] = {}
    interpreted = Kernel.interpreted

    def watched(self: Kernel, specialisation: Any, *rest: Any) -> Any:
        found.setdefault(self.__name__, (self, specialisation))
        return interpreted(self, specialisation, *rest)

    monkeypatch.setattr(Kernel, "interpreted", watched)
    return found
