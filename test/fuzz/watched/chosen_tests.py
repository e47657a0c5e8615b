"""A plugin of pytest: runs the tests that a file names, and writes down how each ended and how long it took."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if chosen := os.environ.get("FREEHOLD_CHOSEN"):
        names = set(Path(chosen).read_text(encoding="utf-8").split("\n"))
        left_out = [item for item in items if item.nodeid not in names]
        items[:] = [item for item in items if item.nodeid in names]
        config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if (ended := os.environ.get("FREEHOLD_ENDED")) and "PYTEST_XDIST_WORKER" not in os.environ:
        with open(ended, "a", encoding="utf-8") as file:
            file.write(f"{report.outcome}\t{report.duration:.3f}\t{report.nodeid}\n")
