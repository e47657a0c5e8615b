"""What every pytest suite here shares: golden files, and the tests that need a GPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files instead of comparing with them")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """`golden(path, text)` compares the text with a committed file; `--update-golden` writes the file instead."""
    update = bool(request.config.getoption("--update-golden"))

    def compare(path: Path, text: str) -> None:
        text = text.rstrip("\n") + "\n"
        if update:
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path.name} is missing: run `pytest --update-golden {request.node.nodeid}` and read it"
        assert text == path.read_text(encoding="utf-8"), f"differs from {path}; `--update-golden` accepts the change"

    return compare
